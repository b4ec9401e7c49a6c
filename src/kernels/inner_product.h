#ifndef MANYARMS_KERNELS_INNER_PRODUCT_H_
#define MANYARMS_KERNELS_INNER_PRODUCT_H_

#include <span>

#include "kernels/blocks.h"
#include "kernels/slot.h"
#include "kernels/top_hits.h"

namespace manyarms::kernels {

/// The best of the given lanes by <direction, x>. Ties go to the smaller id;
/// no slot if there is no lane, or none with a score of at least `bar`.
Hit BestInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, float bar = kNoBar);

/// Offers the arms that reach its bar to `top`, by the same score.
/// REQUIRES: no lane is given twice.
void TopInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, TopHits& top);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_INNER_PRODUCT_H_
