#include <fmt/format.h>

#include <fstream>

#include "bandit/checked_file.h"
#include "log/arm_kind.h"
#include "log/event_text.h"
#include "log/line_reader.h"
#include "manyarms/log.h"

namespace manyarms {

struct LogReader::State {
  State(std::istream& stream, const LogReadOptions& given)
      : options(given), lines(stream) {}
  State(const std::filesystem::path& given_path, const LogReadOptions& given)
      : options(given),
        path(given_path.string()),
        file(OpenToRead(given_path)),
        lines(file) {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(given_path, ignored);
    if (!ignored) bytes = size;
  }

  // Calls work(), and names the file and the line in its errors. What is wrong
  // in a file is no wrong argument.
  template <class Work>
  auto Named(const Work& work) const {
    try {
      return work();
    } catch (const Error& error) {
      Fail(error.code() == ErrorCode::kInvalidArgument ? ErrorCode::kCorrupt
                                                       : error.code(),
           error.what());
    }
  }

  [[noreturn]] void Fail(ErrorCode code, const std::string& message) const {
    throw Error(code,
                fmt::format("{}line {}: {}", path.empty() ? "" : path + ", ",
                            lines.lines(), message));
  }

  // Returns false at the end.
  bool NextLine(std::string_view& line) {
    const LineReader::Found found = Named([&] { return lines.Next(line); });
    if (found == LineReader::Found::kTorn && !options.ignore_torn_tail) {
      Fail(ErrorCode::kCorrupt,
           "the line has no end, as if its writer was killed");
    }
    return found == LineReader::Found::kLine;
  }

  const LogReadOptions options;
  const std::string path;
  std::ifstream file;
  LineReader lines;
  std::uint64_t bytes = 0;  // of the file, if it is known
  LogHeader header;
  EventFields fields;
  ArmKind arm_kind;
};

namespace {

template <class State>
void ReadHeader(State& state) {
  std::string_view line;
  if (!state.NextLine(line)) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}line 1: the log has no first line",
                            state.path.empty() ? "" : state.path + ", "));
  }
  state.header = state.Named([&] { return ParseHeader(line); });
}

}  // namespace

LogReader::LogReader(const std::filesystem::path& path,
                     const LogReadOptions& options)
    : state_(std::make_unique<State>(path, options)) {
  ReadHeader(*state_);
}

LogReader::LogReader(std::istream& in, const LogReadOptions& options)
    : state_(std::make_unique<State>(in, options)) {
  ReadHeader(*state_);
}

LogReader::~LogReader() = default;
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader& LogReader::operator=(LogReader&&) noexcept = default;

const LogHeader& LogReader::header() const { return state_->header; }

bool LogReader::Next(LogEvent& event) {
  State& state = *state_;
  std::string_view line;
  if (!state.NextLine(line)) return false;
  state.Named([&] {
    state.fields.Parse(line);
    TakeEvent(state.fields, event);
    CheckEvent(event, state.header);
    state.arm_kind.Check(event);
  });
  return true;
}

std::uint64_t LogReader::line() const { return state_->lines.lines(); }

double LogReader::Progress() const {
  if (state_->bytes == 0) return 0;
  return std::min(1.0, static_cast<double>(state_->lines.bytes()) /
                           static_cast<double>(state_->bytes));
}

void LogReader::Fail(ErrorCode code, const std::string& message) const {
  state_->Fail(code, message);
}

}  // namespace manyarms
