// Blocks of arms in registers. Like all headers whose names end in -inl.h, this
// one is compiled once for each instruction set, and Highway asks for the guard
// below in place of the usual one.
#if defined(MANYARMS_KERNELS_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MANYARMS_KERNELS_BLOCKS_INL_H_
#undef MANYARMS_KERNELS_BLOCKS_INL_H_
#else
#define MANYARMS_KERNELS_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/blocks.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A register holds at most one block; narrower registers hold a part of it.
using Tag = hn::CappedTag<float, kLanes>;
using Vec = hn::Vec<Tag>;

inline constexpr std::size_t kWidth = hn::MaxLanes(Tag());
inline constexpr std::size_t kParts = kLanes / kWidth;

// A value of each arm in n adjacent registers. Kernels take one block after the
// other, with all its registers at once: these share the loads of the query,
// their sums do not wait for each other, and memory is read in its order. Two
// blocks in step would share more loads, but their reads lie a block apart,
// which an AMD EPYC (Zen 4) does not prefetch: a scan of a million arms then
// reads at 35 % of the speed of a plain read. Nor do kernels prefetch blocks to
// come, which helped one processor and hurt another.
template <std::size_t n>
struct Registers {
  Vec part[n];
};
using Whole = Registers<kParts>;

template <std::size_t n>
HWY_INLINE Registers<n> Zeros() {
  Registers<n> zeros;
  for (Vec& part : zeros.part) part = hn::Zero(Tag());
  return zeros;
}

template <std::size_t n>
HWY_INLINE Registers<n> Load(const float* HWY_RESTRICT x) {
  Registers<n> loaded;
  for (std::size_t p = 0; p < n; ++p) {
    loaded.part[p] = hn::Load(Tag(), x + p * kWidth);
  }
  return loaded;
}

template <std::size_t n>
HWY_INLINE void Store(const Registers<n>& x, float* out) {
  for (std::size_t p = 0; p < n; ++p) {
    hn::StoreU(x.part[p], Tag(), out + p * kWidth);
  }
}

template <std::size_t n>
HWY_INLINE Registers<n> MulAdd(float a, const Registers<n>& x,
                               Registers<n> sum) {
  const auto factor = hn::Set(Tag(), a);
  for (std::size_t p = 0; p < n; ++p) {
    sum.part[p] = hn::MulAdd(factor, x.part[p], sum.part[p]);
  }
  return sum;
}

template <std::size_t n>
HWY_INLINE Registers<n> AddSquare(const Registers<n>& x, Registers<n> sum) {
  for (std::size_t p = 0; p < n; ++p) {
    sum.part[p] = hn::MulAdd(x.part[p], x.part[p], sum.part[p]);
  }
  return sum;
}

// The lanes of one register as a mask, from and to bits.
HWY_INLINE hn::Mask<Tag> MaskOf(std::uint32_t lanes) {
  alignas(8) std::uint8_t bits[8] = {static_cast<std::uint8_t>(lanes),
                                     static_cast<std::uint8_t>(lanes >> 8)};
  return hn::LoadMaskBits(Tag(), bits);
}
HWY_INLINE std::uint32_t LanesOf(hn::Mask<Tag> mask) {
  alignas(8) std::uint8_t bits[8] = {};
  hn::StoreMaskBits(Tag(), mask, bits);
  return bits[0] | std::uint32_t{bits[1]} << 8;
}

// Which lanes of a block reach the bar, as bits. NaN does not.
HWY_INLINE std::uint32_t LanesReaching(const Whole& values, float bar) {
  const auto least = hn::Set(Tag(), bar);
  std::uint32_t lanes = 0;
  for (std::size_t p = 0; p < kParts; ++p) {
    lanes |= LanesOf(hn::Ge(values.part[p], least)) << (p * kWidth);
  }
  return lanes;
}

// Whether any lane does, which takes less.
HWY_INLINE bool AnyReaches(const Whole& values, float bar) {
  const auto least = hn::Set(Tag(), bar);
  auto any = hn::Ge(values.part[0], least);
  for (std::size_t p = 1; p < kParts; ++p) {
    any = hn::Or(any, hn::Ge(values.part[p], least));
  }
  return !hn::AllFalse(Tag(), any);
}

// The highest value in the given lanes; NaN counts as the lowest.
HWY_INLINE float Highest(const Whole& values, std::uint32_t lanes) {
  const auto lowest = hn::Set(Tag(), -std::numeric_limits<float>::infinity());
  auto highest = lowest;
  for (std::size_t p = 0; p < kParts; ++p) {
    const auto part = values.part[p];
    const auto counts =
        hn::And(MaskOf(lanes >> (p * kWidth)), hn::Ge(part, lowest));
    highest = hn::Max(highest, hn::IfThenElse(counts, part, lowest));
  }
  return hn::GetLane(hn::MaxOfLanes(Tag(), highest));
}

}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MANYARMS_KERNELS_BLOCKS_INL_H_
