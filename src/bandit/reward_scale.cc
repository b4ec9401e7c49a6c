#include "bandit/reward_scale.h"

#include <fmt/format.h>

#include <numbers>

#include "base/check.h"
#include "manyarms/error.h"
#include "manyarms/types.h"

namespace manyarms {
namespace {

constexpr auto kHalfRoot = std::numbers::sqrt2_v<float> / 2;

}  // namespace

RewardScale::RewardScale(const Shape& shape)
    : dim_(shape.dim),
      negative_(shape.negative_rewards),
      constant_(shape.constant),
      rewards_(shape.rewards) {
  CheckDim(dim_);
  if (negative_ && dim_ == kMaxDim) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("dimension is {}, must be at most {} with negative "
                            "rewards, which take one more",
                            dim_, kMaxDim - 1));
  }
}

void RewardScale::Check(double reward) const { CheckReward(reward, rewards_); }

void RewardScale::AppendInner(std::span<const float> features,
                              std::vector<float>& to) const {
  if (!negative_) {
    to.insert(to.end(), features.begin(), features.end());
    if (constant_) to.push_back(1);
    return;
  }
  for (const float value : features) to.push_back(value * kHalfRoot);
  to.push_back(kHalfRoot);
}

void RewardScale::AppendOuter(std::span<const float> inner,
                              std::vector<float>& to) const {
  for (const float value : inner.first(dim_)) {
    to.push_back(negative_ ? value / kHalfRoot : value);
  }
}

// 2 <m, [x h; h]> - 1 is <2 h m, x> + 2 h m_last - 1, where h is half of
// sqrt 2.
std::vector<double> RewardScale::OuterMean(
    std::span<const double> inner) const {
  std::vector<double> mean(inner.begin(), inner.end());
  if (!negative_) return mean;
  for (double& value : mean) value *= 2.0 * kHalfRoot;
  mean.back() -= 1;
  return mean;
}

std::vector<float> RewardScale::InnerFeatures(
    std::span<const float> features) const {
  std::vector<float> inner;
  inner.reserve(inner_dim());
  AppendInner(features, inner);
  return inner;
}

std::vector<float> RewardScale::InnerRows(std::size_t arms,
                                          const FeatureRows& given) const {
  CheckShape(given, arms, dim_);
  std::vector<float> row(dim_);
  std::vector<float> rows;
  rows.reserve(arms * inner_dim());
  for (std::size_t i = 0; i < arms; ++i) {
    given.Copy(i, row);
    CheckRow(row, i, given);
    AppendInner(row, rows);
  }
  return rows;
}

}  // namespace manyarms
