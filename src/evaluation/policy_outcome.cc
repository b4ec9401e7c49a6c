#include "evaluation/policy_outcome.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "evaluation/notes.h"
#include "manyarms/error.h"
#include "manyarms/estimators.h"
#include "policy/kinds.h"

namespace manyarms {
namespace {

PopulationOptions AsPopulation(const BanditOptions& options) {
  return {.dim = options.dim,
          .policy = options.policy,
          .search = options.search,
          .regularisation = options.regularisation,
          .negative_rewards = options.negative_rewards,
          .rewards = options.rewards,
          .forgetting = options.forgetting,
          .explore_uniform = options.explore_uniform,
          .context_dim = options.context_dim,
          .context_constants = options.context_constants,
          .seed = options.seed};
}

Evaluation EvaluationOf(const EvaluationLog& log, const FixedArms& arms,
                        const PolicyOutcomeOptions& options,
                        const EvaluatedOptions& policy, const std::string& name,
                        const EvaluationProgress& progress) {
  EvaluationOptions evaluation{.policy = policy,
                               .uniform_only = options.uniform_only,
                               .draws = options.draws};
  evaluation.estimators.level = options.level;
  if (options.clip != 0) evaluation.estimators.clip = options.clip;
  try {
    return Evaluate(log, arms, evaluation, options.learn_share, progress);
  } catch (const Error& error) {
    // Of several policies, one may choose hardly anything that was logged.
    throw Error(error.code(), fmt::format("{}: {}", name, error.what()));
  }
}

nlohmann::ordered_json Json(const Estimate& estimate) {
  return {{"value", estimate.value},
          {"standard_error", estimate.standard_error},
          {"low", estimate.low},
          {"high", estimate.high}};
}

void AddEvaluation(const Evaluation& result, nlohmann::ordered_json& row) {
  row["learned"] = result.learned;
  row["evaluated"] = result.evaluated;
  row["passed_over"] = result.passed_over;
  row["restricted"] = result.restricted;
  row["certain"] = result.certain;
  row["weights"] = {
      {"mean", result.weights.mean},
      {"largest", result.weights.largest},
      {"effective_sample_size", result.weights.effective_sample_size},
      {"clipped", result.weights.clipped}};
  row["logged_evaluated"] = Json(result.logged);
  row["ips"] = Json(result.inverse_propensity);
  row["snips"] = Json(result.self_normalised);
  row["dr"] = Json(result.doubly_robust);
  row["direct"] = Json(result.direct);
}

}  // namespace

PolicyOutcome OutcomeOf(const EvaluationLog& log, const FixedArms& arms,
                        const PolicyOutcomeOptions& options,
                        const OutcomeProgress& progress) {
  const BanditOptions& bandit = options.policy;
  const bool by_learner = log.header.population && !options.one_learner;
  const EvaluatedOptions policy = by_learner
                                      ? EvaluatedOptions(AsPopulation(bandit))
                                      : EvaluatedOptions(bandit);
  PolicyOutcome outcome{.policy = std::string(PolicyName(bandit.policy)),
                        .search = std::string(SearchName(bandit.search))};
  const auto show = [&](const char* what) -> EvaluationProgress {
    if (!progress) return {};
    return [&progress, stage = fmt::format("{} {}", what, outcome.policy)](
               double done) { progress(stage, done); };
  };
  if (SharesIndex(bandit.policy)) {
    outcome.evaluation = EvaluationOf(log, arms, options, policy,
                                      outcome.policy, show("evaluating"));
    outcome.notes = outcome.evaluation->notes;
  } else if (log.uniform == 0) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} can only be replayed, and the log has no "
                            "uniform choices",
                            outcome.policy));
  }
  if (log.uniform == 0) return outcome;
  try {
    outcome.replay =
        Replay(log, arms, {.policy = policy, .level = options.level},
               show("replaying"));
    if (!outcome.evaluation) {
      outcome.notes = NotesOnRestricted(outcome.replay->restricted);
    }
  } catch (const Error& error) {
    if (!outcome.evaluation) throw;
    outcome.notes.push_back(fmt::format("no replay: {}", error.what()));
  }
  return outcome;
}

Estimate MeanLoggedReward(const EvaluationLog& log, double level) {
  std::vector<double> rewards;
  for (const EvaluationLog::Event& event : log.events) {
    if (const auto* choice = std::get_if<LoggedChoice>(&event)) {
      rewards.push_back(choice->reward);
    }
  }
  return MeanReward(rewards, level);
}

nlohmann::ordered_json ToJson(const EvaluationLog& log, double level,
                              const PolicyOutcome& outcome) {
  nlohmann::ordered_json row;
  row["choices"] = log.choices;
  row["uniform"] = log.uniform;
  row["without_reward"] = log.without_reward;
  row["level"] = level;
  row["logged"] = Json(MeanLoggedReward(log, level));
  row["policy"] = outcome.policy;
  row["search"] = outcome.search;
  if (outcome.evaluation) AddEvaluation(*outcome.evaluation, row);
  if (outcome.replay) {
    row["offered"] = outcome.replay->offered;
    row["replay_restricted"] = outcome.replay->restricted;
    row["matches"] = outcome.replay->matches;
    row["replay"] = Json(outcome.replay->reward);
  }
  row["notes"] = outcome.notes;
  return row;
}

}  // namespace manyarms
