#ifndef MANYARMS_RESEARCH_VISITS_H_
#define MANYARMS_RESEARCH_VISITS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "manyarms/research/environment.h"
#include "research/true_parameter.h"
#include "research/zipf_law.h"

namespace manyarms {

/// Expected rewards of all arms in one visit: that of x is
/// <direction, x> + constant, or of clicks the Sigmoid of it.
struct RewardFunction {
  std::vector<double> direction;
  double constant = 0;
};

/// Who comes to a synthetic environment, in which contexts, and what they
/// think of arms. Nothing is stored for a learner or a context: all of it is
/// drawn again from their streams whenever it is asked for.
class Visits {
 public:
  explicit Visits(const SyntheticOptions& options);

  Visit At(std::uint64_t step) const;
  /// For whoever comes in the step.
  RewardFunction RewardsAt(std::uint64_t step) const;

 private:
  const SyntheticOptions options_;
  const std::size_t rows_;     // of M; 1 without contexts
  const std::size_t columns_;  // of M
  TrueParameter parameter_;
  ZipfLaw law_;
};

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_VISITS_H_
