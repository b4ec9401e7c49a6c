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

/// Who chooses in a step, and in which context.
struct Visit {
  std::uint64_t learner = 0;
  std::vector<float> context;  ///< empty in an environment without contexts
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

  /// Who comes in step t = 1, 2, ..., in any order and any number of times.
  /// Unless an environment says otherwise, it is always the same learner, and
  /// there are no contexts.
  virtual Visit VisitAt(std::uint64_t /*step*/) const { return {}; }

  /// The reward for playing the arm at this step.
  virtual double Reward(ArmId arm, std::uint64_t step) const = 0;

  /// The expected reward of the best arm now present minus that of this arm,
  /// for whoever comes in the step that was last advanced to (before any, in
  /// step 1).
  virtual double Regret(ArmId arm) const = 0;
};

/// The most learners that an environment may have.
inline constexpr std::uint64_t kMaxLearners = 1'000'000'000'000;

/// The paper's synthetic environment (section 7): theta* and arms from
/// N(0, I), rewards <theta*, x> plus Gaussian noise. It may have learners, each
/// with a theta* of its own, and contexts, where theta* is a matrix M and the
/// reward is c'Mx plus noise. Arms and their changes are the same with and
/// without learners and contexts.
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

  /// How many learners there are; 0: one, which has no key. Their keys are
  /// 0, 1, 2, ..., and one of them comes at each step.
  std::size_t learners = 0;
  /// A learner's theta* is sqrt(1 - own_share) times a part that all learners
  /// have in common plus sqrt(own_share) times a part of its own.
  double own_share = 0.5;
  /// Exponent of Zipf's law, by which learners come: learner i with a
  /// probability proportional to 1/(i + 1)^zipf. With 0 all are equally likely.
  double zipf = 1.0;
  /// How many values a context has; 0: there are no contexts. Values come from
  /// N(0, 1), and those of M from N(0, 1/m), where M has m rows, so that
  /// rewards are of the same size as without contexts.
  std::size_t context_dim = 0;
  /// Whether a constant 1 is appended to contexts and arms, as in
  /// BanditOptions.
  bool context_constants = true;
  /// How many contexts there are, each as likely as the others; 0: every step
  /// has a new one.
  std::size_t distinct_contexts = 0;

  /// If above 0, rewards are clicks, 0 or 1, and this is the share of clicks
  /// that arms have on average: an arm is clicked with the probability
  /// 1 / (1 + exp(-<theta*, x>)), and regret is a difference of such
  /// probabilities. The last of an arm's features is then a constant 1, so that
  /// theta* has an intercept that can be learned; with contexts the appended
  /// constants serve that purpose. `noise` must be left alone.
  double click_rate = 0;
  /// Standard deviation of the log-odds of arms, which is the length of theta*
  /// without its intercept (that of M with contexts).
  double click_spread = 1;

  /// If above 0, theta* is another one after every so many steps, drawn anew.
  /// Of learners, it is the part that they have in common.
  std::uint64_t turn_every = 0;
  /// The angle, in radians, by which theta* moves on with each step: it is
  /// cos(a) A + sin(a) B after an angle of a, with A and B from N(0, I), so
  /// that at each step it is distributed as without drift. Of learners, it is
  /// the part that they have in common.
  double drift = 0;
};

/// Throws Error(kInvalidArgument) for options out of bounds.
void CheckSynthetic(const SyntheticOptions& options);

/// Checks the options and makes the environment, in O(arms * dim). With
/// learners, contexts, clicks, turns or drift, the environment keeps the
/// features of all arms, and Advance finds the best arms of up to 64 steps at
/// once by going through them, at the latest when arms change.
std::unique_ptr<Environment> MakeSynthetic(const SyntheticOptions& options);

}  // namespace manyarms

#endif  // MANYARMS_ENVIRONMENT_H_
