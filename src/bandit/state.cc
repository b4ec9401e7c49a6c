#include "bandit/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bandit/uniform_slice.h"
#include "base/check.h"
#include "kernels/blocks.h"
#include "policy/kinds.h"
#include "search/finder_cache.h"

namespace manyarms {

Bandit::State::State(const BanditOptions& given, const WrapIndex& wrap)
    : options(given),
      scale(ScaleOf(given)),
      model(ModelOf(given)),
      catalogue(scale.inner_dim()),
      store(catalogue.state_->store),
      posterior(StartOf(given)),
      index(wrap(MakeSharedIndex(
          given.policy,
          model.has_contexts() ? WithinBudget(given.search, kContextOrderBytes)
                               : given.search,
          store, given.seed))),
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
  CheckWithin("explore_uniform", given.explore_uniform, 0, 1);
}

Slot Bandit::State::ToObserve(ArmId id) const {
  const std::optional<Slot> slot = store.Find(id);
  if (slot) return *slot;
  throw Error(ErrorCode::kUnknownId,
              fmt::format("there is no arm {}; hand over its features to learn "
                          "of one that is gone",
                          id));
}

Bandit::State::Chosen Bandit::State::ChooseAmong(DecisionId number,
                                                 const ArmSet* among,
                                                 Context context) {
  UniformSlice uniform(options.explore_uniform, options.seed, number);
  if (uniform.has_decision()) {
    policy->Pass();
    return {.hit = {uniform.Draw(store, among, 1).front(), 0}, .uniform = true};
  }
  if (among == nullptr) return {.hit = policy->Choose(context)};
  const std::vector<Hit> top =
      policy->ChooseTop({.count = 1, .among = among}, context);
  return {.hit = top.empty() ? Hit{} : top.front()};
}

std::vector<Bandit::State::Chosen> Bandit::State::ChooseSlate(
    const TopRequest& request, Context context) {
  std::vector<Chosen> slate;
  UniformSlice uniform(options.explore_uniform, options.seed,
                       pending.last() + 1);
  if (uniform.has_decision()) {
    policy->Pass();
    for (const Slot slot : uniform.Draw(store, request.among, request.count)) {
      slate.push_back({.hit = {slot, 0}, .uniform = true});
    }
  } else {
    for (const Hit& hit : policy->ChooseTop(request, context)) {
      slate.push_back({.hit = hit});
    }
  }
  for (std::size_t i = 1; i < slate.size(); ++i) slate[i].follows = true;
  return slate;
}

ArmId Bandit::State::ArmOf(const Chosen& chosen) const {
  if (chosen.hit.slot == kNoSlot) {  // from a forged file, for instance
    throw Error(ErrorCode::kCorrupt,
                "no arm has a score that is a number: what this bandit has "
                "learned cannot be");
  }
  return store.id(chosen.hit.slot);
}

Decision Bandit::State::Decide(const Chosen& chosen, std::size_t eligible,
                               Context context) {
  std::span<float> place;
  const Decision decision =
      Note(chosen, ArmOf(chosen), eligible, context, place);
  store.CopyFeatures(chosen.hit.slot, place);
  return decision;
}

Decision Bandit::State::Decide(const Chosen& chosen, ArmId arm,
                               std::span<const float> inner,
                               std::size_t eligible, Context context) {
  std::span<float> place;
  const Decision decision = Note(chosen, arm, eligible, context, place);
  std::ranges::copy(inner, place.begin());
  return decision;
}

Decision Bandit::State::Note(const Chosen& chosen, ArmId arm,
                             std::size_t eligible, Context context,
                             std::span<float>& place) {
  const std::span<float> row =
      pending.Add({.arm = arm,
                   .eligible = chosen.follows ? 0 : eligible,
                   .basis = BasisNow()});
  std::ranges::copy(context, row.begin());
  place = row.subspan(context.size());
  Decision decision{.id = pending.last(),
                    .arm = arm,
                    .eligible = eligible,
                    .uniform = chosen.uniform};
  if (!chosen.uniform) {
    decision.score = ScoreIsDifference(options.policy)
                         ? scale.OuterDifference(chosen.hit.score)
                         : scale.Outer(chosen.hit.score);
  }
  return decision;
}

std::vector<Decision> Bandit::State::DecideAll(
    const std::vector<Chosen>& chosen, std::size_t eligible,
    std::span<const float> contexts) {
  std::vector<Decision> decisions;
  decisions.reserve(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    decisions.push_back(Decide(chosen[i], eligible, model.At(contexts, i)));
  }
  return decisions;
}

Bandit::State::Redrawable Bandit::State::ToRedraw(DecisionId decision,
                                                  const Eligible& eligible,
                                                  Context context) {
  if (!context.empty()) model.Check(context);
  AskedDecision asked = Asked(decision, decision, pending, model.context_dim());
  const ArmSet* among = eligible_arms.Of(eligible);
  CheckAsked(asked, BasisNow(), CountEligible(among), context);
  const Slot slot = store.At(asked.arm);
  CheckChosenAmong(decision, slot, among);
  return {.asked = std::move(asked), .slot = slot, .among = among};
}

std::vector<Probability> Bandit::State::Propensities(
    const Redraws& redraws, std::span<const Slot> arms) {
  return ProbabilitiesOf(MixAmong(redraws.among), arms,
                         [&] { return policy->CountWins(redraws, arms); });
}

// Whether a decision was drawn uniformly depends on its number alone, so it
// need not be remembered.
double Bandit::State::LoggingProbability(const Redrawable& decision,
                                         std::uint64_t draws) {
  const UniformSlice uniform(options.explore_uniform, options.seed,
                             decision.asked.number);
  return LoggingProbabilityOf(MixAmong(decision.among), uniform.has_decision(),
                              draws, [&](std::uint64_t further) {
                                return policy->CountWins(
                                    decision.Draws(further),
                                    std::span(&decision.slot, 1));
                              });
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
