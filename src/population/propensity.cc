// The probabilities of learners' choices.

#include "bandit/probabilities.h"
#include "policy/redraws.h"
#include "population/state.h"

namespace manyarms {
namespace {

// A choice as one of its probabilities is asked for.
struct Ballot {
  std::uint64_t seed;
  double uniform_share;
  Redraws redraws;
};

std::vector<Probability> Ask(Workspace& workspace, Finder* own,
                             const ArmStore& store, const Ballot& ballot,
                             std::span<const Slot> arms) {
  const ArmSet* among = ballot.redraws.among;
  const ChoiceMix mix{
      .uniform_share = ballot.uniform_share,
      .eligible = among != nullptr ? among->size() : store.size(),
      .among = among};
  const Drawer drawer{.questions = *workspace.questions,
                      .finder = own != nullptr ? *own : *workspace.finder,
                      .posterior = workspace.posterior,
                      .seed = ballot.seed};
  return ProbabilitiesOf(
      mix, arms, [&] { return CountWins(drawer, ballot.redraws, arms); });
}

}  // namespace

// Draws take their time, so other threads may use the learner meanwhile. Its
// finder is borrowed while it cannot learn: a finder must not be asked by less
// knowledge than before.
Probability Population::State::Propensity(const LearnerKey& key,
                                          DecisionId decision,
                                          std::uint64_t draws,
                                          const Eligible& eligible,
                                          Context context) {
  const WorkspacePool::Loan workspace = workspaces.Borrow();
  AskedDecision asked;
  Basis basis;
  const FinderCache::Loan own = learners.Look(key, [&](const Learner* learner) {
    if (learner == nullptr) LearnerTable::FailUnknown(key);
    asked = Asked(decision, PendingNumber(key, *learner, decision),
                  *learner->pending, model.context_dim());
    const std::shared_ptr<const StartingPrior> start = prior.Now();
    basis = Moment{.prior = start->asker}.BasisOf(*learner);
    workspace->Become(learner, *start);
    return FinderOf(learner, *start, asked.context);
  });

  // The lock is released before the loans end.
  const auto reading = store.ReadLock();
  basis.epoch = store.members().epoch();
  const ArmSet* among = workspace->eligible_arms.Of(eligible);
  CheckAsked(asked, basis, among != nullptr ? among->size() : store.size(),
             context);
  const Slot slot = store.At(asked.arm);
  CheckChosenAmong(decision, slot, among);
  return Ask(*workspace, own.get(), store,
             {.seed = SeedOf(key),
              .uniform_share = options.explore_uniform,
              .redraws = {.decision = asked.number,
                          .count = draws,
                          .among = among,
                          .context = asked.context}},
             std::span(&slot, 1))
      .front();
}

std::vector<Probability> Population::State::Propensities(
    const LearnerKey& key, std::span<const ArmId> arms, std::uint64_t draws,
    const Eligible& eligible, Context context) {
  const WorkspacePool::Loan workspace = workspaces.Borrow();
  std::uint64_t next = 1;
  const FinderCache::Loan own = learners.Look(key, [&](const Learner* learner) {
    const std::shared_ptr<const StartingPrior> start = prior.Now();
    if (learner != nullptr) next = learner->decisions + 1;
    workspace->Become(learner, *start);
    return FinderOf(learner, *start, context);
  });

  const auto reading = store.ReadLock();
  const std::vector<Slot> slots = store.DistinctSlots(arms);
  const ArmSet* among = workspace->eligible_arms.Of(eligible);
  return Ask(*workspace, own.get(), store,
             {.seed = SeedOf(key),
              .uniform_share = options.explore_uniform,
              .redraws = {.decision = next,
                          .count = draws,
                          .among = among,
                          .context = context}},
             slots);
}

}  // namespace manyarms
