#ifndef MANYARMS_ESTIMATORS_H_
#define MANYARMS_ESTIMATORS_H_

#include <cstddef>
#include <limits>
#include <span>

namespace manyarms {

/// How well a policy would have done, estimated from choices that another
/// policy made. All arrays have one value for each logged choice; choices must
/// be independent of one another. docs/evaluation.md says what each estimator
/// assumes and when its interval can be trusted.
///
/// All functions throw Error(kInvalidArgument) for fewer than two choices,
/// arrays of different lengths, values out of bounds, fewer than two weights
/// that are more than 0, and weights so unequal that the effective sample size
/// is less than 2. They take O(n) and keep their precision for
/// any number of choices.

/// An estimated mean reward.
struct Estimate {
  double value = 0;
  double standard_error = 0;
  double low = 0;   ///< of the confidence interval
  double high = 0;  ///< of the confidence interval

  bool operator==(const Estimate&) const = default;
};

/// Choices that were made at random, and the probabilities with which another
/// policy, the target, would have made the same ones. The weight of a choice is
/// target / logged.
struct WeightedChoices {
  std::span<const double> rewards;
  std::span<const double> logged;  ///< probabilities, from kMinProbability to 1
  std::span<const double> target;  ///< probabilities, from 0 to 1
};

/// What a model expects, which must not have learned these rewards.
struct Predictions {
  std::span<const double> logged_arm;  ///< the reward of the logged arm
  std::span<const double> target;      ///< the mean reward of the target
};

struct EstimatorOptions {
  double level = 0.95;  ///< of the confidence intervals, within (0, 1)
  /// Weights above this count as this, which makes intervals shorter and
  /// estimates wrong by an unknown amount.
  double clip = std::numeric_limits<double>::infinity();

  bool operator==(const EstimatorOptions&) const = default;
};

/// What the intervals can be judged by.
struct WeightSummary {
  double mean = 0;     ///< close to 1 if probabilities are right
  double largest = 0;  ///< before clipping
  /// The number of choices of the target itself that would tell as much:
  /// (sum of weights)^2 / (sum of squared weights).
  double effective_sample_size = 0;
  std::size_t clipped = 0;  ///< number of weights

  bool operator==(const WeightSummary&) const = default;
};

/// The mean of weight times reward (IPS): without bias.
Estimate InversePropensity(const WeightedChoices& choices,
                           const EstimatorOptions& options = {});

/// The same divided by the mean weight (SNIPS): adding a constant to all
/// rewards adds it to the estimate. Its bias vanishes as 1/n.
Estimate SelfNormalised(const WeightedChoices& choices,
                        const EstimatorOptions& options = {});

/// What the model expects of the target, and the weighted errors of the model
/// at the logged choices (DR): without bias, whatever the model is like, and
/// with shorter intervals the better it is.
Estimate DoublyRobust(const WeightedChoices& choices,
                      const Predictions& predictions,
                      const EstimatorOptions& options = {});

/// The mean of what the model expects of the target. The interval says nothing
/// about the model's errors.
Estimate DirectMethod(std::span<const double> target_predictions,
                      double level = 0.95);

/// The mean reward itself: how well the policy did that made the choices.
Estimate MeanReward(std::span<const double> rewards, double level = 0.95);

WeightSummary SummariseWeights(const WeightedChoices& choices,
                               const EstimatorOptions& options = {});

/// Bounds that keep squares of weights times rewards within double.
inline constexpr double kMinProbability = 1e-100;
inline constexpr double kMaxPrediction = 1e30;

}  // namespace manyarms

#endif  // MANYARMS_ESTIMATORS_H_
