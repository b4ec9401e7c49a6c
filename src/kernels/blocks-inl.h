// Blocks of arms in registers. Like all headers whose names end in -inl.h, this
// one is compiled once for each instruction set, and Highway asks for the guard
// below in place of the usual one.
#if defined(MANYARMS_KERNELS_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MANYARMS_KERNELS_BLOCKS_INL_H_
#undef MANYARMS_KERNELS_BLOCKS_INL_H_
#else
#define MANYARMS_KERNELS_BLOCKS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/blocks.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A register holds at most one block; narrower registers hold a part of it.
using Tag = hn::CappedTag<float, kLanes>;
using Vec = hn::Vec<Tag>;

// Values of the arms at two places. Kernels work on two places at a time,
// because the two sums do not wait for each other and share the loads of the
// query.
struct Two {
  Vec first, second;
};

HWY_INLINE Two Zeros() { return {hn::Zero(Tag()), hn::Zero(Tag())}; }

HWY_INLINE Two Load(const float* HWY_RESTRICT x, const float* HWY_RESTRICT y) {
  return {hn::Load(Tag(), x), hn::Load(Tag(), y)};
}

HWY_INLINE Two MulAdd(float a, const Two& x, const Two& sum) {
  const auto factor = hn::Set(Tag(), a);
  return {hn::MulAdd(factor, x.first, sum.first),
          hn::MulAdd(factor, x.second, sum.second)};
}

HWY_INLINE Two AddSquare(const Two& x, const Two& sum) {
  return {hn::MulAdd(x.first, x.first, sum.first),
          hn::MulAdd(x.second, x.second, sum.second)};
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

// How many blocks ahead of the current one to prefetch. This pays where many
// multiply-adds lie between two loads, because the processor does not look that
// far ahead by itself: a scan of a million arms with a factor, d = 16, took 7.3
// ms without it and 6.6 ms with it. A scan by inner product gains nothing from
// it, and is a third slower with it when the arms are in the cache. The number
// of bytes is the same for all dimensions: more of them would evict from the
// nearest cache what is needed first.
inline std::size_t Ahead(std::size_t dim) {
  return HWY_MAX(2, HWY_MIN(8, 128 / dim) & ~std::size_t{1});
}

HWY_INLINE void Prefetch(const BlockTable& table, std::uint32_t block) {
  const float* x = table.Features(block);
  for (std::size_t j = 0; j < table.dim; ++j) hwy::Prefetch(x + j * kLanes);
}

// The block at `place` and the next one, if there are both.
HWY_INLINE void PrefetchTwo(const BlockTable& table,
                            std::span<const MaskedBlock> blocks,
                            std::size_t place) {
  if (place + 1 < blocks.size()) {
    Prefetch(table, blocks[place].block);
    Prefetch(table, blocks[place + 1].block);
  }
}

}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MANYARMS_KERNELS_BLOCKS_INL_H_
