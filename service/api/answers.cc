#include "service/api/answers.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "evaluation/student.h"

namespace manyarms::service {
namespace {

constexpr double kLevel = 0.95;

void WriteMoments(const char* name, const BanditStats::Moments& moments,
                  JsonOutput& output) {
  std::optional<double> mean;
  std::optional<double> low;
  std::optional<double> high;
  const auto count = static_cast<double>(moments.count);
  if (moments.count > 0) mean = moments.sum / count;
  if (moments.count > 1) {
    const double variance =
        std::max(0.0, (moments.squares - count * *mean * *mean) / (count - 1));
    const double half =
        StudentQuantile(kLevel, count - 1) * std::sqrt(variance / count);
    low = *mean - half;
    high = *mean + half;
  }
  output.Name(name)
      .Open('{')
      .Field("count", moments.count)
      .Field("mean", mean)
      .Field("low", low)
      .Field("high", high)
      .Close('}');
}

std::optional<ArmName> PolicyArmOf(const DecisionRow& row) {
  if (!row.policy_arm) return std::nullopt;
  if (row.policy_arm_name.empty()) return *row.policy_arm;
  return row.policy_arm_name;
}

// What is said of an arm that was chosen, without the braces.
void WriteChosen(const DecisionRow& row, bool with_rank, JsonOutput& output) {
  output.Field("decision", row.sequence);
  if (with_rank) output.Field("rank", std::uint64_t{row.rank});
  output.Field("arm", ServedBandit::NameOf(row))
      .Field("score", row.score)
      .Field("eligible", row.eligible)
      .Field("uniform", row.uniform);
  if (row.probability) output.Field("probability", *row.probability);
  if (const auto arm = PolicyArmOf(row)) output.Field("policy_arm", *arm);
}

const char* NameOf(RewardKind kind) {
  switch (kind) {
    case RewardKind::kLearned:
      return "learned";
    case RewardKind::kDefault:
      return "default";
    case RewardKind::kPart:
      return "part";
    case RewardKind::kLate:
      return "late";
    case RewardKind::kActivated:
      return "activated";
    case RewardKind::kDismissed:
      return "dismissed";
    case RewardKind::kObserved:
      return "observed";
  }
  return "";
}

bool HasReward(RewardKind kind) {
  return kind != RewardKind::kActivated && kind != RewardKind::kDismissed;
}

}  // namespace

void WriteStats(const BanditStats& stats, JsonOutput& output) {
  output.Field("arms", stats.arms)
      .Field("learners", stats.learners)
      .Field("open_decisions", stats.open_decisions)
      .Field("counted_since", stats.counted_since)
      .Field("choices", stats.choices)
      .Field("rewards", stats.rewards)
      .Field("default_rewards", stats.default_rewards)
      .Field("late_rewards", stats.late_rewards)
      .Field("dismissed", stats.dismissed)
      .Field("observed", stats.observed)
      .Field("repeated_events", stats.repeated_events)
      .Field("compared", stats.compared)
      .Field("agreed", stats.agreed);
  WriteMoments("policy", stats.policy, output);
  WriteMoments("uniform", stats.uniform, output);
}

void WriteDescription(const ServedBandit& bandit, JsonOutput& output) {
  output.Open('{').Field("name", bandit.name()).Name("settings");
  output.Raw(ToJson(bandit.settings())).Name("stats").Open('{');
  WriteStats(bandit.stats(), output);
  output.Close('}').Close('}');
}

void WriteArm(const ArmInfo& arm, JsonOutput& output) {
  output.Open('{')
      .Field("arm", arm.arm)
      .Field("features", arm.features)
      .Field("tags", arm.tags)
      .Close('}');
}

void WriteChoice(const ChoiceRequest& request, bool repeated,
                 const std::vector<DecisionRow>& decisions,
                 JsonOutput& output) {
  const DecisionRow& first = decisions.front();
  output.Open('{')
      .Field("learner", first.learner)
      .Field("event", first.event)
      .Field("repeated", repeated);
  if (request.slate) {
    output.Name("decisions").Open('[');
    for (const DecisionRow& row : decisions) {
      output.Open('{');
      WriteChosen(row, true, output);
      output.Close('}');
    }
    output.Close(']');
  } else {
    WriteChosen(first, false, output);
  }
  output.Field("time", first.time).Close('}');
}

void WriteReward(const RewardAnswer& answer, JsonOutput& output) {
  output.Open('{')
      .Field("decision", answer.decision)
      .Field("learned", answer.learned);
  if (!answer.learned && !answer.reason.empty()) {
    output.Field("reason", answer.reason);
  }
  output.Close('}');
}

namespace {

// A decision becomes active when somebody says so, and by a reward in time.
bool IsActive(const DecisionRow& decision,
              const std::vector<RewardRow>& rewards) {
  return decision.active ||
         std::ranges::any_of(rewards, [](const RewardRow& row) {
           return row.kind == RewardKind::kActivated ||
                  row.kind == RewardKind::kLearned ||
                  row.kind == RewardKind::kPart;
         });
}

}  // namespace

void WriteDecision(const DecisionRow& decision,
                   const std::vector<RewardRow>& rewards, JsonOutput& output) {
  output.Open('{');
  output.Field("learner", decision.learner).Field("event", decision.event);
  WriteChosen(decision, true, output);
  output.Field("slate", std::uint64_t{decision.slate})
      .Field("active", IsActive(decision, rewards))
      .Field("time", decision.time)
      .Field("features", decision.features)
      .Field("context", decision.context)
      .Name("rewards")
      .Open('[');
  for (const RewardRow& row : rewards) {
    const std::optional<double> reward =
        HasReward(row.kind) ? std::optional(row.reward) : std::nullopt;
    output.Open('{')
        .Field("reward", reward)
        .Field("kind", NameOf(row.kind))
        .Field("id", row.id)
        .Field("time", row.time)
        .Close('}');
  }
  output.Close(']').Close('}');
}

}  // namespace manyarms::service
