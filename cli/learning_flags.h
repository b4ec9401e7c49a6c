#ifndef MANYARMS_CLI_LEARNING_FLAGS_H_
#define MANYARMS_CLI_LEARNING_FLAGS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "manyarms/rewards.h"

namespace manyarms::cli {

/// The flags that say how rewards are learned, and by which share of uniform
/// choices: --regularisation, --negative-rewards, --rewards, --forgetting,
/// --half-life and --explore-uniform.
class LearningFlags {
 public:
  /// Adds them to the command, which must outlive this object.
  explicit LearningFlags(CLI::App& command);
  LearningFlags(const LearningFlags&) = delete;
  LearningFlags& operator=(const LearningFlags&) = delete;

  /// Sets the members of those names in the options of a bandit, a population
  /// or a run. Throws Error(kInvalidArgument).
  template <class Options>
  void Apply(Options& options) const {
    options.regularisation = regularisation_;
    options.negative_rewards = negative_rewards_;
    options.rewards = RewardModelNamed(rewards_).value();
    options.forgetting = Forgetting();
    options.explore_uniform = explore_uniform_;
  }

 private:
  double Forgetting() const;

  double regularisation_ = 1;
  bool negative_rewards_ = false;
  std::string rewards_ = "linear";
  double forgetting_ = 1;
  double explore_uniform_ = 0;
  CLI::Option* half_life_;
};

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_LEARNING_FLAGS_H_
