#include "kernels/optimism.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optimism.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include "kernels/scan-inl.h"
#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

class OptimismScore {
 public:
  OptimismScore(std::span<const float> direction, const PackedFactor& factor)
      : mean_(direction), form_(factor) {}

  HWY_INLINE Whole operator()(const float* HWY_RESTRICT x) const {
    // The mean first: it is read from memory in one pass, and the form, which
    // begins from the first coordinate for each band of rows, from the cache.
    Whole score = mean_(x);
    const Whole form = form_(x);
    for (std::size_t p = 0; p < kParts; ++p) {
      score.part[p] = hn::Add(score.part[p], hn::Sqrt(form.part[p]));
    }
    return score;
  }

 private:
  InnerProductScore mean_;
  QuadraticFormScore form_;
};

constexpr auto& kBest =
    Best<OptimismScore, std::span<const float>, const PackedFactor&>;
constexpr auto& kTop =
    Top<OptimismScore, std::span<const float>, const PackedFactor&>;

void BlockMoments(const float* block, std::span<const float> direction,
                  const PackedFactor& factor, Moments& out) {
  Store(InnerProductScore(direction)(block), out.mean);
  Store(QuadraticFormScore(factor)(block), out.form);
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(kBest);
HWY_EXPORT(kTop);
HWY_EXPORT(BlockMoments);

Hit BestOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 float bar) {
  return HWY_DYNAMIC_DISPATCH(kBest)(table, blocks, direction, factor, bar);
}

void TopOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 TopHits& top) {
  HWY_DYNAMIC_DISPATCH(kTop)(table, blocks, direction, factor, top);
}

void BlockMoments(const float* block, std::span<const float> direction,
                  const PackedFactor& factor, Moments& out) {
  HWY_DYNAMIC_DISPATCH(BlockMoments)(block, direction, factor, out);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
