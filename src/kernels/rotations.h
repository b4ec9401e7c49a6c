#ifndef MANYARMS_KERNELS_ROTATIONS_H_
#define MANYARMS_KERNELS_ROTATIONS_H_

#include <cstddef>
#include <span>

/// Givens rotations, by which a triangular factor and its inverse follow a
/// change of rank one. Every number is computed in one order, whatever the
/// width of the registers.
namespace manyarms::kernels {

/// Rotation j is [c -s; s c] with these entries.
struct Rotations {
  std::span<double> cosines;
  std::span<double> sines;
};

/// Rotates `vector` into a lower triangular matrix L, so that L L' grows by
/// vector vector'. L is column-major, with columns `stride` apart; the part
/// above the diagonal is neither read nor written. Each rotation takes column j
/// of L and the vector, and removes entry j of the vector, which is lost. The
/// rotations are stored. REQUIRES: `vector` and `rotations` have the dimension
/// of L, whose diagonal is positive.
void RotateIn(std::span<double> vector, double* lower, std::size_t stride,
              const Rotations& rotations);

/// Applies the same rotations to the inverse A of L, so that it is the inverse
/// again: rotation j takes row j of A and `extra`, a row that must be zero
/// before and is worth nothing afterwards. A is row-major, dim x dim; the part
/// above the diagonal is neither read nor written.
void RotateRows(const Rotations& rotations, double* rows,
                std::span<double> extra);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_ROTATIONS_H_
