#ifndef MANYARMS_KERNELS_QUADRATIC_OPTIMISM_H_
#define MANYARMS_KERNELS_QUADRATIC_OPTIMISM_H_

#include <span>

#include "kernels/blocks.h"
#include "kernels/packed_factor.h"
#include "kernels/slot.h"
#include "kernels/top_hits.h"

namespace manyarms::kernels {

/// Like BestInnerProduct and TopInnerProduct, by <direction, x> + |factor x|^2.
Hit BestQuadraticOptimism(const BlockTable& table,
                          std::span<const MaskedBlock> blocks,
                          std::span<const float> direction,
                          const PackedFactor& factor, float bar = kNoBar);
void TopQuadraticOptimism(const BlockTable& table,
                          std::span<const MaskedBlock> blocks,
                          std::span<const float> direction,
                          const PackedFactor& factor, TopHits& top);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_QUADRATIC_OPTIMISM_H_
