#include "manyarms/evaluation_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "evaluation/subject.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

ArmId NumberOf(const LoggedArm& arm, Names& names) {
  const auto* name = std::get_if<std::string>(&arm);
  return name != nullptr ? names.Add(*name) : std::get<ArmId>(arm);
}

std::uint64_t LineOf(const EvaluationLog::Event& event) {
  if (const auto* choice = std::get_if<LoggedChoice>(&event)) {
    return choice->line;
  }
  if (const auto* seen = std::get_if<EvaluationLog::Observation>(&event)) {
    return seen->reward.line;
  }
  return std::get<EvaluationLog::Change>(event).line;
}

LoggedChoice ChoiceOf(JoinedChoice& joined, double reward, Names& names) {
  LoggedDecision& decision = joined.decision;
  LoggedChoice choice;
  choice.line = joined.line;
  if (decision.learner) choice.learner = *decision.learner;
  choice.arm = NumberOf(decision.arm, names);
  choice.features = std::move(decision.features);
  choice.context = std::move(decision.context);
  choice.eligible = decision.eligible;
  choice.uniform = decision.uniform;
  choice.probability = decision.probability;
  choice.reward = reward;
  return choice;
}

EvaluationLog::Event EventOf(LoggedArmChange& change, std::uint64_t line,
                             Names& names) {
  return EvaluationLog::Change{.line = line,
                               .arm = NumberOf(change.arm, names),
                               .features = std::move(change.features)};
}

EvaluationLog::Event EventOf(LoggedObservation& seen, std::uint64_t line,
                             Names& names) {
  LoggedChoice reward;
  reward.line = line;
  if (seen.learner) reward.learner = *seen.learner;
  if (seen.arm) reward.arm = NumberOf(*seen.arm, names);
  reward.features = std::move(seen.features);
  reward.context = std::move(seen.context);
  reward.reward = seen.reward;
  return EvaluationLog::Observation{std::move(reward)};
}

EvaluationLog ReadAll(LogReader file, const std::optional<double>& fallback) {
  EvaluationLog log;
  log.header = file.header();
  if (fallback) CheckReward(*fallback, log.header.rewards);
  ChoiceReader reader(std::move(file));
  std::variant<JoinedChoice, ChoiceReader::Other> next;
  while (reader.Next(next)) {
    if (auto* other = std::get_if<ChoiceReader::Other>(&next)) {
      log.events.push_back(std::visit(
          [&](auto& event) {
            return EventOf(event, reader.reader().line(), log.names);
          },
          *other));
      if (std::holds_alternative<LoggedArmChange>(*other)) ++log.changes;
      continue;
    }
    auto& joined = std::get<JoinedChoice>(next);
    if (!joined.reward) ++log.without_reward;
    const std::optional<double> reward =
        joined.reward ? joined.reward : fallback;
    if (!reward) continue;
    ++log.choices;
    if (joined.decision.uniform) ++log.uniform;
    log.events.emplace_back(ChoiceOf(joined, *reward, log.names));
  }
  std::ranges::sort(log.events, {}, LineOf);  // each has a line of its own
  return log;
}

ArmId ArmOf(const EvaluationLog::Event& event) {
  if (const auto* choice = std::get_if<LoggedChoice>(&event)) {
    return choice->arm;
  }
  if (const auto* seen = std::get_if<EvaluationLog::Observation>(&event)) {
    return seen->reward.arm;
  }
  return std::get<EvaluationLog::Change>(event).arm;
}

// A message about an arm with its name in place of the number, which the log
// does not have.
std::string WithName(std::string message, ArmId arm, const Names& names) {
  const std::string* name = names.Find(arm);
  if (name == nullptr) return message;
  const std::string number = fmt::format("arm {}", arm);
  const std::size_t at = message.find(number);
  const std::size_t end = at + number.size();
  if (at == std::string::npos ||
      (end < message.size() && message[end] >= '0' && message[end] <= '9')) {
    return message;
  }
  return message.replace(at, number.size(), fmt::format("arm '{}'", *name));
}

