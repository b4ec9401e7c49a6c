#ifndef MANYARMS_POPULATION_LEARNER_H_
#define MANYARMS_POPULATION_LEARNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bandit/pending.h"
#include "population/starting_prior.h"

namespace manyarms {

/// A learner at rest. Most learners are, at any moment, so it is small.
struct Learner {
  std::uint64_t asker = 0;      ///< a number that no other learner ever had
  std::uint64_t rewards = 0;    ///< learned
  std::uint64_t choices = 0;    ///< asked for
  std::uint64_t decisions = 0;  ///< made, pending or not
  /// Its posterior (Posterior::Pack); none while it knows what the prior knows.
  std::unique_ptr<double[]> packed;
  /// What it began with, if it has learned something and the prior is shared.
  std::shared_ptr<const StartingPrior> prior;
  std::unique_ptr<PendingDecisions> pending;  ///< none while none is pending

  bool IsPending(std::uint64_t decision) const {
    return pending && pending->IsPending(decision);
  }

  /// REQUIRES: the decision is pending.
  void Done(std::uint64_t decision) {
    pending->Remove(decision);
    if (pending->size() == 0) pending.reset();
  }
};

/// What all learners have in common at a moment, in that they choose by it.
struct Moment {
  std::uint64_t prior = Basis::kNone;  ///< its number as an asker
  std::uint64_t epoch = Basis::kNone;  ///< of the arms

  /// What a learner's choices are made by.
  Basis BasisOf(const Learner& learner) const {
    return learner.packed ? Basis{.version = learner.rewards, .epoch = epoch}
                          : Basis{.prior = prior, .epoch = epoch};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_LEARNER_H_
