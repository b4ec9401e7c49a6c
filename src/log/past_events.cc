#include "log/past_events.h"

#include <fmt/format.h>

#include <fstream>

#include "bandit/checked_file.h"
#include "log/event_fields.h"
#include "log/line_reader.h"
#include "manyarms/choice_reader.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

// Whether the first line of a file is that of a log.
bool IsLog(const std::filesystem::path& path) {
  std::ifstream in = OpenToRead(path);
  LineReader lines(in);
  std::string_view line;
  try {
    if (lines.Next(line) == LineReader::Found::kEnd) return false;
  } catch (const Error&) {
    return false;  // whoever reads the line says what is wrong
  }
  const std::size_t log = line.find(R"("log")");
  return log != line.npos && line.find(R"("manyarms")", log) != line.npos;
}

std::uint64_t SizeOf(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

constexpr EventFieldSet kFieldsOfOthers =
    SetOf({EventField::kLearner, EventField::kArm, EventField::kFeatures,
           EventField::kContext, EventField::kReward});

// Somebody else's lines.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path)
      : path_(path.string()),
        bytes_(SizeOf(path)),
        file_(OpenToRead(path)),
        lines_(file_) {}

  bool Next(PastEvent& event) {
    std::string_view line;
    do {
      if (lines_.Next(line) == LineReader::Found::kEnd) return false;
    } while (line.find_first_not_of(" \t\r") == line.npos);
    fields_.Parse(line, kFieldsOfOthers);
    Take(event);
    return true;
  }

  std::string Place() const {
    return fmt::format("{}, line {}", path_, lines_.lines());
  }
  double Progress() const {
    return bytes_ == 0 ? 0
                       : static_cast<double>(lines_.bytes()) /
                             static_cast<double>(bytes_);
  }

 private:
  void Take(PastEvent& event) {
    fields_.Require(EventField::kReward);
    const bool has_features = fields_.Has(EventField::kFeatures);
    if (!has_features) fields_.Require(EventField::kArm);
    if (has_features && fields_.features.empty()) {
      throw Error(ErrorCode::kCorrupt, R"("features" has no values)");
    }
    event.kind = PastEvent::Kind::kReward;
    event.line = lines_.lines();
    event.learner.reset();
    if (fields_.Has(EventField::kLearner)) {
      event.learner = std::visit(
          [](const auto& key) { return LearnerKey(key); }, fields_.learner);
    }
    event.arm.reset();
    if (fields_.Has(EventField::kArm)) event.arm = std::move(fields_.arm);
    event.features.clear();
    if (has_features) std::swap(event.features, fields_.features);
    event.context.clear();
    if (fields_.Has(EventField::kContext)) {
      std::swap(event.context, fields_.context);
    }
    event.reward = fields_.reward;
  }

  const std::string path_;
  const std::uint64_t bytes_;
  std::ifstream file_;
  LineReader lines_;
  EventFields fields_;
};

// The events of a log.
class Logged {
 public:
  Logged(const std::filesystem::path& path, const LogReadOptions& options)
      : path_(path.string()), reader_(LogReader(path, options)) {}

  bool Next(PastEvent& event) {
    std::variant<JoinedChoice, ChoiceReader::Other> next;
    while (reader_.Next(next)) {
      if (auto* choice = std::get_if<JoinedChoice>(&next)) {
        if (!choice->reward) {
          ++without_reward_;
          continue;
        }
        LoggedDecision& decision = choice->decision;
        event = {.kind = PastEvent::Kind::kReward,
                 .line = choice->line,
                 .learner = std::move(decision.learner),
                 .arm = std::move(decision.arm),
                 .features = std::move(decision.features),
                 .context = std::move(decision.context),
                 .reward = *choice->reward};
        return true;
      }
      std::visit([&](auto& other) { event = Past(other); },
                 std::get<ChoiceReader::Other>(next));
      event.line = reader_.reader().line();
      return true;
    }
    return false;
  }

  std::string Place() const {
    return fmt::format("{}, line {}", path_, reader_.reader().line());
  }
  double Progress() const { return reader_.reader().Progress(); }
  const LogHeader& header() const { return reader_.reader().header(); }
  std::uint64_t without_reward() const { return without_reward_; }

 private:
  static PastEvent Past(LoggedObservation& seen) {
    return {.kind = PastEvent::Kind::kReward,
            .learner = std::move(seen.learner),
            .arm = std::move(seen.arm),
            .features = std::move(seen.features),
            .context = std::move(seen.context),
            .reward = seen.reward};
  }
  static PastEvent Past(LoggedArmChange& change) {
    return {.kind = change.removed ? PastEvent::Kind::kArmRemoved
                                   : PastEvent::Kind::kArm,
            .learner = std::nullopt,
            .arm = std::move(change.arm),
            .features = std::move(change.features),
            .context = {}};
  }

  const std::string path_;
  ChoiceReader reader_;
  std::uint64_t without_reward_ = 0;
};

}  // namespace

struct PastEvents::State {
  State(const std::filesystem::path& path, const LogReadOptions& options) {
    if (IsLog(path)) {
      logged.emplace(path, options);
      header = logged->header();
    } else {
      lines.emplace(path);
    }
  }

  bool Read(PastEvent& event) {
    if (logged) return logged->Next(event);
    try {
      return lines->Next(event);
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("{}: {}", lines->Place(), error.what()));
    }
  }

  std::optional<Logged> logged;
  std::optional<Lines> lines;  // if it is no log
  std::optional<LogHeader> header;
  std::optional<PastEvent> ahead;
};

PastEvents::PastEvents(const std::filesystem::path& path,
                       const LogReadOptions& options)
    : state_(std::make_unique<State>(path, options)) {}
PastEvents::~PastEvents() = default;
PastEvents::PastEvents(PastEvents&&) noexcept = default;
PastEvents& PastEvents::operator=(PastEvents&&) noexcept = default;

const std::optional<LogHeader>& PastEvents::header() const {
  return state_->header;
}

bool PastEvents::Next(PastEvent& event) {
  State& state = *state_;
  if (!state.ahead) return state.Read(event);
  event = std::move(*state.ahead);
  state.ahead.reset();
  return true;
}

const PastEvent* PastEvents::Peek() {
  State& state = *state_;
  PastEvent event;
  if (!state.ahead && state.Read(event)) state.ahead = std::move(event);
  return state.ahead ? &*state.ahead : nullptr;
}

std::uint64_t PastEvents::without_reward() const {
  return state_->logged ? state_->logged->without_reward() : 0;
}

double PastEvents::Progress() const {
  return state_->logged ? state_->logged->Progress()
                        : state_->lines->Progress();
}

void PastEvents::Fail(const Error& error) const {
  const std::string place =
      state_->logged ? state_->logged->Place() : state_->lines->Place();
  throw Error(error.code(), fmt::format("{}: {}", place, error.what()));
}

}  // namespace manyarms
