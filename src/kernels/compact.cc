#include "kernels/compact.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/compact_vnni.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/compact.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include "kernels/blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

using DoubleTag = hn::CappedTag<double, kLanes>;
using FloatTag = hn::Rebind<float, DoubleTag>;
using IntTag = hn::Rebind<std::int32_t, DoubleTag>;

// Upper bounds of the roots as floats: sums of squares in double err by far
// less than this part. The next number above a positive float has the next
// bits.
HWY_INLINE hn::Vec<FloatTag> RootsRoundedUp(hn::Vec<DoubleTag> squares) {
  const hn::RebindToSigned<FloatTag> bits;
  const auto roots =
      hn::Mul(hn::Sqrt(squares), hn::Set(DoubleTag(), 1 + 0x1p-40));
  const auto nearest = hn::BitCast(bits, hn::DemoteTo(FloatTag(), roots));
  return hn::BitCast(FloatTag(), hn::Add(nearest, hn::Set(bits, 1)));
}

// Squares are added in double, where those of the smallest floats do not
// vanish.
void Shapes(const float* block, std::size_t dim, float* lengths, float* peaks) {
  const DoubleTag doubles;
  const FloatTag floats;
  for (std::size_t part = 0; part < kLanes; part += hn::Lanes(doubles)) {
    auto square = hn::Zero(doubles);
    auto peak = hn::Zero(floats);
    const float* at = block + part;
    for (std::size_t j = 0; j < dim; ++j, at += kLanes) {
      const auto x = hn::LoadU(floats, at);
      peak = hn::Max(peak, hn::Abs(x));
      const auto wide = hn::PromoteTo(doubles, x);
      square = hn::MulAdd(wide, wide, square);
    }
    hn::StoreU(RootsRoundedUp(square), floats, lengths + part);
    hn::StoreU(peak, floats, peaks + part);
  }
}

// Writes q + 128 and bounds of |x - scale q|. Differences are computed in
// double, where the product of a float and a byte is exact.
void Quantise(const float* block, std::size_t dim, const float* scales,
              std::uint8_t* compact, float* errors) {
  const DoubleTag doubles;
  const FloatTag floats;
  const IntTag ints;
  const auto most = hn::Set(doubles, 127.0);
  const auto least = hn::Set(doubles, -127.0);
  const auto offset = hn::Set(doubles, 128.0);
  for (std::size_t part = 0; part < kLanes; part += hn::Lanes(doubles)) {
    const auto scale = hn::PromoteTo(doubles, hn::LoadU(floats, scales + part));
    const auto reciprocal = hn::Div(hn::Set(doubles, 1.0), scale);
    auto square = hn::Zero(doubles);
    const float* at = block + part;
    auto* words = reinterpret_cast<std::int32_t*>(compact) + part;  // NOLINT
    for (std::size_t quad = 0; quad < dim; quad += kQuad, words += kLanes) {
      auto word = hn::Zero(ints);
      const auto feature = [&](std::size_t j) {
        if (j >= dim) return hn::Set(ints, 128);
        const auto x =
            hn::PromoteTo(doubles, hn::LoadU(floats, at + j * kLanes));
        const auto nearest = hn::Round(hn::Mul(x, reciprocal));
        const auto q = hn::Min(hn::Max(nearest, least), most);
        const auto rest = hn::NegMulAdd(q, scale, x);
        square = hn::MulAdd(rest, rest, square);
        return hn::DemoteTo(ints, hn::Add(q, offset));
      };
      word = feature(quad);
      word = hn::Or(word, hn::ShiftLeft<8>(feature(quad + 1)));
      word = hn::Or(word, hn::ShiftLeft<16>(feature(quad + 2)));
      word = hn::Or(word, hn::ShiftLeft<24>(feature(quad + 3)));
      hn::StoreU(word, ints, words);
    }
    hn::StoreU(RootsRoundedUp(square), floats, errors + part);
  }
}

using WordTag = hn::CappedTag<std::uint32_t, kLanes>;
using SumTag = hn::CappedTag<std::int32_t, kLanes>;
using Sum = hn::Vec<SumTag>;

