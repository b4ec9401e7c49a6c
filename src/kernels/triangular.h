#ifndef MANYARMS_KERNELS_TRIANGULAR_H_
#define MANYARMS_KERNELS_TRIANGULAR_H_

#include <cstddef>

namespace manyarms::kernels {

/// Sets `inverse` to `scale` times the inverse of a lower triangular matrix.
/// Both are dim x dim and column-major; columns of `lower` are `stride` apart,
/// those of `inverse` `dim`. The part of `lower` above the diagonal is not
/// read, and that of `inverse` is set to zero.
///
/// ucb and elim invert a matrix at every choice. Libraries do not skip the
/// zeros, and need d^3/2 multiply-adds; this function needs d^3/6.
void InvertLower(const double* lower, std::size_t stride, std::size_t dim,
                 double scale, double* inverse);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_TRIANGULAR_H_
