#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bandit/model.h"
#include "base/check.h"
#include "evaluation/choice_order.h"
#include "evaluation/notes.h"
#include "evaluation/subject.h"
#include "manyarms/error.h"
#include "manyarms/evaluation.h"
#include "policy/kinds.h"
#include "policy/questions.h"

namespace manyarms {
namespace {

BanditOptions AsBandit(const BanditOptions& options) { return options; }

BanditOptions AsBandit(const PopulationOptions& options) {
  return Population(options).LoneOptions(std::uint64_t{0});
}

// A policy that draws nothing at random needs one draw.
std::size_t DrawsOf(const EvaluationOptions& options) {
  CheckCount("draws", options.draws, 1, kMaxEvaluationDraws);
  const BanditOptions bandit = std::visit(
      [](const auto& chosen) { return AsBandit(chosen); }, options.policy);
  if (!SharesIndex(bandit.policy)) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} cannot be evaluated by probabilities: its "
                            "choices change its stages; replay it",
                            PolicyName(bandit.policy)));
  }
  const Posterior start = StartOf(bandit);
  const bool is_random =
      bandit.explore_uniform > 0 ||
      MakeQuestions(bandit.policy, start, ModelOf(bandit))->is_random();
  return is_random ? options.draws : 1;
}

}  // namespace

struct PolicyEvaluation::State {
  explicit State(const EvaluationOptions& given)
      : options(given),
        draws(DrawsOf(given)),
        subject(MakeSubject(given.policy)) {
    // Checks the options before any work.
    const std::vector<double> some{0.5, 1};
    InversePropensity({.rewards = some, .logged = some, .target = some},
                      options.estimators);
  }

  void Evaluate(const LoggedChoice& choice);
  double ProbabilityOf(const LoggedChoice& choice) const;
  void CheckProbabilities() const;

  WeightedChoices weighted() const {
    return {.rewards = rewards, .logged = logged, .target = target};
  }

  const EvaluationOptions options;
  const std::size_t draws;
  const std::unique_ptr<Subject> subject;
  std::size_t learned = 0;
  std::size_t passed_over = 0;
  std::size_t restricted = 0;
  std::size_t certain = 0;
  std::size_t uniform = 0;
  std::uint64_t bare_line = 0;  // of a uniform choice without probability
  // Of evaluated choices.
  std::vector<double> rewards;
  std::vector<double> logged;
  std::vector<double> target;
  std::vector<double> logged_predictions;
  std::vector<double> target_predictions;
};

double PolicyEvaluation::State::ProbabilityOf(
    const LoggedChoice& choice) const {
  const double share = 1 / static_cast<double>(choice.eligible);
  if (options.uniform_only) return share;
  if (!choice.probability && !choice.uniform) {
    throw Error(ErrorCode::kInvalidArgument,
                "the choice has no probability; log it with one, or evaluate "
                "uniform choices only");
  }
  const double probability = choice.probability.value_or(share);
  CheckWithin("probability", probability, kMinProbability, 1);
  return probability;
}

void PolicyEvaluation::State::CheckProbabilities() const {
  const std::size_t others = rewards.size() - uniform;
  if (others == 0) return;
  if (bare_line > 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("line {}: the choice is uniform and has no "
                            "probability, which must count in that others are "
                            "not; log it with one, or evaluate uniform choices "
                            "only",
                            bare_line));
  }
  if (certain == others) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("all {} choices that were not uniform were logged "
                            "with probability 1: no other arm had a chance, so "
                            "they tell nothing of another policy; evaluate "
                            "uniform choices only",
                            others));
  }
}

