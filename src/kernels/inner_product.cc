#include "kernels/inner_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/inner_product.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include "kernels/scan-inl.h"
#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

constexpr auto& kBest = Best<InnerProductScore, std::span<const float>>;
constexpr auto& kTop = Top<InnerProductScore, std::span<const float>>;

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(kBest);
HWY_EXPORT(kTop);

Hit BestInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, float bar) {
  return HWY_DYNAMIC_DISPATCH(kBest)(table, blocks, direction, bar);
}

void TopInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, TopHits& top) {
  HWY_DYNAMIC_DISPATCH(kTop)(table, blocks, direction, top);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
