#include <fmt/format.h>

#include <ostream>

#include "log/arm_kind.h"
#include "log/event_text.h"
#include "log/log_file.h"
#include "log/logged_ids.h"
#include "manyarms/log.h"

namespace manyarms {
namespace {

constexpr std::string_view kBeginning = R"({"log":"manyarms")";

[[noreturn]] void RefuseToContinue(const std::string& path, const char* what,
                                   const std::string& there,
                                   const std::string& here) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} is the log of another bandit: its {} is {}, and "
                          "not {}",
                          path, what, there, here));
}

const char* KindName(const LogHeader& header) {
  return header.population ? "a population" : "a bandit";
}

void CheckSameShape(const std::string& path, const LogHeader& there,
                    const LogHeader& here) {
  const auto refuse = [&](const char* what, const auto& one, const auto& two) {
    RefuseToContinue(path, what, fmt::format("{}", one),
                     fmt::format("{}", two));
  };
  if (there.population != here.population) {
    refuse("kind", KindName(there), KindName(here));
  }
  if (there.dim != here.dim) refuse("dimension", there.dim, here.dim);
  if (there.context_dim != here.context_dim) {
    refuse("context dimension", there.context_dim, here.context_dim);
  }
  if (there.rewards != here.rewards) {
    refuse("kind of rewards", RewardModelName(there.rewards),
           RewardModelName(here.rewards));
  }
}

LogHeader Checked(const LogHeader& header) {
  CheckHeader(header);
  return header;
}

// Whether a file without an end of a line is what a killed writer has left of a
// header.
bool IsTornHeader(std::string_view text) {
  return text.find('\n') == text.npos &&
         (text.starts_with(kBeginning) || kBeginning.starts_with(text));
}

}  // namespace

struct LogWriter::State {
  State(const std::filesystem::path& path, const LogHeader& given, Mode mode)
      : header(Checked(given)), file(LogFile(path, mode == Mode::kNew)) {
    if (file->Size() > 0 && IsTornHeader(file->Beginning(kMaxLogLine))) {
      file->Clear();
    }
    if (file->Size() > 0) {
      Continue(path);
    } else {
      Begin();
    }
  }
  State(std::ostream& out, const LogHeader& given)
      : header(Checked(given)), stream(&out) {
    Begin();
  }

  void Begin() {
    line.clear();
    AppendHeader(header, line);
    PutLine();
  }

  void Continue(const std::filesystem::path& path) {
    LogReader reader(path, {.ignore_torn_tail = true});
    CheckSameShape(path.string(), reader.header(), header);
    header = reader.header();
    for (LogEvent event; reader.Next(event);) {
      arm_kind.Check(event);
      Remember(reader, event);
    }
    file->CutTornLine();
  }

  void Remember(const LogReader& reader, const LogEvent& event) {
    try {
      ids.Check(event);
    } catch (const Error& error) {
      reader.Fail(ErrorCode::kCorrupt, error.what());
    }
    ids.Add(event);
  }

  void PutLine() {
    line += '\n';
    if (file) {
      file->Append(line);
    } else {
      stream->write(line.data(), static_cast<std::streamsize>(line.size()));
      CheckStream();
    }
  }

  void CheckStream() const {
    if (!*stream) {
      throw Error(ErrorCode::kIo, "cannot write the log to its stream");
    }
  }

  LogHeader header;
  std::optional<LogFile> file;
  std::ostream* stream = nullptr;  // if there is no file
  std::string line;
  ArmKind arm_kind;
  LoggedIds ids;
};

LogWriter::LogWriter(const std::filesystem::path& path, const LogHeader& header,
                     Mode mode)
    : state_(std::make_unique<State>(path, header, mode)) {}
LogWriter::LogWriter(std::ostream& out, const LogHeader& header)
    : state_(std::make_unique<State>(out, header)) {}
LogWriter::~LogWriter() = default;
LogWriter::LogWriter(LogWriter&&) noexcept = default;
LogWriter& LogWriter::operator=(LogWriter&&) noexcept = default;

void LogWriter::Write(const LogEvent& event) {
  State& state = *state_;
  CheckEvent(event, state.header);
  ArmKind arm_kind = state.arm_kind;
  arm_kind.Check(event);
  state.ids.Check(event);
  state.line.clear();
  AppendEvent(event, state.line);
  if (state.line.size() > kMaxLogLine) {
    throw Error(ErrorCode::kTooLarge,
                fmt::format("the event takes {} bytes, a line of a log has at "
                            "most {}",
                            state.line.size(), kMaxLogLine));
  }
  state.PutLine();
  state.arm_kind = arm_kind;
  state.ids.Add(event);
}

void LogWriter::Flush() {
  if (state_->stream == nullptr) return;
  state_->stream->flush();
  state_->CheckStream();
}

void LogWriter::Sync() {
  Flush();
  if (state_->file) state_->file->Sync();
}

const LogHeader& LogWriter::header() const { return state_->header; }

}  // namespace manyarms
