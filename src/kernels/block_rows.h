#ifndef MANYARMS_KERNELS_BLOCK_ROWS_H_
#define MANYARMS_KERNELS_BLOCK_ROWS_H_

#include <cstddef>

#include "kernels/blocks.h"

namespace manyarms::kernels {

/// Writes kLanes rows of `dim` floats into a block: row l becomes lane l. The
/// rows begin `stride` floats apart. Returns whether all values are finite and
/// at most kMaxFeature in magnitude. The values that are compared are those
/// that were written, even if another thread changes the rows meanwhile.
/// REQUIRES: the block is aligned to a cache line.
bool WriteBlock(const float* rows, std::ptrdiff_t stride, std::size_t dim,
                float* block);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_BLOCK_ROWS_H_
