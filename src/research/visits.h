#ifndef MANYARMS_RESEARCH_VISITS_H_
#define MANYARMS_RESEARCH_VISITS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "manyarms/research/environment.h"
#include "research/zipf_law.h"

namespace manyarms {

/// Expected rewards of all arms in one visit: that of x is
/// <direction, x> + constant.
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
  RewardFunction RewardsIn(const Visit& visit) const;

 private:
  // theta*, or M row after row.
  std::vector<double> ParameterOf(std::uint64_t learner) const;

  const SyntheticOptions options_;
  const std::size_t rows_;     // of M; 1 without contexts
  const std::size_t columns_;  // of M
  std::vector<double> common_;
  ZipfLaw law_;
};

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_VISITS_H_
