#include "manyarms/bandit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bandit/state.h"
#include "base/check.h"

namespace manyarms {
namespace {

void CheckRewards(const RewardScale& scale, std::span<const double> rewards,
                  std::size_t count, const char* one, const char* several) {
  if (rewards.size() != count) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} rewards given for {} {}", rewards.size(), count,
                            count == 1 ? one : several));
  }
  for (const double reward : rewards) scale.Check(reward);
}

}  // namespace

Bandit::Bandit(const BanditOptions& options)
    : Bandit(std::make_unique<State>(options)) {}
Bandit::Bandit(std::unique_ptr<State> state) : state_(std::move(state)) {}
Bandit::~Bandit() = default;
Bandit::Bandit(Bandit&&) noexcept = default;
Bandit& Bandit::operator=(Bandit&&) noexcept = default;

void Bandit::Reserve(std::size_t arms) { state_->store.Reserve(arms); }

void Bandit::Add(std::span<const ArmId> ids, const FeatureRows& features) {
  State& state = *state_;
  state.Announce(
      state.scale.changes_features()
          ? state.store.Add(ids, state.scale.InnerRows(ids.size(), features))
          : state.store.Add(ids, features));
}

void Bandit::Add(std::span<const ArmId> ids, std::span<const float> features) {
  CheckRowCount(features.size(), ids.size(), dim());
  Add(ids, FeatureRows(features.data(), ids.size(), dim(),
                       {.row = static_cast<std::ptrdiff_t>(dim())}));
}

void Bandit::Add(ArmId id, std::span<const float> features) {
  CheckFeatures(features, dim());
  Add(std::span(&id, 1), features);
}

void Bandit::Remove(std::span<const ArmId> ids) {
  state_->Remove(state_->store.DistinctSlots(ids));
}

void Bandit::Remove(ArmId id) {
  const Slot slot = state_->store.At(id);
  state_->Remove(std::span(&slot, 1));
}

// Arms keep their slots, so that Ids does not change.
void Bandit::Update(std::span<const ArmId> ids, const FeatureRows& features) {
  State& state = *state_;
  const std::vector<float> rows = state.scale.InnerRows(ids.size(), features);
  state.Replace(state.store.DistinctSlots(ids), rows);
}

Decision Bandit::Choose(const Eligible& eligible, Context context) {
  state_->model.Check(context);
  State& state = *state_;
  const ArmSet* among = state.eligible_arms.Of(eligible);
  return state.Decide(
      state.ChooseAmong(state.pending.last() + 1, among, context),
      state.CountEligible(among), context);
}

std::vector<Decision> Bandit::ChooseBest(std::size_t count,
                                         const Eligible& eligible,
                                         Context context) {
  CheckCount("number of choices (at most max_pending)", count, 0,
             state_->options.max_pending);
  state_->model.Check(context);
  if (count == 0) return {};
  const ArmSet* among = state_->eligible_arms.Of(eligible);
  const TopRequest request{.count = std::min(count, size()), .among = among};
  return state_->DecideAll(state_->ChooseSlate(request, context),
                           state_->CountEligible(among), context);
}

std::vector<Decision> Bandit::ChooseDraws(std::size_t count,
                                          const Eligible& eligible,
                                          std::span<const float> contexts) {
  CheckCount("number of choices (at most max_pending)", count, 0,
             state_->options.max_pending);
  const ContextModel& model = state_->model;
  model.CheckOneOrAll(contexts, count);
  if (count == 0) return {};
  const ArmSet* among = state_->eligible_arms.Of(eligible);
  std::vector<State::Chosen> chosen;
  chosen.reserve(count);
  const DecisionId first = state_->pending.last() + 1;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(
        state_->ChooseAmong(first + i, among, model.At(contexts, i)));
  }
  return state_->DecideAll(chosen, state_->CountEligible(among), contexts);
}

Probability Bandit::Propensity(DecisionId decision, std::uint64_t draws,
                               const Eligible& eligible, Context context) {
  CheckDraws(draws);
  const State::Redrawable redrawable =
      state_->ToRedraw(decision, eligible, context);
  return state_
      ->Propensities(redrawable.Draws(draws), std::span(&redrawable.slot, 1))
      .front();
}

Probability Bandit::Propensity(const Decision& decision, std::uint64_t draws,
                               const Eligible& eligible, Context context) {
  CheckPending(decision);
  return Propensity(decision.id, draws, eligible, context);
}

double Bandit::LoggingProbability(DecisionId decision, std::uint64_t draws,
                                  const Eligible& eligible, Context context) {
  CheckDraws(draws);
  return state_->LoggingProbability(
      state_->ToRedraw(decision, eligible, context), draws);
}

double Bandit::LoggingProbability(const Decision& decision, std::uint64_t draws,
                                  const Eligible& eligible, Context context) {
  CheckPending(decision);
  return LoggingProbability(decision.id, draws, eligible, context);
}

std::vector<Probability> Bandit::Propensities(std::span<const ArmId> arms,
                                              std::uint64_t draws,
                                              const Eligible& eligible,
                                              Context context) {
  State& state = *state_;
  CheckDraws(draws);
  state.model.Check(context);
  const std::vector<Slot> slots = state.store.DistinctSlots(arms);
  const ArmSet* among = state.eligible_arms.Of(eligible);
  return state.Propensities({.decision = state.pending.last() + 1,
                             .count = draws,
                             .among = among,
                             .context = context},
                            slots);
}

