#ifndef MANYARMS_ENVIRONMENT_H_
#define MANYARMS_ENVIRONMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "manyarms/types.h"

namespace manyarms {

/// Arms that come and go before a step.
struct Change {
  std::vector<ArmId> added;
  std::vector<ArmId> removed;
};

/// A world to try policies in: arms, rewards, and what could have been had.
/// Nothing in it depends on who plays, so that different policies with the
/// same seed meet the same arms, the same noise and the same changes.
///
/// Thread safety: none; one thread at a time.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual std::size_t dim() const = 0;

  /// How many arms there are at the start; their ids are 0, 1, 2, ...
  virtual std::size_t arms_at_start() const = 0;

  virtual void Features(ArmId arm, std::span<float> out) const = 0;

  /// What changes before step t = 1, 2, ... Call once for each, in order.
  virtual Change Advance(std::uint64_t step) = 0;

  /// What playing the arm at this step brings.
  virtual double Reward(ArmId arm, std::uint64_t step) const = 0;

  /// What playing the arm costs in expectation, beside the best arm there is.
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
  /// Seed of theta* alone: the same for several seeds keeps one theta* over
  /// runs in which all else is drawn anew.
  std::uint64_t theta_seed = 1;
  /// theta* of length 1 and arms uniform in the unit ball, as the theorems
  /// want it (Assumption 4.3), instead of N(0, I).
  bool unit_ball = false;
};

/// Throws Error(kInvalidArgument) for options out of bounds.
void CheckSynthetic(const SyntheticOptions& options);

/// Checks the options and makes the environment, which takes time in
/// proportion to the arms.
std::unique_ptr<Environment> MakeSynthetic(const SyntheticOptions& options);

}  // namespace manyarms

#endif  // MANYARMS_ENVIRONMENT_H_
