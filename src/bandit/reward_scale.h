#ifndef MANYARMS_BANDIT_REWARD_SCALE_H_
#define MANYARMS_BANDIT_REWARD_SCALE_H_

#include <cstddef>
#include <span>
#include <vector>

namespace manyarms {

/// How features and rewards stand inside the bandit: as they are given, or, for
/// negative rewards, extended and halved (section 6 of the paper): x becomes
/// [x/sqrt 2, sqrt 2/2], r becomes r/2 + 1/2.
class RewardScale {
 public:
  /// Throws Error(kInvalidArgument) for a dimension that no bandit can have.
  RewardScale(std::size_t dim, bool negative_rewards);

  bool negative_rewards() const { return negative_; }
  std::size_t inner_dim() const { return negative_ ? dim_ + 1 : dim_; }

  double Inner(double reward) const {
    return negative_ ? reward / 2 + 0.5 : reward;
  }

  /// Back to the caller's rewards; a difference of two has no offset.
  double Outer(double reward) const {
    return negative_ ? 2 * reward - 1 : reward;
  }
  double OuterDifference(double difference) const {
    return negative_ ? 2 * difference : difference;
  }

  void AppendInner(std::span<const float> features,
                   std::vector<float>& to) const;
  void AppendOuter(std::span<const float> inner, std::vector<float>& to) const;

  /// The coefficients of the caller's features, and the constant if there is
  /// one.
  std::vector<double> OuterMean(std::span<const double> inner) const;

  std::vector<float> InnerFeatures(std::span<const float> features) const;

 private:
  std::size_t dim_;
  bool negative_;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_REWARD_SCALE_H_