void Bandit::Learn(DecisionId decision, double reward) {
  State& state = *state_;
  state_->scale.Check(reward);
  state.model.LearnRow(state.posterior, state.pending.Features(decision),
                       state.scale.Inner(reward));
  state.pending.Remove(decision);
}

void Bandit::Learn(const Decision& decision, double reward) {
  CheckPending(decision);
  Learn(decision.id, reward);
}

void Bandit::Learn(std::span<const DecisionId> decisions,
                   std::span<const double> rewards) {
  CheckRewards(state_->scale, rewards, decisions.size(), "decision",
               "decisions");
  for (const DecisionId decision : decisions) {
    state_->pending.Features(decision);
  }
  CheckDistinct("decision", decisions);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    Learn(decisions[i], rewards[i]);
  }
}

void Bandit::Dismiss(DecisionId decision) {
  state_->pending.Features(decision);
  state_->pending.Remove(decision);
}

void Bandit::CheckPending(const Decision& decision) const {
  state_->pending.Features(decision.id);
  state_->pending.CheckArm(decision.id, decision.arm);
}

std::size_t Bandit::pending() const { return state_->pending.size(); }

void Bandit::Observe(ArmId id, double reward, Context context) {
  State& state = *state_;
  state_->scale.Check(reward);
  state.model.Check(context);
  state.store.CopyFeatures(state.ToObserve(id), state.features);
  state.Learn(state.features, reward, context);
}

void Bandit::Observe(std::span<const ArmId> ids,
                     std::span<const double> rewards,
                     std::span<const float> contexts) {
  CheckRewards(state_->scale, rewards, ids.size(), "arm", "arms");
  state_->model.CheckAll(contexts, ids.size());
  for (const ArmId id : ids) state_->ToObserve(id);
  const std::size_t p = state_->model.context_dim();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Observe(ids[i], rewards[i], contexts.subspan(i * p, p));
  }
}

void Bandit::Observe(std::span<const float> features, double reward,
                     Context context) {
  CheckFeatures(features, dim());
  state_->scale.Check(reward);
  state_->model.Check(context);
  state_->Learn(state_->scale.InnerFeatures(features), reward, context);
}

void Bandit::Forget(double share) {
  CheckForget(share, state_->options.policy);
  state_->posterior.Forget(share);
}

bool Bandit::Contains(ArmId id) const {
  return state_->store.Find(id).has_value();
}

std::vector<ArmId> Bandit::Ids() const { return state_->store.Ids(); }

const Catalogue& Bandit::catalogue() const { return state_->catalogue; }

std::vector<float> Bandit::Features(std::span<const ArmId> ids) const {
  const State& state = *state_;
  std::vector<float> inner(state.store.dim());
  std::vector<float> rows;
  rows.reserve(ids.size() * dim());
  for (const ArmId id : ids) {
    state.store.CopyFeatures(state.store.At(id), inner);
    state.scale.AppendOuter(inner, rows);
  }
  return rows;
}

std::vector<double> Bandit::Scores(std::span<const ArmId> ids,
                                   Context context) const {
  const State& state = *state_;
  state.model.Check(context);
  const Eigen::VectorXd mean = state.MeanIn(context);
  std::vector<float> inner(state.store.dim());
  std::vector<double> scores;
  scores.reserve(ids.size());
  for (const ArmId id : ids) {
    state.store.CopyFeatures(state.store.At(id), inner);
    scores.push_back(state.PredictInner(mean, inner));
  }
  return scores;
}

std::vector<double> Bandit::Uncertainty(std::span<const ArmId> ids,
                                        Context context) const {
  const State& state = *state_;
  state.model.Check(context);
  std::vector<float> inner(state.store.dim());
  std::vector<double> uncertainty;
  uncertainty.reserve(ids.size());
  for (const ArmId id : ids) {
    state.store.CopyFeatures(state.store.At(id), inner);
    uncertainty.push_back(state.scale.OuterDifference(
        state.policy->exploration() *
        state.model.Width(state.posterior, context, inner)));
  }
  return uncertainty;
}

std::vector<double> Bandit::Mean() const {
  const Eigen::VectorXd mean = state_->posterior.Mean();
  return state_->scale.OuterMean({mean.data(), state_->model.coefficients()});
}

std::size_t Bandit::size() const { return state_->store.size(); }
std::size_t Bandit::dim() const { return state_->options.dim; }
const BanditOptions& Bandit::options() const { return state_->options; }

double Bandit::Predict(std::span<const float> features, Context context) const {
  CheckFeatures(features, dim());
  state_->model.Check(context);
  return state_->Predict(state_->MeanIn(context), features);
}

std::vector<double> Bandit::Predict(const FeatureRows& features,
                                    std::span<const float> contexts) const {
  CheckShape(features, features.rows(), dim());
  const ContextModel& model = state_->model;
  model.CheckOneOrAll(contexts, features.rows());
  const Eigen::VectorXd coefficients = state_->posterior.Mean();
  Eigen::VectorXd mean = coefficients;
  std::vector<float> row(dim());
  std::vector<double> rewards(features.rows());
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    features.Copy(i, row);
    CheckRow(row, i, features);
    const bool is_new = i == 0 || contexts.size() > model.context_dim();
    if (model.has_contexts() && is_new) {
      mean = model.Direction(coefficients, model.At(contexts, i));
    }
    rewards[i] = state_->Predict(mean, row);
  }
  return rewards;
}

PolicyStats Bandit::stats() const {
  PolicyStats stats = state_->policy->stats();
  const CompactCopy* copy = state_->store.compact_copy();
  if (copy != nullptr) stats.compact_bytes = copy->memory_bytes();
  return stats;
}

}  // namespace manyarms
