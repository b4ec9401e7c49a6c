#include "manyarms/estimators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "evaluation/compensated_sum.h"
#include "evaluation/student.h"
#include "manyarms/error.h"
#include "manyarms/types.h"

namespace manyarms {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

// Conditions on values are written so that NaN fails them, too.

void CheckLevel(double level) {
  if (!(level > 0 && level < 1)) {
    Fail(fmt::format("level is {}, must be between 0 and 1", level));
  }
}

void CheckOptions(const EstimatorOptions& options) {
  CheckLevel(options.level);
  if (!(options.clip > 0)) {
    Fail(fmt::format("clip is {}, must be more than 0", options.clip));
  }
}

void CheckEnough(std::size_t choices) {
  if (choices < 2) {
    Fail(fmt::format("{} logged choice{} given, an interval needs at least 2",
                     choices, choices == 1 ? "" : "s"));
  }
}

// Values within [least, most], one for each choice.
void CheckValues(std::string_view name, std::span<const double> values,
                 std::size_t choices, double least, double most) {
  if (values.size() != choices) {
    Fail(fmt::format("{} values given as {}, and {} rewards", values.size(),
                     name, choices));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= least && values[i] <= most)) {
      Fail(fmt::format("{} {} is {}, must be from {:g} to {:g}", name, i,
                       values[i], least, most));
    }
  }
}

void CheckRewards(std::span<const double> rewards) {
  CheckEnough(rewards.size());
  CheckValues("reward", rewards, rewards.size(), -kMaxReward, kMaxReward);
}

void Check(const WeightedChoices& choices) {
  CheckRewards(choices.rewards);
  const std::size_t n = choices.rewards.size();
  CheckValues("logged probability", choices.logged, n, kMinProbability, 1);
  CheckValues("target probability", choices.target, n, 0, 1);
}

double Sum(std::span<const double> values) {
  CompensatedSum sum;
  for (const double value : values) sum.Add(value);
  return sum.value();
}

double MeanOf(std::span<const double> values) {
  return Sum(values) / static_cast<double>(values.size());
}

double SumOfSquares(std::span<const double> values, double around) {
  CompensatedSum sum;
  for (const double value : values) {
    sum.Add((value - around) * (value - around));
  }
  return sum.value();
}

Estimate WithInterval(double value, double standard_error, double freedom,
                      double level) {
  const double reach =
      StudentQuantile(level, std::max(freedom, 1.0)) * standard_error;
  return {.value = value,
          .standard_error = standard_error,
          .low = value - reach,
          .high = value + reach};
}

// Of the mean of independent terms.
double StandardError(std::span<const double> terms, double mean) {
  const auto n = static_cast<double>(terms.size());
  return std::sqrt(SumOfSquares(terms, mean) / (n - 1) / n);
}

Estimate OfTerms(std::span<const double> terms, double freedom, double level) {
  const double mean = MeanOf(terms);
  return WithInterval(mean, StandardError(terms, mean), freedom, level);
}

// The weights of choices, clipped.
class Weights {
 public:
  Weights(const WeightedChoices& choices, const EstimatorOptions& options) {
    CheckOptions(options);
    Check(choices);
    values_.reserve(choices.rewards.size());
    for (std::size_t i = 0; i < choices.rewards.size(); ++i) {
      const double weight = choices.target[i] / choices.logged[i];
      summary_.largest = std::max(summary_.largest, weight);
      if (weight > options.clip) ++summary_.clipped;
      values_.push_back(std::min(weight, options.clip));
    }
    CheckWeights();
    summary_.mean = MeanOf(values_);
    // Relative to the largest, so that no square leaves the range of double.
    std::vector<double> shares = values_;
    const double most = *std::ranges::max_element(values_);
    for (double& share : shares) share /= most;
    const double sum = Sum(shares);
    summary_.effective_sample_size = sum * sum / SumOfSquares(shares, 0);
    CheckOverlap();
  }

