#include "kernels/directions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/directions.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

std::uint64_t DirectionsReached(const float* directions, std::size_t count,
                                std::span<const float> vector,
                                float threshold) {
  const InnerProductScore score(vector);
  const std::size_t stride = vector.size() * kLanes;
  const std::size_t blocks = (count + kLanes - 1) / kLanes;
  std::uint64_t reached = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint64_t lanes =
        LanesReaching(score(directions + block * stride), threshold);
    reached |= lanes << (block * kLanes);
  }
  // The lanes of the last block beyond `count` hold no directions.
  return count == kDirectionGroup ? reached
                                  : reached & ((std::uint64_t{1} << count) - 1);
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(DirectionsReached);

std::uint64_t DirectionsReached(const float* directions, std::size_t count,
                                std::span<const float> vector,
                                float threshold) {
  return HWY_DYNAMIC_DISPATCH(DirectionsReached)(directions, count, vector,
                                                 threshold);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
