#ifndef MANYARMS_RESEARCH_BEST_REWARDS_H_
#define MANYARMS_RESEARCH_BEST_REWARDS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "catalogue/arm_store.h"
#include "manyarms/types.h"

namespace manyarms {

/// The sum of products in double, one after the other.
double InnerProduct(std::span<const double> direction,
                    std::span<const float> features);

/// Knows the arms that are present, and finds the highest inner product with
/// each of several directions. It goes through the arms once for all
/// directions, on several threads.
class BestRewards {
 public:
  explicit BestRewards(std::size_t dim) : store_(dim) {}

  void Add(std::span<const ArmId> arms, std::span<const float> features);
  void Remove(std::span<const ArmId> arms);

  /// For each direction the largest InnerProduct that an arm has, to the last
  /// bit; minus infinity if there are no arms.
  std::vector<double> Of(std::span<const std::vector<double>> directions) const;

 private:
  ArmStore store_;
  double longest_ = 0;  // length of the longest arm that there ever was
};

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_BEST_REWARDS_H_
