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
  static constexpr bool kManyAddsPerLoad = true;

  OptimismScore(std::span<const float> direction, const PackedFactor& factor)
      : mean_(direction), form_(factor) {}

  HWY_INLINE Two operator()(const float* HWY_RESTRICT x,
                            const float* HWY_RESTRICT y) const {
    const Two mean = mean_(x, y);
    const Two form = form_(x, y);
    return {hn::Add(mean.first, hn::Sqrt(form.first)),
            hn::Add(mean.second, hn::Sqrt(form.second))};
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
  const Tag tag;
  const InnerProductScore mean(direction);
  const QuadraticFormScore form(factor);
  for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
    const float* x = block + part;
    hn::StoreU(mean(x, x).first, tag, out.mean + part);
    hn::StoreU(form(x, x).first, tag, out.form + part);
  }
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
