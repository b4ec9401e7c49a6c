#include "kernels/quadratic_form.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quadratic_form.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include "kernels/scan-inl.h"
#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

constexpr auto& kBest = Best<QuadraticFormScore, const PackedFactor&>;
constexpr auto& kTop = Top<QuadraticFormScore, const PackedFactor&>;
constexpr auto& kBestOfEach =
    BestOfEach<QuadraticFormScore, const PackedFactor&>;

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(kBest);
HWY_EXPORT(kTop);
HWY_EXPORT(kBestOfEach);

Hit BestQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, float bar) {
  return HWY_DYNAMIC_DISPATCH(kBest)(table, blocks, factor, bar);
}

void TopQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, TopHits& top) {
  HWY_DYNAMIC_DISPATCH(kTop)(table, blocks, factor, top);
}

void BestQuadraticFormOfEach(const BlockTable& table,
                             std::span<const MaskedBlock> blocks,
                             const PackedFactor& factor, std::span<Hit> best) {
  HWY_DYNAMIC_DISPATCH(kBestOfEach)(table, blocks, factor, best);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
