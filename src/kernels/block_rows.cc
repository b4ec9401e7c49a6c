#include "kernels/block_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_rows.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include <cmath>

#include "kernels/blocks-inl.h"
#include "manyarms/types.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

// Four floats of every fourth row, the first row lowest.
template <class D>
HWY_INLINE hn::Vec<D> LoadEveryFourth(D d, const float* HWY_RESTRICT row,
                                      std::ptrdiff_t stride) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    return hn::LoadU(d, row);
  } else {
    const hn::Half<D> half;
    constexpr std::ptrdiff_t kRows = hn::MaxLanes(d) / 2;
    return hn::Combine(d, LoadEveryFourth(half, row + kRows * stride, stride),
                       LoadEveryFourth(half, row, stride));
  }
}

// Transposes the squares of four by four that a register's parts of 128 bits
// form with those of three others.
HWY_INLINE void Transpose(Vec (&v)[4]) {
  const Tag tag;
  const hn::Repartition<double, Tag> pairs;
  const auto of = [pairs](Vec x) { return hn::BitCast(pairs, x); };
  const Vec low01 = hn::InterleaveLower(tag, v[0], v[1]);
  const Vec low23 = hn::InterleaveLower(tag, v[2], v[3]);
  const Vec high01 = hn::InterleaveUpper(tag, v[0], v[1]);
  const Vec high23 = hn::InterleaveUpper(tag, v[2], v[3]);
  v[0] = hn::BitCast(tag, hn::InterleaveLower(pairs, of(low01), of(low23)));
  v[1] = hn::BitCast(tag, hn::InterleaveUpper(pairs, of(low01), of(low23)));
  v[2] = hn::BitCast(tag, hn::InterleaveLower(pairs, of(high01), of(high23)));
  v[3] = hn::BitCast(tag, hn::InterleaveUpper(pairs, of(high01), of(high23)));
}

// Writes coordinates as long as there are four, and returns how many. `good`
// becomes false if one of them is no feature.
std::size_t WriteFours(const float* HWY_RESTRICT rows, std::ptrdiff_t stride,
                       std::size_t dim, float* HWY_RESTRICT block, bool& good) {
  const Tag tag;
  const auto limit = hn::Set(tag, static_cast<float>(kMaxFeature));
  auto within = hn::Eq(limit, limit);
  std::size_t j = 0;
  for (; j + 4 <= dim; j += 4) {
    for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
      const float* first =
          rows + static_cast<std::ptrdiff_t>(part) * stride + j;
      Vec v[4] = {LoadEveryFourth(tag, first, stride),
                  LoadEveryFourth(tag, first + stride, stride),
                  LoadEveryFourth(tag, first + 2 * stride, stride),
                  LoadEveryFourth(tag, first + 3 * stride, stride)};
      Transpose(v);
      for (std::size_t k = 0; k < 4; ++k) {
        // False for NaN, too.
        within = hn::And(within, hn::Le(hn::Abs(v[k]), limit));
        hn::Store(v[k], tag, block + (j + k) * kLanes + part);
      }
    }
  }
  good = hn::AllTrue(tag, within);
  return j;
}

#endif

bool WriteBlock(const float* HWY_RESTRICT rows, std::ptrdiff_t stride,
                std::size_t dim, float* HWY_RESTRICT block) {
  bool good = true;
  std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  j = WriteFours(rows, stride, dim, block, good);
#endif
  for (; j < dim; ++j) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const float value = rows[static_cast<std::ptrdiff_t>(lane) * stride +
                               static_cast<std::ptrdiff_t>(j)];
      good = good && std::abs(value) <= kMaxFeature;
      block[j * kLanes + lane] = value;
    }
  }
  return good;
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(WriteBlock);

bool WriteBlock(const float* rows, std::ptrdiff_t stride, std::size_t dim,
                float* block) {
  return HWY_DYNAMIC_DISPATCH(WriteBlock)(rows, stride, dim, block);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
