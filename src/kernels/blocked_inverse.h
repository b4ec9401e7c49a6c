#ifndef MANYARMS_KERNELS_BLOCKED_INVERSE_H_
#define MANYARMS_KERNELS_BLOCKED_INVERSE_H_

#include <cstddef>

namespace manyarms::kernels {

/// What InvertLower does, for matrices that do not fit in a cache: d^3/6
/// multiply-adds in blocks that do. Adds in another order than the form for
/// small matrices, so that results differ by rounding; which form is used must
/// depend on `dim` alone.
void InvertLowerInBlocks(const double* lower, std::size_t stride,
                         std::size_t dim, double* inverse);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_BLOCKED_INVERSE_H_
