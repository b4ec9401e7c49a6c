// The probabilities of learners' choices.

#include "bandit/probabilities.h"
#include "bandit/uniform_slice.h"
#include "policy/redraws.h"
#include "population/state.h"

namespace manyarms {

// A choice of a learner, to be drawn again. It refers to what was borrowed.
struct Population::State::Poll {
  ChoiceMix mix;
  Drawer drawer;
  Context context;

  Poll(const State& state, const LearnerKey& key, Workspace& workspace,
       Finder* own, const ArmSet* among, Context given)
      : mix{.uniform_share = state.options.explore_uniform,
            .eligible = among != nullptr ? among->size() : state.store.size(),
            .among = among},
        drawer{.questions = *workspace.questions,
               .finder = own != nullptr ? *own : *workspace.finder,
               .posterior = workspace.posterior,
               .seed = state.SeedOf(key)},
        context(given) {}

  Wins Count(std::uint64_t decision, std::uint64_t draws,
             std::span<const Slot> arms) const {
    return CountWins(drawer,
                     {.decision = decision,
                      .count = draws,
                      .among = mix.among,
                      .context = context},
                     arms);
  }
};

// Draws take their time, so other threads may use the learner meanwhile. Its
// finder is borrowed while it cannot learn: a finder must not be asked by less
// knowledge than before.
template <class Answer>
auto Population::State::WithDecision(const LearnerKey& key, DecisionId decision,
                                     const Eligible& eligible, Context context,
                                     const Answer& answer) {
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
  const Poll poll(*this, key, *workspace, own.get(), among, asked.context);
  CheckAsked(asked, basis, poll.mix.eligible, context);
  const Slot slot = store.At(asked.arm);
  CheckChosenAmong(decision, slot, among);
  return answer(poll, asked.number, slot);
}

Probability Population::State::Propensity(const LearnerKey& key,
                                          DecisionId decision,
                                          std::uint64_t draws,
                                          const Eligible& eligible,
                                          Context context) {
  return WithDecision(
      key, decision, eligible, context,
      [&](const Poll& poll, std::uint64_t number, Slot slot) {
        const std::span<const Slot> arm(&slot, 1);
        return ProbabilitiesOf(poll.mix, arm,
                               [&] { return poll.Count(number, draws, arm); })
            .front();
      });
}

// Whether a decision was drawn uniformly depends on its number alone, so it
// need not be remembered.
double Population::State::LoggingProbability(const LearnerKey& key,
                                             DecisionId decision,
                                             std::uint64_t draws,
                                             const Eligible& eligible,
                                             Context context) {
  return WithDecision(key, decision, eligible, context,
                      [&](const Poll& poll, std::uint64_t number, Slot slot) {
                        const UniformSlice uniform(options.explore_uniform,
                                                   SeedOf(key), number);
                        return LoggingProbabilityOf(
                            poll.mix, uniform.has_decision(), draws,
                            [&](std::uint64_t further) {
                              return poll.Count(number, further,
                                                std::span(&slot, 1));
                            });
                      });
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
  const Poll poll(*this, key, *workspace, own.get(),
                  workspace->eligible_arms.Of(eligible), context);
  return ProbabilitiesOf(poll.mix, slots,
                         [&] { return poll.Count(next, draws, slots); });
}

}  // namespace manyarms