  double operator[](std::size_t i) const { return values_[i]; }
  const WeightSummary& summary() const { return summary_; }

  // With few choices that count, a standard error is itself uncertain. On short
  // simulated logs intervals with this freedom contain the truth more often
  // than those with n - 1 or of a normal distribution (bench/coverage.cc).
  double freedom() const { return summary_.effective_sample_size - 1; }

 private:
  void CheckWeights() const {
    const auto count = std::ranges::count_if(
        values_, [](double weight) { return weight > 0; });
    if (count < 2) {
      Fail(fmt::format(
          "{} of {} weights {} more than 0, an interval needs at least 2: the "
          "target policy makes hardly any of the logged choices",
          count, values_.size(), count == 1 ? "is" : "are"));
    }
  }

  // Where one weight dominates, its choice alone makes the estimate, around
  // which it does not vary: the standard error would be close to 0.
  void CheckOverlap() const {
    // n equal weights are worth n choices up to rounding.
    constexpr double kRounding = 1e-9;
    if (!(summary_.effective_sample_size >= 2 - kRounding)) {
      Fail(fmt::format(
          "all {} choices together are worth {:.3g} of the target policy's "
          "own, an interval needs at least 2: the largest weight is {:.3g}, "
          "and they are {:.3g} on average",
          values_.size(),
          std::floor(100 * summary_.effective_sample_size) / 100,  // never 2
          summary_.largest, summary_.mean));
    }
  }

  std::vector<double> values_;
  WeightSummary summary_;
};

}  // namespace

Estimate InversePropensity(const WeightedChoices& choices,
                           const EstimatorOptions& options) {
  const Weights weights(choices, options);
  std::vector<double> terms(choices.rewards.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i] = weights[i] * choices.rewards[i];
  }
  return OfTerms(terms, weights.freedom(), options.level);
}

// The standard error is that of the ratio's linear approximation (the delta
// method).
Estimate SelfNormalised(const WeightedChoices& choices,
                        const EstimatorOptions& options) {
  const Weights weights(choices, options);
  std::vector<double> terms(choices.rewards.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i] = weights[i] * choices.rewards[i];
  }
  const double mean_weight = weights.summary().mean;
  const double value = MeanOf(terms) / mean_weight;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i] = weights[i] * (choices.rewards[i] - value) / mean_weight;
  }
  return WithInterval(value, StandardError(terms, MeanOf(terms)),
                      weights.freedom(), options.level);
}

Estimate DoublyRobust(const WeightedChoices& choices,
                      const Predictions& predictions,
                      const EstimatorOptions& options) {
  const Weights weights(choices, options);
  const std::size_t n = choices.rewards.size();
  CheckValues("prediction of the logged arm", predictions.logged_arm, n,
              -kMaxPrediction, kMaxPrediction);
  CheckValues("prediction of the target", predictions.target, n,
              -kMaxPrediction, kMaxPrediction);
  std::vector<double> terms(n);
  for (std::size_t i = 0; i < n; ++i) {
    terms[i] = predictions.target[i] +
               weights[i] * (choices.rewards[i] - predictions.logged_arm[i]);
  }
  return OfTerms(terms, weights.freedom(), options.level);
}

Estimate DirectMethod(std::span<const double> target_predictions,
                      double level) {
  CheckLevel(level);
  CheckEnough(target_predictions.size());
  CheckValues("prediction of the target", target_predictions,
              target_predictions.size(), -kMaxPrediction, kMaxPrediction);
  return OfTerms(target_predictions,
                 static_cast<double>(target_predictions.size() - 1), level);
}

Estimate MeanReward(std::span<const double> rewards, double level) {
  CheckLevel(level);
  CheckRewards(rewards);
  return OfTerms(rewards, static_cast<double>(rewards.size() - 1), level);
}

WeightSummary SummariseWeights(const WeightedChoices& choices,
                               const EstimatorOptions& options) {
  return Weights(choices, options).summary();
}

}  // namespace manyarms
