#include "bandit/state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "kernels/blocks.h"
#include "policy/kinds.h"
#include "search/finder_cache.h"

namespace manyarms {

Bandit::State::State(const BanditOptions& given)
    : options(given),
      scale(ScaleOf(given)),
      model(ModelOf(given)),
      catalogue(scale.inner_dim()),
      store(catalogue.state_->store),
      posterior(StartOf(given)),
      index(MakeSharedIndex(given.policy,
                            model.has_contexts()
                                ? WithinBudget(given.search, kContextOrderBytes)
                                : given.search,
                            store, given.seed)),
      policy(MakePolicy(given.policy, given.search,
                        {.store = store,
                         .posterior = posterior,
                         .index = index.get(),
                         .model = model},
                        given.seed)),
      pending(model.context_dim() + store.dim(), given.max_pending),
      eligible_arms(store),
      features(store.dim()) {
  CheckCount("number of pending decisions", given.max_pending, 1, kMaxPending);
}

Slot Bandit::State::ToObserve(ArmId id) const {
  const std::optional<Slot> slot = store.Find(id);
  if (slot) return *slot;
  throw Error(ErrorCode::kUnknownId,
              fmt::format("there is no arm {}; hand over its features to learn "
                          "of one that is gone",
                          id));
}

Hit Bandit::State::ChooseAmong(const ArmSet* among, Context context) {
  if (among == nullptr) return policy->Choose(context);
  const std::vector<Hit> top =
      policy->ChooseTop({.count = 1, .among = among}, context);
  return top.empty() ? Hit{} : top.front();
}

Decision Bandit::State::Decide(const Hit& hit, Context context) {
  if (hit.slot == kNoSlot) {  // from a forged file, for instance
    throw Error(ErrorCode::kCorrupt,
                "no arm has a score that is a number: what this bandit has "
                "learned cannot be");
  }
  const ArmId arm = store.id(hit.slot);
  const std::span<float> row = pending.Add(arm);
  std::ranges::copy(context, row.begin());
  store.CopyFeatures(hit.slot, row.subspan(context.size()));
  return {.id = pending.last(),
          .arm = arm,
          .score = ScoreIsDifference(options.policy)
                       ? scale.OuterDifference(hit.score)
                       : scale.Outer(hit.score)};
}

std::vector<Decision> Bandit::State::DecideAll(
    const std::vector<Hit>& hits, std::span<const float> contexts) {
  std::vector<Decision> decisions;
  decisions.reserve(hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i) {
    decisions.push_back(Decide(hits[i], model.At(contexts, i)));
  }
  return decisions;
}

void Bandit::State::Learn(std::span<const float> inner, double reward,
                          Context context) {
  model.Learn(posterior, context, inner, scale.Inner(reward));
}

Eigen::VectorXd Bandit::State::MeanIn(Context context) const {
  return model.Direction(posterior.Mean(), context);
}

double Bandit::State::Predict(const Eigen::VectorXd& mean,
                              std::span<const float> given) const {
  return PredictInner(mean, scale.InnerFeatures(given));
}

double Bandit::State::PredictInner(const Eigen::VectorXd& mean,
                                   std::span<const float> inner) const {
  return scale.Outer(ContextModel::Predict(mean, inner));
}

void Bandit::State::Announce(std::span<const Slot> slots) {
  if (index) index->Add(slots);
  policy->Add(slots);
}

void Bandit::State::Remove(std::span<const Slot> slots) {
  for (const Slot slot : slots) policy->Remove(slot);
  store.Remove(slots);
  if (index) index->Remove(slots);
}

void Bandit::State::Replace(std::span<const Slot> slots,
                            std::span<const float> inner_rows) {
  for (const Slot slot : slots) policy->Remove(slot);
  store.Replace(slots, inner_rows);
  if (index) index->Replace(slots);
  policy->Add(slots);
}

}  // namespace manyarms
