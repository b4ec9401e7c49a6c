#ifndef MANYARMS_TYPES_H_
#define MANYARMS_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <limits>

namespace manyarms {

/// The caller's name for an arm. Any 64-bit value is allowed.
using ArmId = std::uint64_t;

/// A bandit's name for one of its decisions: 1, 2, 3, ... (Those of a
/// population begin with bits that stand for the learner.)
using DecisionId = std::uint64_t;

/// Bounds on the caller's values. They keep every score finite in float, even
/// for the lifted vectors of the quadratic form (|x|^4 < 1e32).
inline constexpr std::size_t kMaxDim = 4096;
inline constexpr std::size_t kMaxArms =
    std::numeric_limits<std::uint32_t>::max() - 16;
inline constexpr std::uint64_t kMaxSteps = 1'000'000'000'000;
inline constexpr std::size_t kMaxPending = std::size_t{1} << 31;
/// Features may be as small as one likes, but should be scaled to about 1. A
/// width that ucb or elim scores by, exploration * |x|_{V^-1}, loses digits
/// below 1e-19, where squares leave the range of float, and counts as 0 below
/// 1e-23. Such arms then go by their mean, and by the smaller id. Nothing could
/// be learned of them: with the smallest regularisation, kMaxSteps rewards tell
/// something of features from 1e-11 on.
inline constexpr double kMaxFeature = 1e6;
inline constexpr double kMaxReward = 1e9;
inline constexpr double kMaxExploration = 1e6;
inline constexpr double kMinRegularisation = 1e-9;
inline constexpr double kMaxRegularisation = 1e9;

}  // namespace manyarms

#endif  // MANYARMS_TYPES_H_
