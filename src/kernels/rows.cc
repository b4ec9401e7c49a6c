#include "kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include "kernels/blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

struct AddSquaredDifference {
  template <class V>
  HWY_INLINE V operator()(V x, V y, V sum) const {
    const V difference = hn::Sub(x, y);
    return hn::MulAdd(difference, difference, sum);
  }
};

struct AddProduct {
  template <class V>
  HWY_INLINE V operator()(V x, V y, V sum) const {
    return hn::MulAdd(x, y, sum);
  }
};

// In the widest registers as far as they fit, the rest four floats at a time.
template <class Add>
float Sum(const float* a, const float* b, std::size_t n) {
  const Add add;
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 4> narrow;
  const std::size_t width = hn::Lanes(wide);
  auto sum = hn::Zero(wide);
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    sum = add(hn::LoadU(wide, a + i), hn::LoadU(wide, b + i), sum);
  }
  auto rest = hn::Zero(narrow);
  for (; i < n; i += hn::Lanes(narrow)) {
    rest = add(hn::LoadU(narrow, a + i), hn::LoadU(narrow, b + i), rest);
  }
  return hn::GetLane(hn::SumOfLanes(wide, sum)) +
         hn::GetLane(hn::SumOfLanes(narrow, rest));
}

constexpr auto& kSquaredDistance = Sum<AddSquaredDifference>;
constexpr auto& kInnerProduct = Sum<AddProduct>;

// Eight sums: with four of them SSE4 reads from the cache at three quarters of
// the speed, and with sixteen it has no register left. Registers have 256 bits
// at most, as in the scan by inner product (scores-inl.h).
float PlainRead(const float* values, std::size_t n) {
  constexpr std::size_t kSums = 8;
  const hn::CappedTag<float, 8> tag;
  constexpr std::size_t kNarrow = hn::MaxLanes(tag);
  hn::Vec<decltype(tag)> sums[kSums];
  for (auto& sum : sums) sum = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + kSums * kNarrow <= n; i += kSums * kNarrow) {
    for (std::size_t s = 0; s < kSums; ++s) {
      sums[s] = hn::Add(sums[s], hn::LoadU(tag, values + i + s * kNarrow));
    }
  }
  for (; i < n; i += kNarrow) {
    sums[0] = hn::Add(sums[0], hn::LoadU(tag, values + i));
  }
  for (std::size_t s = 1; s < kSums; ++s) sums[0] = hn::Add(sums[0], sums[s]);
  return hn::GetLane(hn::SumOfLanes(tag, sums[0]));
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(kSquaredDistance);
HWY_EXPORT(kInnerProduct);
HWY_EXPORT(PlainRead);

float SquaredDistance(const float* a, const float* b, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(kSquaredDistance)(a, b, n);
}

float InnerProduct(const float* a, const float* b, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(kInnerProduct)(a, b, n);
}

float PlainRead(const float* values, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(PlainRead)(values, n);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
