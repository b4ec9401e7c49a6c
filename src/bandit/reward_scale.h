#ifndef MANYARMS_BANDIT_REWARD_SCALE_H_
#define MANYARMS_BANDIT_REWARD_SCALE_H_

#include <cstddef>
#include <span>
#include <vector>

#include "manyarms/features.h"
#include "manyarms/rewards.h"
#include "posterior/logistic.h"

namespace manyarms {

/// Converts features and rewards between the caller's scale and the inner scale
/// of a bandit. The two are the same, except
/// - for negative rewards, where the paper's extension is used (section 6): x
///   becomes [x/sqrt 2, sqrt 2/2], and r becomes r/2 + 1/2;
/// - for clicks, whose scores inside are log-odds and outside probabilities;
/// - with contexts where arms need a constant: x becomes [x, 1].
class RewardScale {
 public:
  struct Shape {
    std::size_t dim = 0;
    bool negative_rewards = false;
    bool constant = false;
    RewardModel rewards = RewardModel::kLinear;
  };
  /// Throws Error(kInvalidArgument) for a dimension that no bandit can have.
  explicit RewardScale(const Shape& shape);

  /// Throws Error(kInvalidArgument) for a reward that cannot be learned.
  void Check(double reward) const;

  /// Whether features inside are other than the caller's.
  bool changes_features() const { return negative_ || constant_; }
  std::size_t inner_dim() const { return changes_features() ? dim_ + 1 : dim_; }

  double Inner(double reward) const {
    return negative_ ? reward / 2 + 0.5 : reward;
  }

  /// Both convert what is computed inside back to the caller's scale. In a
  /// difference of two rewards the offset cancels; that of clicks stays one of
  /// log-odds.
  double Outer(double reward) const {
    if (rewards_ == RewardModel::kClicks) return Sigmoid(reward);
    return negative_ ? 2 * reward - 1 : reward;
  }
  double OuterDifference(double difference) const {
    return negative_ ? 2 * difference : difference;
  }

  void AppendInner(std::span<const float> features,
                   std::vector<float>& to) const;
  void AppendOuter(std::span<const float> inner, std::vector<float>& to) const;

  /// The coefficients of the caller's features and, with negative rewards, a
  /// constant.
  std::vector<double> OuterMean(std::span<const double> inner) const;

  std::vector<float> InnerFeatures(std::span<const float> features) const;

  /// All rows, converted. Throws Error(kInvalidArgument) unless there is a row
  /// of dim features within their bounds for each of the arms.
  std::vector<float> InnerRows(std::size_t arms,
                               const FeatureRows& given) const;

 private:
  std::size_t dim_;
  bool negative_;
  bool constant_;
  RewardModel rewards_;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_REWARD_SCALE_H_