// Calls act(), and puts the log's path before what it throws.
template <class Act>
auto InLog(const EvaluationLog& log, const Act& act) {
  try {
    return act();
  } catch (const Error& error) {
    if (log.path.empty()) throw;
    throw Error(error.code(),
                fmt::format("{}: {}", log.path.string(), error.what()));
  }
}

// The same for what is done with an event.
template <class Act>
void AtEvent(const EvaluationLog& log, const EvaluationLog::Event& event,
             const Act& act) {
  InLog(log, [&] {
    try {
      act();
    } catch (const Error& error) {
      throw Error(error.code(),
                  WithName(error.what(), ArmOf(event), log.names));
    }
  });
}

// Hands the events over: choices and rewards with the number of choices before
// them, changes of arms to `work` itself.
template <class Work, class UseChoice, class UseReward>
void Play(const EvaluationLog& log, const FixedArms& arms, Work& work,
          const UseChoice& use_choice, const UseReward& use_reward,
          const EvaluationProgress& progress) {
  if (!arms.ids.empty()) work.Add(arms.ids, arms.features);
  const auto apply = [&work](const EvaluationLog::Change& change) {
    const std::span<const ArmId> id(&change.arm, 1);
    if (change.features.empty()) {
      work.Remove(id);
      return;
    }
    const FeatureRows row(change.features.data(), 1, change.features.size(),
                          {});
    if (work.Contains(change.arm)) {
      work.Update(id, row);
    } else {
      work.Add(id, row);
    }
  };
  std::uint64_t choices = 0;
  for (const EvaluationLog::Event& event : log.events) {
    if (const auto* choice = std::get_if<LoggedChoice>(&event)) {
      AtEvent(log, event, [&] { use_choice(*choice, choices); });
      ++choices;
      if (progress) {
        progress(static_cast<double>(choices) /
                 static_cast<double>(log.choices));
      }
    } else if (const auto* seen =
                   std::get_if<EvaluationLog::Observation>(&event)) {
      AtEvent(log, event, [&] { use_reward(seen->reward, choices); });
    } else {
      const auto& change = std::get<EvaluationLog::Change>(event);
      AtEvent(log, event, [&] { AtLine(change.line, [&] { apply(change); }); });
    }
  }
}

}  // namespace

EvaluationLog ReadEvaluationLog(const std::filesystem::path& path,
                                const ReadChoicesOptions& options) {
  EvaluationLog log =
      ReadAll(LogReader(path, {.ignore_torn_tail = options.ignore_torn_tail}),
              options.default_reward);
  log.path = path;
  return log;
}

EvaluationLog ReadEvaluationLog(std::istream& in,
                                const ReadChoicesOptions& options) {
  return ReadAll(LogReader(in, {.ignore_torn_tail = options.ignore_torn_tail}),
                 options.default_reward);
}

Evaluation Evaluate(const EvaluationLog& log, const FixedArms& arms,
                    const EvaluationOptions& options, double learn_share,
                    const EvaluationProgress& progress) {
  const std::uint64_t learned = LearnedOf(log.choices, learn_share);
  PolicyEvaluation evaluation(options);
  Play(
      log, arms, evaluation,
      [&](const LoggedChoice& choice, std::uint64_t number) {
        if (number < learned) {
          evaluation.Learn(choice);
        } else {
          evaluation.Evaluate(choice);
        }
      },
      [&](const LoggedChoice& reward, std::uint64_t number) {
        if (number < learned) evaluation.Observe(reward);
      },
      progress);
  return InLog(log, [&] { return evaluation.Result(); });
}

ReplayResult Replay(const EvaluationLog& log, const FixedArms& arms,
                    const ReplayOptions& options,
                    const EvaluationProgress& progress) {
  PolicyReplay replay(options);
  Play(
      log, arms, replay,
      [&](const LoggedChoice& choice, std::uint64_t /*number*/) {
        replay.Offer(choice);
      },
      [&](const LoggedChoice& reward, std::uint64_t /*number*/) {
        replay.Observe(reward);
      },
      progress);
  return InLog(log, [&] { return replay.Result(); });
}

}  // namespace manyarms
