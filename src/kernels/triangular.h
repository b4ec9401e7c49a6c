#ifndef MANYARMS_KERNELS_TRIANGULAR_H_
#define MANYARMS_KERNELS_TRIANGULAR_H_

#include <cstddef>

namespace manyarms::kernels {

/// Sets `inverse` to the inverse of a lower triangular matrix. Both are dim x
/// dim. `lower` is column-major, with columns `stride` apart, and `inverse` is
/// row-major. The part of `lower` above the diagonal is not read, and that of
/// `inverse` is set to zero.
///
/// Libraries do not skip the zeros, and need d^3/2 multiply-adds; this function
/// needs d^3/6.
void InvertLower(const double* lower, std::size_t stride, std::size_t dim,
                 double* inverse);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_TRIANGULAR_H_
