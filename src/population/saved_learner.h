#ifndef MANYARMS_POPULATION_SAVED_LEARNER_H_
#define MANYARMS_POPULATION_SAVED_LEARNER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "manyarms/learner_key.h"
#include "population/learner.h"
#include "population/prior_source.h"
#include "posterior/posterior.h"

namespace manyarms {

void SaveKey(ByteWriter& writer, const LearnerKey& key);
LearnerKey LoadKey(ByteReader& reader);

/// Writes and reads learners, one after another, by way of one posterior.
class LearnerFile {
 public:
  /// How pending decisions are written.
  struct PendingShape {
    std::size_t row_size;  ///< of a decision's context and features
    std::size_t max_pending;
    PendingFormat format = PendingFormat::kArmAndEligible;
  };
  LearnerFile(const PriorSource& prior, const Moment& now,
              const PendingShape& pending)
      : prior_(prior),
        posterior_(prior.Now()->fresh),
        now_(now),
        pending_(pending) {}

  void Save(ByteWriter& writer, const Learner& learner);

  /// Throws Error for values that no learner can have had.
  Learner Load(ByteReader& reader);

 private:
  void SavePrior(ByteWriter& writer, const StartingPrior& prior);
  std::shared_ptr<const StartingPrior> LoadPrior(ByteReader& reader);

  const PriorSource& prior_;
  Posterior posterior_;
  const Moment now_;
  const PendingShape pending_;
  // Priors have numbers in a file, in the order in which they come. One that
  // several learners have is there once, with the first of them.
  std::map<std::uint64_t, std::uint64_t> number_of_;  // by asker
  std::vector<std::shared_ptr<const StartingPrior>> read_;
};

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_SAVED_LEARNER_H_
