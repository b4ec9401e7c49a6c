#ifndef MANYARMS_RANDOM_H_
#define MANYARMS_RANDOM_H_

#include <array>
#include <cstdint>
#include <span>

namespace manyarms {

/// A stream of random numbers that is a pure function of (seed, role, index).
/// Two parts of a program that use different roles or indices never disturb
/// each other, in whatever order and on whatever threads they draw: arm 17 of
/// seed 1 has the same features in every run. The generator is counter-based
/// (Philox4x32-10), so making a stream costs next to nothing.
///
/// Thread safety: one thread at a time may use a stream.
class RandomStream {
 public:
  enum class Role : std::uint32_t {
    kTheta = 1,    ///< the environment's true parameter
    kArm = 2,      ///< an arm's features, indexed by its id
    kNoise = 3,    ///< reward noise, indexed by the step
    kChurn = 4,    ///< which arms leave, indexed by the step
    kSample = 5,   ///< Thompson sampling's draw, indexed by the choice
    kPick = 6,     ///< elimination's random arm, indexed by the choice
    kGraph = 7,    ///< levels of an index graph, indexed by its rebuilds
    kOrder = 8,    ///< the order in which a finite world's arms arrive
    kSplit = 9,    ///< how a data set is split into parts
    kFactor = 10,  ///< start of a matrix factorisation, indexed by the row
    kFilter = 11,  ///< directions of a filter tree's node, indexed by the node
    kCopy = 12,    ///< seeds of independent copies of an index
    kAdversary = 13,   ///< an adversary's queries, indexed by the sequence
    kLearner = 14,     ///< a learner's own part of the true parameter
    kVisit = 15,       ///< which learner comes, in which context, by the step
    kContext = 16,     ///< a context's values, by its number or the step
    kUniform = 17,     ///< a uniform choice, indexed by the decision
    kPropensity = 18,  ///< further draws, by decision and number of the draw
    kTurn = 19,        ///< a turned parameter, indexed by the turns before it
    kDrift = 20,       ///< where a parameter drifts to, indexed likewise
  };

  RandomStream(std::uint64_t seed, Role role, std::uint64_t index);

  std::uint64_t Bits();

  /// Uniform on [0, 1).
  double Uniform();

  /// Uniform on {0, ..., bound - 1}. REQUIRES: bound > 0.
  std::uint64_t Below(std::uint64_t bound);

  /// Fills `out` with independent standard normal values. Floats are the
  /// doubles rounded, except that fewer than one in 10^8 differ in the last
  /// bit, and not the same ones with every instruction set; they come several
  /// times faster.
  void Gaussians(std::span<double> out);
  void Gaussians(std::span<float> out);
  double Gaussian();

 private:
  std::array<std::uint64_t, 2> NextBlock();

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint64_t, 2> block_{};
  int left_ = 0;  // number of unused words of block_
};

}  // namespace manyarms

#endif  // MANYARMS_RANDOM_H_
