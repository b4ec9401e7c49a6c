#include "manyarms/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "bandit/probabilities.h"
#include "base/check.h"
#include "population/state.h"

namespace manyarms {
namespace {

void CheckRewards(const RewardScale& scale, std::size_t decisions,
                  std::span<const double> rewards) {
  if (rewards.size() != decisions) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} rewards given for {} decisions", rewards.size(),
                            decisions));
  }
  for (const double reward : rewards) scale.Check(reward);
}

// Decisions of two learners may have the same id, if rarely.
void CheckDistinctPairs(std::span<const LearnerKey> learners,
                        std::span<const DecisionId> decisions) {
  std::vector<std::size_t> order(decisions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto pair = [&](std::size_t i) {
    return std::tie(decisions[i], learners[i]);
  };
  std::ranges::sort(order, {}, pair);
  const auto twice = std::ranges::adjacent_find(order, {}, pair);
  if (twice != order.end()) {
    throw Error(ErrorCode::kDuplicateId,
                fmt::format("decision {} is given twice", decisions[*twice]));
  }
}

}  // namespace

Population::Population(const PopulationOptions& options)
    : state_(std::make_unique<State>(options)) {}
Population::~Population() = default;
Population::Population(Population&&) noexcept = default;
Population& Population::operator=(Population&&) noexcept = default;

void Population::Reserve(std::size_t arms) {
  const std::scoped_lock lock(state_->changing_arms);
  state_->store.Reserve(arms);
}

void Population::Add(std::span<const ArmId> ids, const FeatureRows& features) {
  State& state = *state_;
  const std::scoped_lock lock(state.changing_arms);
  state.index->Add(
      state.scale.changes_features()
          ? state.store.Add(ids, state.scale.InnerRows(ids.size(), features))
          : state.store.Add(ids, features));
}

void Population::Add(std::span<const ArmId> ids,
                     std::span<const float> features) {
  CheckRowCount(features.size(), ids.size(), dim());
  Add(ids, FeatureRows(features.data(), ids.size(), dim(),
                       {.row = static_cast<std::ptrdiff_t>(dim())}));
}

void Population::Add(ArmId id, std::span<const float> features) {
  CheckFeatures(features, dim());
  Add(std::span(&id, 1), features);
}

void Population::Remove(std::span<const ArmId> ids) {
  const std::scoped_lock lock(state_->changing_arms);
  const std::vector<Slot> slots = state_->store.DistinctSlots(ids);
  state_->store.Remove(slots);
  state_->index->Remove(slots);
}

void Population::Remove(ArmId id) { Remove(std::span(&id, 1)); }

void Population::Update(std::span<const ArmId> ids,
                        const FeatureRows& features) {
  State& state = *state_;
  const std::scoped_lock lock(state.changing_arms);
  const std::vector<float> rows = state.scale.InnerRows(ids.size(), features);
  const std::vector<Slot> slots = state.store.DistinctSlots(ids);
  state.store.Replace(slots, rows);
  state.index->Replace(slots);
}

bool Population::Contains(ArmId id) const {
  return state_->catalogue.Contains(id);
}
std::vector<ArmId> Population::Ids() const { return state_->catalogue.Ids(); }
std::size_t Population::size() const { return state_->catalogue.size(); }
std::size_t Population::dim() const { return state_->options.dim; }
const PopulationOptions& Population::options() const { return state_->options; }
const Catalogue& Population::catalogue() const { return state_->catalogue; }

Decision Population::Choose(const LearnerKey& learner, const Eligible& eligible,
                            Context context) {
  state_->model.Check(context);
  return state_->Choose(learner, {.eligible = eligible, .context = context})
      .front();
}

std::vector<Decision> Population::ChooseBest(const LearnerKey& learner,
                                             std::size_t count,
                                             const Eligible& eligible,
                                             Context context) {
  CheckCount("number of choices (at most max_pending)", count, 0,
             state_->options.max_pending);
  state_->model.Check(context);
  if (count == 0) return {};
  return state_->Choose(learner, {.count = count,
                                  .slate = true,
                                  .eligible = eligible,
                                  .context = context});
}

std::vector<Decision> Population::ChooseFor(
    std::span<const LearnerKey> learners, std::span<const float> contexts) {
  state_->model.CheckAll(contexts, learners.size());
  const std::size_t p = state_->model.context_dim();
  std::vector<Decision> decisions(learners.size());
  if (learners.empty()) return decisions;
  if (size() == 0) {
    throw Error(ErrorCode::kNoArms, "there are no arms to choose from");
  }
  LearnerTable::ForEachOf(learners, [&](std::size_t i) {
    decisions[i] = Choose(learners[i], {}, contexts.subspan(i * p, p));
  });
  return decisions;
}