void RestoreBlock(const std::uint8_t* compact, std::size_t dim, float scale,
                  float* block) {
  const WordTag tag;
  const SumTag ints;
  const auto factor = hn::Set(Tag(), scale);
  const auto offset = hn::Set(ints, 128);
  for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
    const auto* words =
        reinterpret_cast<const std::uint32_t*>(compact) + part;  // NOLINT
    float* out = block + part;
    for (std::size_t quad = 0; quad < dim; quad += kQuad, words += kLanes) {
      auto word = hn::Load(tag, words);
      for (std::size_t j = quad; j < HWY_MIN(quad + kQuad, dim); ++j) {
        const auto byte = hn::And(word, hn::Set(tag, 0xffU));
        const auto q = hn::Sub(hn::BitCast(ints, byte), offset);
        hn::Store(hn::Mul(factor, hn::ConvertTo(Tag(), q)), Tag(),
                  out + j * kLanes);
        word = hn::ShiftRight<8>(word);
      }
    }
  }
}

// Adds the products of four features of each arm.
class Products {
 public:
  explicit Products(const CompactDirection& direction)
      : bytes_(direction.bytes().data()),
        even_(direction.even().data()),
        odd_(direction.odd().data()) {}

  HWY_INLINE Sum Add(const std::uint8_t* words, std::size_t quad,
                     Sum sum) const {
    const auto data = hn::Load(
        WordTag(), reinterpret_cast<const std::uint32_t*>(words));  // NOLINT
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    // On x86 this instruction adds the products of adjacent numbers.
    (void)bytes_;
    const hn::RepartitionToNarrow<SumTag> halves;
    const hn::RebindToUnsigned<decltype(halves)> positive;
    const auto even =
        hn::And(hn::BitCast(halves, data), hn::Set(halves, std::int16_t{0xff}));
    const auto odd =
        hn::BitCast(halves, hn::ShiftRight<8>(hn::BitCast(positive, data)));
    Sum unused = hn::Zero(SumTag());
    sum = hn::ReorderWidenMulAccumulate(
        SumTag(), even, hn::BitCast(halves, hn::Set(WordTag(), even_[quad])),
        sum, unused);
    return hn::ReorderWidenMulAccumulate(
        SumTag(), odd, hn::BitCast(halves, hn::Set(WordTag(), odd_[quad])), sum,
        unused);
#else
    (void)even_, (void)odd_;
    const auto byte = [&](auto feature, std::uint32_t shift) {
      const auto h = static_cast<std::int8_t>(bytes_[quad] >> shift & 0xffU);
      const auto q = hn::And(feature, hn::Set(WordTag(), 0xffU));
      sum = hn::Add(sum, hn::Mul(hn::BitCast(SumTag(), q),
                                 hn::Set(SumTag(), std::int32_t{h})));
    };
    byte(data, 0);
    byte(hn::ShiftRight<8>(data), 8);
    byte(hn::ShiftRight<16>(data), 16);
    byte(hn::ShiftRight<24>(data), 24);
    return sum;
#endif
  }

 private:
  const std::uint32_t* bytes_;
  const std::uint32_t* even_;
  const std::uint32_t* odd_;
};

// Reads the blocks from beginning to end, so that the processor foresees what
// comes next. Four sums for each block do not wait for one another.
std::size_t CompactReaching(const std::uint8_t* HWY_RESTRICT blocks,
                            std::size_t count,
                            const CompactDirection& direction,
                            std::int32_t threshold,
                            std::span<MaskedBlock> reaching) {
#if HWY_TARGET == HWY_AVX3
  if (HasVnni()) {
    return CompactReachingByVnni(blocks, count, direction, threshold, reaching);
  }
#endif
  constexpr std::size_t kLine = kLanes * kQuad;
  const SumTag tag;
  const Products products(direction);
  const std::size_t quads = direction.bytes().size();
  const auto below = hn::Set(tag, threshold + direction.offset() - 1);
  std::size_t entries = 0;
  for (std::size_t i = 0; i < count; ++i, blocks += quads * kLine) {
    std::uint32_t lanes = 0;
    for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
      const std::uint8_t* line = blocks + part * kQuad;
      Sum sum0 = hn::Zero(tag);
      Sum sum1 = hn::Zero(tag);
      Sum sum2 = hn::Zero(tag);
      Sum sum3 = hn::Zero(tag);
      std::size_t quad = 0;
      for (; quad + 4 <= quads; quad += 4, line += 4 * kLine) {
        sum0 = products.Add(line, quad, sum0);
        sum1 = products.Add(line + kLine, quad + 1, sum1);
        sum2 = products.Add(line + 2 * kLine, quad + 2, sum2);
        sum3 = products.Add(line + 3 * kLine, quad + 3, sum3);
      }
      for (; quad < quads; ++quad, line += kLine) {
        sum0 = products.Add(line, quad, sum0);
      }
      const Sum sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
      lanes |= LanesOf(hn::RebindMask(Tag(), hn::Gt(sum, below))) << part;
    }
    reaching[entries] = {.block = static_cast<std::uint32_t>(i),
                         .lanes = lanes};
    entries += lanes != 0 ? 1 : 0;
  }
  return entries;
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(Shapes);
HWY_EXPORT(Quantise);
HWY_EXPORT(RestoreBlock);
HWY_EXPORT(CompactReaching);

