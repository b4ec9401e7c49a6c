#ifndef MANYARMS_REWARDS_H_
#define MANYARMS_REWARDS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace manyarms {

/// What rewards are like, and so how they are learned.
enum class RewardModel : std::uint8_t {
  /// <theta, x> plus noise: ridge regression.
  kLinear,
  /// 0 or 1, or a share between them, with the mean 1 / (1 + exp(-<theta, x>)):
  /// logistic regression. After each reward the posterior is normal around its
  /// mode (an online Laplace approximation). Arms are compared by <theta, x>,
  /// so every search serves it. Its natural exploration is 1, whatever the
  /// share of clicks. Scores and predictions are probabilities.
  kClicks,
};

/// "linear" or "clicks", and the reverse; none for another name.
std::string_view RewardModelName(RewardModel model);
std::optional<RewardModel> RewardModelNamed(std::string_view name);

/// The forgetting of a reward that counts half after `rewards` later ones.
/// Throws Error(kInvalidArgument) unless that is at least kMinHalfLife.
double ForgettingOfHalfLife(double rewards);

/// The bounds of a forgetting. 1 forgets nothing.
inline constexpr double kMinForgetting = 0.01;
inline constexpr double kMinHalfLife = 0.16;

}  // namespace manyarms

#endif  // MANYARMS_REWARDS_H_