// Each choice gets draws of its own, so that their errors are independent and
// intervals count them in.
void PolicyEvaluation::State::Evaluate(const LoggedChoice& choice) {
  if (options.uniform_only && !choice.uniform) {
    ++passed_over;
    return;
  }
  if (subject->IsRestricted(choice)) {
    ++restricted;
    return;
  }
  subject->Check(choice);
  const double probability = ProbabilityOf(choice);

  std::vector<ArmId> drawn = subject->Draw(choice, draws);
  std::ranges::sort(drawn);
  std::vector<ArmId> arms = drawn;
  // clang 14 cannot compile subranges of this library.
  // NOLINTNEXTLINE(modernize-use-ranges)
  arms.erase(std::unique(arms.begin(), arms.end()), arms.end());
  const std::vector<double> predictions = subject->Predict(choice, arms);
  double expected = 0;
  double agreed = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const auto [begin, end] =  // NOLINTNEXTLINE(modernize-use-ranges)
        std::equal_range(drawn.begin(), drawn.end(), arms[i]);
    const double share =
        static_cast<double>(end - begin) / static_cast<double>(draws);
    expected += share * predictions[i];
    if (arms[i] == choice.arm) agreed = share;
  }
  rewards.push_back(choice.reward);
  logged.push_back(probability);
  target.push_back(agreed);
  logged_predictions.push_back(
      subject->Predict(choice, std::span(&choice.arm, 1)).front());
  target_predictions.push_back(expected);
  if (choice.uniform) {
    ++uniform;
    if (!choice.probability && !options.uniform_only && bare_line == 0) {
      bare_line = choice.line;
    }
  } else if (probability == 1 && choice.eligible > 1) {
    ++certain;
  }
}

PolicyEvaluation::PolicyEvaluation(const EvaluationOptions& options)
    : state_(std::make_unique<State>(options)) {}
PolicyEvaluation::~PolicyEvaluation() = default;
PolicyEvaluation::PolicyEvaluation(PolicyEvaluation&&) noexcept = default;
PolicyEvaluation& PolicyEvaluation::operator=(PolicyEvaluation&&) noexcept =
    default;

void PolicyEvaluation::Add(std::span<const ArmId> ids,
                           const FeatureRows& features) {
  state_->subject->Add(ids, features);
}

void PolicyEvaluation::Remove(std::span<const ArmId> ids) {
  state_->subject->Remove(ids);
}

void PolicyEvaluation::Update(std::span<const ArmId> ids,
                              const FeatureRows& features) {
  state_->subject->Update(ids, features);
}

bool PolicyEvaluation::Contains(ArmId arm) const {
  return state_->subject->Contains(arm);
}

void PolicyEvaluation::Learn(const LoggedChoice& choice) {
  Observe(choice);
  ++state_->learned;
}

void PolicyEvaluation::Observe(const LoggedChoice& reward) {
  AtLine(reward.line, [&] { state_->subject->Observe(reward); });
}

void PolicyEvaluation::Evaluate(const LoggedChoice& choice) {
  AtLine(choice.line, [&] { state_->Evaluate(choice); });
}

Evaluation PolicyEvaluation::Result() const {
  const State& state = *state_;
  const std::size_t evaluated = state.rewards.size();
  if (evaluated == 0 && state.restricted > 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("all {} choices that could be evaluated were made "
                            "from some of the arms only: what another policy "
                            "would have chosen is known only where all arms "
                            "were eligible",
                            state.restricted));
  }
  state.CheckProbabilities();
  const EstimatorOptions& options = state.options.estimators;
  const WeightedChoices choices = state.weighted();
  Evaluation result{
      .learned = state.learned,
      .evaluated = evaluated,
      .passed_over = state.passed_over,
      .restricted = state.restricted,
      .certain = state.certain,
      .weights = SummariseWeights(choices, options),
      .logged = MeanReward(state.rewards, options.level),
      .inverse_propensity = InversePropensity(choices, options),
      .self_normalised = SelfNormalised(choices, options),
      .doubly_robust = DoublyRobust(choices,
                                    {.logged_arm = state.logged_predictions,
                                     .target = state.target_predictions},
                                    options),
      .direct = DirectMethod(state.target_predictions, options.level),
      .notes = {}};
  result.notes = NotesOn(result, state.rewards);
  return result;
}

Evaluation Evaluate(std::span<const LoggedChoice> choices,
                    const FixedArms& arms, const EvaluationOptions& options,
                    double learn_share, const EvaluationProgress& progress) {
  const std::size_t learned = LearnedOf(choices.size(), learn_share);
  PolicyEvaluation evaluation(options);
  evaluation.Add(arms.ids, arms.features);
  const std::vector<const LoggedChoice*> order = InOrder(choices);
  for (const LoggedChoice* choice : std::span(order).first(learned)) {
    evaluation.Learn(*choice);
  }
  for (std::size_t i = learned; i < order.size(); ++i) {
    evaluation.Evaluate(*order[i]);
    if (progress) {
      progress(static_cast<double>(i + 1 - learned) /
               static_cast<double>(order.size() - learned));
    }
  }
  return evaluation.Result();
}

}  // namespace manyarms
