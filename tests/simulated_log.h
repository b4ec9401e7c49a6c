#ifndef MANYARMS_TESTS_SIMULATED_LOG_H_
#define MANYARMS_TESTS_SIMULATED_LOG_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "manyarms/estimators.h"
#include "manyarms/random.h"

namespace manyarms::testing {

/// A world of situations, one of which comes at random, and of arms whose
/// rewards are clicks with probabilities that depend on both. One policy made
/// the log, and another one, the target, has a value that is known.
class SimulatedLogs {
 public:
  struct Options {
    std::size_t choices = 1000;
    std::size_t arms = 10;
    std::size_t situations = 8;
    /// How much the policies' preferences differ: the standard deviation of the
    /// logarithms of their probabilities. With 0, the log is uniform.
    double logged_preference = 0.7;
    double target_preference = 1;
    /// Chooses only the best arm of each situation.
    bool target_is_best = false;
    std::uint64_t world = 1;
  };

  explicit SimulatedLogs(const Options& options) : options_(options) {
    const std::size_t cells = options.situations * options.arms;
    RandomStream random(options.world, RandomStream::Role::kTheta, 0);
    std::vector<double> normal(4 * cells);
    random.Gaussians(normal);
    for (std::size_t i = 0; i < cells; ++i) {
      means_.push_back(1 / (1 + std::exp(1.5 - normal[i])));
      logged_.push_back(
          std::exp(options.logged_preference * normal[cells + i]));
      target_.push_back(
          std::exp(options.target_preference * normal[2 * cells + i]));
      // A model that has learned something, but is wrong.
      model_.push_back(means_[i] + 0.1 * normal[3 * cells + i]);
    }
    for (std::size_t s = 0; s < options.situations; ++s) Normalise(s);
  }

  /// The target's mean reward.
  double truth() const { return truth_; }

  struct Log {
    std::vector<double> rewards, logged, target;
    std::vector<double> logged_predictions, target_predictions;

    WeightedChoices choices() const {
      return {.rewards = rewards, .logged = logged, .target = target};
    }
    Predictions predictions() const {
      return {.logged_arm = logged_predictions, .target = target_predictions};
    }
  };

  Log Make(std::uint64_t seed) const {
    RandomStream random(seed, RandomStream::Role::kVisit, options_.world);
    Log log;
    for (std::size_t i = 0; i < options_.choices; ++i) {
      const std::size_t situation = random.Below(options_.situations);
      const std::size_t first = situation * options_.arms;
      std::size_t arm = first;
      double rest = random.Uniform();
      while (arm + 1 < first + options_.arms && rest >= logged_[arm]) {
        rest -= logged_[arm++];
      }
      log.rewards.push_back(random.Uniform() < means_[arm] ? 1 : 0);
      log.logged.push_back(logged_[arm]);
      log.target.push_back(target_[arm]);
      log.logged_predictions.push_back(model_[arm]);
      log.target_predictions.push_back(expected_[situation]);
    }
    return log;
  }

 private:
  void Normalise(std::size_t situation) {
    const std::size_t first = situation * options_.arms;
    const std::size_t end = first + options_.arms;
    double logged = 0;
    double target = 0;
    std::size_t best = first;
    for (std::size_t i = first; i < end; ++i) {
      logged += logged_[i];
      target += target_[i];
      if (means_[i] > means_[best]) best = i;
    }
    double expected = 0;
    for (std::size_t i = first; i < end; ++i) {
      logged_[i] /= logged;
      target_[i] /= target;
      if (options_.target_is_best) target_[i] = i == best ? 1 : 0;
      expected += target_[i] * model_[i];
      truth_ +=
          target_[i] * means_[i] / static_cast<double>(options_.situations);
    }
    expected_.push_back(expected);
  }

  Options options_;
  // For each situation and arm.
  std::vector<double> means_, logged_, target_, model_;
  std::vector<double> expected_;  // what the model expects of the target
  double truth_ = 0;
};

/// How many intervals of a number of logs contain the truth.
struct Covered {
  double inverse_propensity = 0;
  double self_normalised = 0;
  double doubly_robust = 0;
  // On average:
  double effective_sample_size = 0;
  double largest_weight = 0;
};

inline Covered CoverageOf(const SimulatedLogs::Options& options,
                          std::uint64_t logs) {
  const SimulatedLogs world(options);
  const auto holds = [truth = world.truth()](const Estimate& estimate) {
    return estimate.low <= truth && truth <= estimate.high ? 1.0 : 0.0;
  };
  Covered covered;
  const auto n = static_cast<double>(logs);
  for (std::uint64_t seed = 0; seed < logs; ++seed) {
    const SimulatedLogs::Log log = world.Make(seed);
    const WeightSummary weights = SummariseWeights(log.choices());
    covered.effective_sample_size += weights.effective_sample_size / n;
    covered.largest_weight += weights.largest / n;
    covered.inverse_propensity += holds(InversePropensity(log.choices())) / n;
    covered.self_normalised += holds(SelfNormalised(log.choices())) / n;
    covered.doubly_robust +=
        holds(DoublyRobust(log.choices(), log.predictions())) / n;
  }
  return covered;
}

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_SIMULATED_LOG_H_
