#ifndef MANYARMS_KERNELS_GAUSSIANS_H_
#define MANYARMS_KERNELS_GAUSSIANS_H_

#include <array>
#include <cstdint>
#include <span>

namespace manyarms::kernels {

/// Where a counter-based generator (Philox4x32-10) stands.
struct PhiloxState {
  std::array<std::uint32_t, 2> key;
  std::array<std::uint32_t, 4> counter;
};

/// Fills `out` with standard normal values: the Box-Muller pairs of the state's
/// block and the following ones, by the last word of the counter. They are
/// computed in double, with errors of about one unit in the last place, and
/// rounded. A value depends on its block alone, not on how many are asked for.
/// With another instruction set, or with the standard library's functions in
/// place of these, fewer than one float in 10^8 differ, in the last bit.
void FillGaussians(const PhiloxState& state, std::span<float> out);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_GAUSSIANS_H_
