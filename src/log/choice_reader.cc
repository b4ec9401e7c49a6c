#include "manyarms/choice_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "log/id_intervals.h"
#include "population/key_hash.h"

namespace manyarms {
namespace {

struct HashKey {
  std::size_t operator()(const LearnerKey& key) const {
    return StableHash(key);
  }
};

// The decisions of one learner.
struct Decisions {
  IdIntervals all;
  std::unordered_map<DecisionId, JoinedChoice> waiting;
};

const LearnerKey& KeyOf(const std::optional<LearnerKey>& learner) {
  static const LearnerKey only = std::uint64_t{0};
  return learner ? *learner : only;
}

}  // namespace

struct ChoiceReader::State {
  explicit State(LogReader given) : reader(std::move(given)) {}

  void Wait(LoggedDecision&& decision) {
    Decisions& of_learner = decisions[KeyOf(decision.learner)];
    if (!of_learner.all.Insert(decision.id)) {
      reader.Fail(ErrorCode::kCorrupt,
                  fmt::format("decision {} is there twice", decision.id));
    }
    const DecisionId id = decision.id;
    of_learner.waiting.emplace(
        id, JoinedChoice{reader.line(), std::move(decision), std::nullopt});
  }

  JoinedChoice Join(const LoggedReward& reward) {
    const auto found = decisions.find(KeyOf(reward.learner));
    if (found == decisions.end() ||
        !found->second.all.Contains(reward.decision)) {
      reader.Fail(ErrorCode::kCorrupt,
                  fmt::format("there is no decision {} before its reward",
                              reward.decision));
    }
    const auto waiting = found->second.waiting.extract(reward.decision);
    if (waiting.empty()) {
      reader.Fail(
          ErrorCode::kCorrupt,
          fmt::format("decision {} has a reward already", reward.decision));
    }
    JoinedChoice choice = std::move(waiting.mapped());
    choice.reward = reward.reward;
    return choice;
  }

  // Moves what waits to `left`, the last one first.
  void Leave() {
    for (auto& [learner, of_learner] : decisions) {
      for (auto& [id, choice] : of_learner.waiting) {
        left.push_back(std::move(choice));
      }
    }
    decisions.clear();
    std::ranges::sort(left, std::ranges::greater(), &JoinedChoice::line);
  }

  LogReader reader;
  std::unordered_map<LearnerKey, Decisions, HashKey> decisions;
  LogEvent event;
  bool at_end = false;
  std::vector<JoinedChoice> left;
};

ChoiceReader::ChoiceReader(LogReader reader)
    : state_(std::make_unique<State>(std::move(reader))) {}
ChoiceReader::~ChoiceReader() = default;
ChoiceReader::ChoiceReader(ChoiceReader&&) noexcept = default;
ChoiceReader& ChoiceReader::operator=(ChoiceReader&&) noexcept = default;

bool ChoiceReader::Next(std::variant<JoinedChoice, Other>& next) {
  State& state = *state_;
  while (!state.at_end && state.reader.Next(state.event)) {
    if (auto* decision = std::get_if<LoggedDecision>(&state.event)) {
      state.Wait(std::move(*decision));
    } else if (auto* reward = std::get_if<LoggedReward>(&state.event)) {
      next = state.Join(*reward);
      return true;
    } else if (auto* seen = std::get_if<LoggedObservation>(&state.event)) {
      next = Other(std::move(*seen));
      return true;
    } else {
      next = Other(std::move(std::get<LoggedArmChange>(state.event)));
      return true;
    }
  }
  if (!state.at_end) state.Leave();
  state.at_end = true;
  if (state.left.empty()) return false;
  next = std::move(state.left.back());
  state.left.pop_back();
  return true;
}

bool ChoiceReader::Next(JoinedChoice& choice) {
  std::variant<JoinedChoice, Other> next;
  while (Next(next)) {
    if (auto* joined = std::get_if<JoinedChoice>(&next)) {
      choice = std::move(*joined);
      return true;
    }
  }
  return false;
}

const LogReader& ChoiceReader::reader() const { return state_->reader; }

namespace {

LoggedChoices ReadAll(LogReader log, const std::optional<double>& fallback) {
  LoggedChoices all;
  all.header = log.header();
  if (fallback) CheckReward(*fallback, all.header.rewards);
  ChoiceReader reader(std::move(log));
  JoinedChoice joined;
  while (reader.Next(joined)) {
    if (!joined.reward) ++all.without_reward;
    if (!joined.reward && !fallback) continue;
    LoggedDecision& decision = joined.decision;
    const auto* name = std::get_if<std::string>(&decision.arm);
    LoggedChoice& choice = all.choices.emplace_back();
    choice.line = joined.line;
    choice.learner = KeyOf(decision.learner);
    choice.arm =
        name != nullptr ? all.names.Add(*name) : std::get<ArmId>(decision.arm);
    choice.features = std::move(decision.features);
    choice.context = std::move(decision.context);
    choice.eligible = decision.eligible;
    choice.uniform = decision.uniform;
    choice.probability = decision.probability;
    choice.reward = joined.reward ? *joined.reward : *fallback;
  }
  return all;
}

}  // namespace

LoggedChoices ReadChoices(const std::filesystem::path& path,
                          const ReadChoicesOptions& options) {
  return ReadAll(
      LogReader(path, {.ignore_torn_tail = options.ignore_torn_tail}),
      options.default_reward);
}

LoggedChoices ReadChoices(std::istream& in, const ReadChoicesOptions& options) {
  return ReadAll(LogReader(in, {.ignore_torn_tail = options.ignore_torn_tail}),
                 options.default_reward);
}

}  // namespace manyarms
