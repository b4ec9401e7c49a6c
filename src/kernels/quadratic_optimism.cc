#include "kernels/quadratic_optimism.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quadratic_optimism.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include "kernels/scan-inl.h"
#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

class QuadraticOptimismScore {
 public:
  QuadraticOptimismScore(std::span<const float> direction,
                         const PackedFactor& factor)
      : mean_(direction), form_(factor) {}

  HWY_INLINE Whole operator()(const float* HWY_RESTRICT x) const {
    Whole score = mean_(x);
    const Whole form = form_(x);
    for (std::size_t p = 0; p < kParts; ++p) {
      score.part[p] = hn::Add(score.part[p], form.part[p]);
    }
    return score;
  }

 private:
  InnerProductScore mean_;
  QuadraticFormScore form_;
};

constexpr auto& kBest =
    Best<QuadraticOptimismScore, std::span<const float>, const PackedFactor&>;
constexpr auto& kTop =
    Top<QuadraticOptimismScore, std::span<const float>, const PackedFactor&>;

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(kBest);
HWY_EXPORT(kTop);

Hit BestQuadraticOptimism(const BlockTable& table,
                          std::span<const MaskedBlock> blocks,
                          std::span<const float> direction,
                          const PackedFactor& factor, float bar) {
  return HWY_DYNAMIC_DISPATCH(kBest)(table, blocks, direction, factor, bar);
}

void TopQuadraticOptimism(const BlockTable& table,
                          std::span<const MaskedBlock> blocks,
                          std::span<const float> direction,
                          const PackedFactor& factor, TopHits& top) {
  HWY_DYNAMIC_DISPATCH(kTop)(table, blocks, direction, factor, top);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
