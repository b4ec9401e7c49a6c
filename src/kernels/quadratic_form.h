#ifndef MANYARMS_KERNELS_QUADRATIC_FORM_H_
#define MANYARMS_KERNELS_QUADRATIC_FORM_H_

#include <span>

#include "kernels/blocks.h"
#include "kernels/packed_factor.h"
#include "kernels/slot.h"
#include "kernels/top_hits.h"

namespace manyarms::kernels {

/// Like BestInnerProduct and TopInnerProduct, by |factor x|^2.
Hit BestQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, float bar = kNoBar);
void TopQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, TopHits& top);

/// The best of each block by |factor x|^2. REQUIRES: `best` is as long as
/// `blocks`.
void BestQuadraticFormOfEach(const BlockTable& table,
                             std::span<const MaskedBlock> blocks,
                             const PackedFactor& factor, std::span<Hit> best);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_QUADRATIC_FORM_H_
