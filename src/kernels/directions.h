#ifndef MANYARMS_KERNELS_DIRECTIONS_H_
#define MANYARMS_KERNELS_DIRECTIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/blocks.h"

namespace manyarms::kernels {

/// How many directions DirectionsReached takes at most: its result has one bit
/// for each.
inline constexpr std::size_t kDirectionGroup = std::size_t{4} * kLanes;

/// Which of the `count` directions have an inner product of at least
/// `threshold` with the vector: bit i stands for direction i. Directions lie in
/// blocks of kLanes, like arms.
std::uint64_t DirectionsReached(const float* directions, std::size_t count,
                                std::span<const float> vector, float threshold);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_DIRECTIONS_H_
