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

using DoubleTag = hn::ScalableTag<double>;
using FloatTag = hn::Rebind<float, DoubleTag>;
using ByteTag = hn::Rebind<std::uint8_t, DoubleTag>;
using IntTag = hn::Rebind<std::int32_t, DoubleTag>;

// The sum of squares, in double, where those of the smallest floats do not
// vanish; and the largest absolute value.
double SquaredLength(std::span<const float> row, float& peak) {
  const DoubleTag doubles;
  const FloatTag floats;
  const std::size_t lanes = hn::Lanes(doubles);
  auto squares = hn::Zero(doubles);
  auto largest = hn::Zero(floats);
  std::size_t j = 0;
  for (; j + lanes <= row.size(); j += lanes) {
    const auto x = hn::LoadU(floats, row.data() + j);
    largest = hn::Max(largest, hn::Abs(x));
    const auto wide = hn::PromoteTo(doubles, x);
    squares = hn::MulAdd(wide, wide, squares);
  }
  double sum = hn::GetLane(hn::SumOfLanes(doubles, squares));
  peak = hn::GetLane(hn::MaxOfLanes(floats, largest));
  for (; j < row.size(); ++j) {
    sum += double{row[j]} * row[j];
    peak = HWY_MAX(peak, std::abs(row[j]));
  }
  return sum;
}

// Writes q + 128 to `bytes` and returns |x - scale q|^2. The difference is
// computed in double, where the product of a float and a byte is exact.
double Quantise(std::span<const float> row, float scale, std::uint8_t* bytes) {
  const DoubleTag doubles;
  const FloatTag floats;
  const std::size_t lanes = hn::Lanes(doubles);
  const double reciprocal = 1 / double{scale};
  const auto most = hn::Set(doubles, 127.0);
  const auto least = hn::Set(doubles, -127.0);
  auto squares = hn::Zero(doubles);
  std::size_t j = 0;
  for (; j + lanes <= row.size(); j += lanes) {
    const auto x = hn::PromoteTo(doubles, hn::LoadU(floats, row.data() + j));
    const auto nearest = hn::Round(hn::Mul(x, hn::Set(doubles, reciprocal)));
    const auto q = hn::Min(hn::Max(nearest, least), most);
    const auto rest = hn::NegMulAdd(q, hn::Set(doubles, double{scale}), x);
    squares = hn::MulAdd(rest, rest, squares);
    const auto shifted = hn::Add(q, hn::Set(doubles, 128.0));
    const auto whole = hn::DemoteTo(IntTag(), shifted);
    hn::StoreU(hn::DemoteTo(ByteTag(), whole), ByteTag(), bytes + j);
  }
  double sum = hn::GetLane(hn::SumOfLanes(doubles, squares));
  for (; j < row.size(); ++j) {
    const double nearest = std::nearbyint(double{row[j]} * reciprocal);
    const double q = HWY_MIN(HWY_MAX(nearest, -127.0), 127.0);
    const double rest = double{row[j]} - q * double{scale};
    sum += rest * rest;
    bytes[j] = static_cast<std::uint8_t>(q + 128);
  }
  return sum;
}

using WordTag = hn::CappedTag<std::uint32_t, kLanes>;
using SumTag = hn::CappedTag<std::int32_t, kLanes>;
using Sum = hn::Vec<SumTag>;

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

HWY_EXPORT(SquaredLength);
HWY_EXPORT(Quantise);
HWY_EXPORT(CompactReaching);

namespace {

// An upper bound of the root as a float: sums of squares in double err by far
// less than this part.
float RootRoundedUp(double square) {
  return std::nextafter(static_cast<float>(std::sqrt(square) * (1 + 0x1p-40)),
                        std::numeric_limits<float>::infinity());
}

}  // namespace

RowShape ShapeOf(std::span<const float> row) {
  float peak = 0;
  const double square = HWY_DYNAMIC_DISPATCH(SquaredLength)(row, peak);
  return {.length = RootRoundedUp(square), .peak = peak};
}

float WriteCompact(std::span<const float> row, float scale, std::uint8_t* block,
                   std::uint32_t lane) {
  constexpr std::size_t kAtOnce = 256;  // a multiple of kQuad
  std::uint8_t bytes[kAtOnce];
  double square = 0;
  std::uint8_t* quad = block + std::size_t{lane} * kQuad;
  for (std::size_t first = 0; first < row.size(); first += kAtOnce) {
    const auto part = row.subspan(first, std::min(kAtOnce, row.size() - first));
    square += HWY_DYNAMIC_DISPATCH(Quantise)(part, scale, bytes);
    for (std::size_t j = part.size(); j % kQuad != 0; ++j) bytes[j] = 128;
    for (std::size_t j = 0; j < part.size(); j += kQuad) {
      std::memcpy(quad, bytes + j, kQuad);
      quad += kLanes * kQuad;
    }
  }
  return RootRoundedUp(square);
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
  float peak = 0;
  const double square = HWY_DYNAMIC_DISPATCH(SquaredLength)(direction, peak);
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

std::size_t CompactReaching(const std::uint8_t* blocks, std::size_t count,
                            const CompactDirection& direction,
                            std::int32_t threshold,
                            std::span<MaskedBlock> reaching) {
  return HWY_DYNAMIC_DISPATCH(CompactReaching)(blocks, count, direction,
                                               threshold, reaching);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
