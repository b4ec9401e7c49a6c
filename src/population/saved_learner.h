#ifndef MANYARMS_POPULATION_SAVED_LEARNER_H_
#define MANYARMS_POPULATION_SAVED_LEARNER_H_

#include <cstddef>
#include <span>

#include "base/bytes.h"
#include "manyarms/learner_key.h"
#include "population/learner.h"
#include "posterior/posterior.h"

namespace manyarms {

void SaveKey(ByteWriter& writer, const LearnerKey& key);
LearnerKey LoadKey(ByteReader& reader);

/// Writes and reads learners, one after another, by way of one posterior.
class LearnerFile {
 public:
  /// `posterior` has the population's dimension and regularisation, and keeps
  /// its inverse if the policy needs it. `row_size` is that of a pending
  /// decision's context and features.
  LearnerFile(Posterior posterior, std::size_t row_size,
              std::size_t max_pending)
      : posterior_(std::move(posterior)),
        row_size_(row_size),
        max_pending_(max_pending) {}

  void Save(ByteWriter& writer, const Learner& learner);

  /// Throws Error for values that no learner can have had.
  Learner Load(ByteReader& reader);

 private:
  Posterior posterior_;
  const std::size_t row_size_;
  const std::size_t max_pending_;
};

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_SAVED_LEARNER_H_