void ShapesOf(const float* block, std::size_t dim, BlockShapes& shapes) {
  HWY_DYNAMIC_DISPATCH(Shapes)(block, dim, shapes.length, shapes.peak);
}

void MakeCompact(const float* block, std::size_t dim,
                 std::span<const float, kLanes> scales, std::uint8_t* compact,
                 std::span<float, kLanes> errors) {
  HWY_DYNAMIC_DISPATCH(Quantise)
  (block, dim, scales.data(), compact, errors.data());
}

void RestoreBlock(const std::uint8_t* compact, std::size_t dim, float scale,
                  float* block) {
  HWY_DYNAMIC_DISPATCH(RestoreBlock)(compact, dim, scale, block);
}

void CopyCompact(const std::uint8_t* from, std::uint32_t from_lane,
                 std::uint8_t* to, std::uint32_t to_lane, std::size_t dim) {
  for (std::size_t quad = 0; quad < QuadsOf(dim); ++quad) {
    const std::size_t line = quad * kLanes * kQuad;
    std::memcpy(to + line + std::size_t{to_lane} * kQuad,
                from + line + std::size_t{from_lane} * kQuad, kQuad);
  }
}

void CompactDirection::Take(std::span<const float> direction) {
  double square = 0;
  float peak = 0;
  for (const float value : direction) {
    square += double{value} * value;
    peak = std::max(peak, std::abs(value));
  }
  length_ = std::sqrt(square) * (1 + 0x1p-40);
  // A direction of zeros, or of numbers that vanish in products, is 0 with any
  // step; its remainder says how much that neglects.
  // The step is a float, so that its products with whole numbers are exact.
  step_ = static_cast<float>(std::max(double{peak}, 0x1p-100) / 127);
  const std::size_t quads = QuadsOf(direction.size());
  bytes_.assign(quads, 0);
  even_.assign(quads, 0);
  odd_.assign(quads, 0);
  std::int32_t sum = 0;
  double rest_square = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const auto h =
        static_cast<std::int32_t>(std::lround(double{direction[j]} / step_));
    const double rest = double{direction[j]} - h * step_;
    rest_square += rest * rest;
    sum += h;
    const auto bits = static_cast<std::uint32_t>(h);
    bytes_[j / kQuad] |= (bits & 0xffU) << (8 * (j % kQuad));
    auto& pair = j % 2 == 0 ? even_ : odd_;
    pair[j / kQuad] |= (bits & 0xffffU) << (16 * (j % kQuad / 2));
  }
  offset_ = 128 * sum;
  error_ = std::sqrt(rest_square) * (1 + 0x1p-40);
}

std::int32_t CompactThreshold(double quotient) {
  constexpr double kMost = kMostCompact;
  const double threshold = std::floor(quotient) - 2;
  if (threshold > kMost) return kMostCompact;
  if (!(threshold > -kMost)) return -kMostCompact;  // NaN, too
  return static_cast<std::int32_t>(threshold);
}

std::size_t CompactReaching(const std::uint8_t* blocks, std::size_t count,
                            const CompactDirection& direction,
                            std::int32_t threshold,
                            std::span<MaskedBlock> reaching) {
  return HWY_DYNAMIC_DISPATCH(CompactReaching)(blocks, count, direction,
                                               threshold, reaching);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
