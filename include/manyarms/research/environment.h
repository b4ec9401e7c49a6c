#ifndef MANYARMS_ENVIRONMENT_H_
#define MANYARMS_ENVIRONMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "manyarms/types.h"

namespace manyarms {

/// The arms that are added and removed before a step.
struct Change {
  std::vector<ArmId> added;
  std::vector<ArmId> removed;
};

/// A simulated world to try policies in: it has arms and rewards, and knows the
/// regret of each arm. Nothing in it depends on the policy, so different
/// policies with the same seed meet the same arms, noise and changes.
///
/// Thread safety: none. One thread at a time may use an environment.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual std::size_t dim() const = 0;

  /// The number of arms at the start. Their ids are 0, 1, 2, ...
  virtual std::size_t arms_at_start() const = 0;

  virtual void Features(ArmId arm, std::span<float> out) const = 0;

  /// The features of several arms, a row for each. REQUIRES: out.size() ==
  /// arms.size() * dim().
  virtual void FillFeatures(std::span<const ArmId> arms,
                            std::span<float> out) const {
    for (std::size_t i = 0; i < arms.size(); ++i) {
      Features(arms[i], out.subspan(i * dim(), dim()));
    }
  }

  /// Returns the changes before step t = 1, 2, ... Call it once for each step,
  /// in order.
  virtual Change Advance(std::uint64_t step) = 0;

  /// The reward for playing the arm at this step.
  virtual double Reward(ArmId arm, std::uint64_t step) const = 0;

  /// The expected reward of the best arm now present minus that of this arm.
  virtual double Regret(ArmId arm) const = 0;
};

/// The paper's synthetic environment (section 7): theta* and arms from
/// N(0, I), rewards <theta*, x> plus Gaussian noise.
struct SyntheticOptions {
  std::size_t arms = 3000;  ///< at the start
  std::size_t dim = 16;
  std::size_t add = 2;     ///< arms added every `every` steps
  std::size_t remove = 0;  ///< random arms removed every `every` steps
  std::uint64_t every = 20;
  double noise = 1.0;  ///< standard deviation of the reward
  std::uint64_t seed = 1;
  /// Seed of theta* alone, so that several runs can share one theta* while
  /// everything else is drawn anew from `seed`.
  std::uint64_t theta_seed = 1;
  /// If true, theta* has length 1 and arms are uniform in the unit ball, as the
  /// theorems assume (Assumption 4.3). If false, both come from N(0, I).
  bool unit_ball = false;
};

/// Throws Error(kInvalidArgument) for options out of bounds.
void CheckSynthetic(const SyntheticOptions& options);

/// Checks the options and makes the environment, in O(arms * dim).
std::unique_ptr<Environment> MakeSynthetic(const SyntheticOptions& options);

}  // namespace manyarms

#endif  // MANYARMS_ENVIRONMENT_H_
