#ifndef MANYARMS_POPULATION_PRIOR_SOURCE_H_
#define MANYARMS_POPULATION_PRIOR_SOURCE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/shared_mutex.h"
#include "population/learner_table.h"
#include "population/starting_prior.h"
#include "posterior/hierarchy.h"

namespace manyarms {

/// What new learners of a population begin with: one prior for ever, or one
/// that is learned from the learners (manyarms::SharedPrior).
///
/// Thread safety: any number of threads.
class PriorSource {
 public:
  /// Makes the fresh posterior of a prior. Throws Error(kInvalidArgument).
  using Make = std::function<Posterior(const std::optional<GaussianPrior>&)>;

  /// Throws Error(kInvalidArgument) for a prior that cannot be used.
  PriorSource(const PopulationPrior& kind, double regularisation,
              LearnerTable& learners, const Make& make);

  bool is_shared() const { return shared_; }

  /// Whether it says more than that coefficients are not too large. Only then
  /// an order of arms by it is worth its price.
  bool is_informative() const { return informative_; }

  /// The prior as it is now.
  std::shared_ptr<const StartingPrior> Now() const;

  /// Makes a prior that some learners have begun with, from a file.
  std::shared_ptr<const StartingPrior> Restored(
      const GaussianPrior& prior) const;

  /// Counts rewards, and learns the prior anew if it is time. Returns what
  /// Learn returns. REQUIRES: the caller holds no lock of a learner.
  std::optional<std::uint64_t> CountRewards(std::size_t count);

  /// Learns the prior from the learners as they are now. If that ends in
  /// numbers that cannot be a prior, or memory runs out, the prior stays as it
  /// was. Otherwise returns the number of the former prior as an asker.
  /// REQUIRES: is_shared(), and as above.
  std::optional<std::uint64_t> Learn();

  std::uint64_t refits() const { return refits_.load(); }

  /// REQUIRES: is_shared().
  void Save(ByteWriter& writer) const;
  void Restore(ByteReader& reader);

 private:
  std::vector<Evidence> CollectEvidence() const;
  std::optional<std::uint64_t> LearnNow();
  std::uint64_t NextRefit(std::uint64_t rewards) const;

  const bool shared_;
  const bool informative_;
  const double growth_;
  const double regularisation_;
  LearnerTable& learners_;
  const Make make_;
  std::atomic<std::uint64_t> rewards_ = 0;
  std::atomic<std::uint64_t> next_refit_;
  std::atomic<std::uint64_t> refits_ = 0;

  SharedMutex learning_{LockLevel::kChanges};  // one thread at a time

  mutable SharedMutex mutex_{LockLevel::kIndex};
  // Both are guarded by mutex_ if the prior is shared. Otherwise there is no
  // hierarchy, and the prior stays.
  std::optional<Hierarchy> hierarchy_;
  std::shared_ptr<const StartingPrior> now_;
};

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_PRIOR_SOURCE_H_