Probability Population::Propensity(const LearnerKey& learner,
                                   DecisionId decision, std::uint64_t draws,
                                   const Eligible& eligible, Context context) {
  CheckDraws(draws);
  if (!context.empty()) state_->model.Check(context);
  return state_->Propensity(learner, decision, draws, eligible, context);
}

Probability Population::Propensity(const LearnerKey& learner,
                                   const Decision& decision,
                                   std::uint64_t draws,
                                   const Eligible& eligible, Context context) {
  state_->CheckPending(learner, decision);
  return Propensity(learner, decision.id, draws, eligible, context);
}

double Population::LoggingProbability(const LearnerKey& learner,
                                      DecisionId decision, std::uint64_t draws,
                                      const Eligible& eligible,
                                      Context context) {
  CheckDraws(draws);
  if (!context.empty()) state_->model.Check(context);
  return state_->LoggingProbability(learner, decision, draws, eligible,
                                    context);
}

double Population::LoggingProbability(const LearnerKey& learner,
                                      const Decision& decision,
                                      std::uint64_t draws,
                                      const Eligible& eligible,
                                      Context context) {
  state_->CheckPending(learner, decision);
  return LoggingProbability(learner, decision.id, draws, eligible, context);
}

std::vector<Probability> Population::Propensities(const LearnerKey& learner,
                                                  std::span<const ArmId> arms,
                                                  std::uint64_t draws,
                                                  const Eligible& eligible,
                                                  Context context) {
  CheckDraws(draws);
  state_->model.Check(context);
  return state_->Propensities(learner, arms, draws, eligible, context);
}

void Population::LearnFor(std::span<const LearnerKey> learners,
                          std::span<const DecisionId> decisions,
                          std::span<const double> rewards) {
  if (decisions.size() != learners.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} decisions given for {} learners",
                            decisions.size(), learners.size()));
  }
  CheckRewards(state_->scale, decisions.size(), rewards);
  CheckDistinctPairs(learners, decisions);
  LearnerTable::ForEachOf(learners, [&](std::size_t i) {
    state_->learners.Look(learners[i], [&](const Learner* found) {
      if (found == nullptr) LearnerTable::FailUnknown(learners[i]);
      state_->PendingNumber(learners[i], *found, decisions[i]);
    });
  });
  LearnerTable::ForEachOf(learners, [&](std::size_t i) {
    state_->Learn(learners[i], decisions.subspan(i, 1), rewards.subspan(i, 1));
  });
  state_->CountRewards(rewards.size());
}

void Population::Learn(const LearnerKey& learner, DecisionId decision,
                       double reward) {
  Learn(learner, std::span(&decision, 1), std::span(&reward, 1));
}

void Population::Learn(const LearnerKey& learner,
                       std::span<const DecisionId> decisions,
                       std::span<const double> rewards) {
  CheckRewards(state_->scale, decisions.size(), rewards);
  state_->Learn(learner, decisions, rewards);
  state_->CountRewards(rewards.size());
}

void Population::Dismiss(const LearnerKey& learner, DecisionId decision) {
  state_->learners.ChangeExisting(learner, [&](Learner& found) {
    found.Done(state_->PendingNumber(learner, found, decision));
  });
}

void Population::Observe(const LearnerKey& learner, ArmId id, double reward,
                         Context context) {
  state_->scale.Check(reward);
  state_->model.Check(context);
  state_->Observe(learner, state_->InnerFeatures(std::span(&id, 1)), reward,
                  context);
  state_->CountRewards(1);
}

void Population::Observe(const LearnerKey& learner,
                         std::span<const float> features, double reward,
                         Context context) {
  CheckFeatures(features, dim());
  state_->scale.Check(reward);
  state_->model.Check(context);
  state_->Observe(learner, state_->scale.InnerFeatures(features), reward,
                  context);
  state_->CountRewards(1);
}

std::vector<double> Population::Mean(const LearnerKey& learner) const {
  const Eigen::VectorXd mean = state_->WithPosterior(
      learner,
      [](const Workspace& workspace) { return workspace.posterior.Mean(); });
  return state_->scale.OuterMean({mean.data(), state_->model.coefficients()});
}

double Population::Predict(const LearnerKey& learner,
                           std::span<const float> features,
                           Context context) const {
  CheckFeatures(features, dim());
  return state_->Predict(state_->MeanOf(learner, context),
                         state_->scale.InnerFeatures(features));
}

