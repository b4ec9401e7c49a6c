#ifndef MANYARMS_KERNELS_SUBSTITUTION_H_
#define MANYARMS_KERNELS_SUBSTITUTION_H_

#include <cstddef>
#include <span>

namespace manyarms::kernels {

/// Solves L' y = x, and puts y in the place of x. L is lower triangular and
/// column-major, with columns `stride` apart; the part above the diagonal is
/// not read. Made for matrices that do not fit in a cache. Sums are added up in
/// one order, whatever the width of the registers.
void SolveTransposed(const double* lower, std::size_t stride,
                     std::span<double> x);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_SUBSTITUTION_H_
