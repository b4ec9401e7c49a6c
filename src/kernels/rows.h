#ifndef MANYARMS_KERNELS_ROWS_H_
#define MANYARMS_KERNELS_ROWS_H_

#include <cstddef>

#include "kernels/blocks.h"

/// Sums over rows of floats: numbers one after the other, not in blocks. Their
/// order depends on the width of the registers, and so do the last bits of the
/// results.
namespace manyarms::kernels {

/// |a - b|^2 and <a, b> of two rows of n floats. REQUIRES: n is a multiple
/// of 4.
float SquaredDistance(const float* a, const float* b, std::size_t n);
float InnerProduct(const float* a, const float* b, std::size_t n);

/// The sum of n floats, read once from beginning to end. Benchmarks compare the
/// time of a scan with the time that this takes. REQUIRES: n is a multiple of
/// kLanes.
float PlainRead(const float* values, std::size_t n);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_ROWS_H_