std::vector<double> Population::Predict(const LearnerKey& learner,
                                        const FeatureRows& features,
                                        std::span<const float> contexts) const {
  const State& state = *state_;
  state.model.CheckOneOrAll(contexts, features.rows());
  const std::vector<float> rows =
      state.scale.InnerRows(features.rows(), features);
  if (contexts.size() == state.model.context_dim()) {
    return state.PredictRows(state_->MeanOf(learner, contexts), rows);
  }
  const Eigen::VectorXd coefficients = state_->WithPosterior(
      learner,
      [](const Workspace& workspace) { return workspace.posterior.Mean(); });
  const std::size_t inner = state.store.dim();
  std::vector<double> rewards;
  rewards.reserve(features.rows());
  for (std::size_t i = 0; i < features.rows(); ++i) {
    rewards.push_back(state.Predict(
        state.model.Direction(coefficients, state.model.At(contexts, i)),
        std::span(rows).subspan(i * inner, inner)));
  }
  return rewards;
}

std::vector<float> Population::Features(std::span<const ArmId> ids) const {
  const State& state = *state_;
  const std::vector<float> inner = state.InnerFeatures(ids);
  const std::size_t width = state.store.dim();
  std::vector<float> rows;
  rows.reserve(ids.size() * dim());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    state.scale.AppendOuter(std::span(inner).subspan(i * width, width), rows);
  }
  return rows;
}

std::vector<double> Population::Scores(const LearnerKey& learner,
                                       std::span<const ArmId> ids,
                                       Context context) const {
  return state_->PredictRows(state_->MeanOf(learner, context),
                             state_->InnerFeatures(ids));
}

std::vector<double> Population::Uncertainty(const LearnerKey& learner,
                                            std::span<const ArmId> ids,
                                            Context context) const {
  const State& state = *state_;
  state.model.Check(context);
  const std::vector<float> rows = state.InnerFeatures(ids);
  const std::size_t inner = state.store.dim();
  return state_->WithPosterior(learner, [&](const Workspace& workspace) {
    std::vector<double> uncertainty;
    uncertainty.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      uncertainty.push_back(state.scale.OuterDifference(
          workspace.questions->exploration() *
          state.model.Width(workspace.posterior, context,
                            std::span(rows).subspan(i * inner, inner))));
    }
    return uncertainty;
  });
}

bool Population::Knows(const LearnerKey& learner) const {
  return state_->learners.Look(
      learner, [](const Learner* found) { return found != nullptr; });
}

LearnerInfo Population::Describe(const LearnerKey& learner) const {
  return state_->learners.Look(learner, [&](const Learner* found) {
    if (found == nullptr) LearnerTable::FailUnknown(learner);
    return LearnerInfo{.choices = found->choices,
                       .decisions = found->decisions,
                       .rewards = found->rewards,
                       .pending = found->pending ? found->pending->size() : 0};
  });
}

// Its finder is destroyed when nobody can borrow it any more.
void Population::Forget(const LearnerKey& learner) {
  const Learner forgotten = state_->learners.Take(learner);
  state_->finders.Forget(forgotten.asker);
}

void Population::Forget(const LearnerKey& learner, double share) {
  CheckForget(share, state_->options.policy);
  if (state_->prior.is_shared()) {
    throw Error(ErrorCode::kUnsupported,
                "a learner with a shared prior cannot forget a share: the "
                "prior is learned from all rewards of learners");
  }
  state_->Forget(learner, share);
}

std::vector<LearnerKey> Population::Learners() const {
  std::vector<LearnerKey> keys;
  state_->learners.ForEachShard(
      [&](std::size_t count) { keys.reserve(keys.size() + count); },
      [&](const LearnerKey& key, const Learner&) { keys.push_back(key); });
  std::ranges::sort(keys);
  return keys;
}

std::size_t Population::learners() const { return state_->learners.size(); }

BanditOptions Population::LoneOptions(const LearnerKey& learner) const {
  BanditOptions options = state_->LoneOptions(state_->SeedOf(learner));
  if (state_->prior.is_shared()) {
    options.prior = state_->PriorOf(learner)->prior;
  }
  return options;
}

GaussianPrior Population::Prior() const {
  const std::shared_ptr<const StartingPrior> now = state_->prior.Now();
  return now->prior ? *now->prior : IsotropicPrior(now->fresh);
}

bool Population::LearnPrior() {
  if (!state_->prior.is_shared()) {
    throw Error(ErrorCode::kUnsupported,
                "the prior of this population is not shared, so there is "
                "nothing to learn it from");
  }
  return state_->LearnPrior();
}

PopulationStats Population::stats() const {
  const State& state = *state_;
  PopulationStats stats;
  stats += state.workspaces.stats();
  stats += state.finders.stats();
  stats.learners = state.learners.size();
  stats.learner_bytes = state.learners.memory_bytes();
  stats.finders = state.finders.size();
  stats.finder_bytes = state.finders.memory_bytes();
  stats.prior_refits = state.prior.refits();
  const auto reading = state.store.ReadLock();
  const CompactCopy* copy = state.store.compact_copy();
  if (copy != nullptr) stats.compact_bytes = copy->memory_bytes();
  return stats;
}

}  // namespace manyarms
