#ifndef MANYARMS_KERNELS_OPTIMISM_H_
#define MANYARMS_KERNELS_OPTIMISM_H_

#include <span>

#include "kernels/blocks.h"
#include "kernels/packed_factor.h"
#include "kernels/slot.h"
#include "kernels/top_hits.h"

namespace manyarms::kernels {

/// Like BestInnerProduct and TopInnerProduct, by <direction, x> + |factor x|.
Hit BestOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 float bar = kNoBar);
void TopOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 TopHits& top);

/// The two parts of that score, <direction, x> and |factor x|^2, of all kLanes
/// arms of one block.
struct Moments {
  float mean[kLanes];
  float form[kLanes];
};
void BlockMoments(const float* block, std::span<const float> direction,
                  const PackedFactor& factor, Moments& out);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_OPTIMISM_H_
