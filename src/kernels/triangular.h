#ifndef MANYARMS_KERNELS_TRIANGULAR_H_
#define MANYARMS_KERNELS_TRIANGULAR_H_

#include <cstddef>

namespace manyarms::kernels {

/// `scale` times the inverse of a lower triangular matrix, dim x dim,
/// column-major, columns of `lower` `stride` apart and those of `inverse` `dim`
/// apart. What lies above the diagonal is not read, and zero in the result.
///
/// Written here because libraries do not skip the zeros: d^3/6 multiply-adds
/// instead of d^3/2, of which ucb and elim need one at every choice.
void InvertLower(const double* lower, std::size_t stride, std::size_t dim,
                 double scale, double* inverse);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_TRIANGULAR_H_
