#include "kernels/kernels.h"

// Highway compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE once for each instruction set, by including this file
// again and again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/kernels.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// At most a block wide; narrower registers take a block in several parts.
using Tag = hn::CappedTag<float, kLanes>;
using Vec = hn::Vec<Tag>;

// Scores of the arms at two places. Two at a time, because their sums do not
// wait for one another and share the loads of the query.
struct Two {
  Vec first, second;
};

class InnerProductScore {
 public:
  static constexpr bool kManyAddsPerLoad = false;

  explicit InnerProductScore(std::span<const float> direction)
      : direction_(direction) {}

  HWY_INLINE Two operator()(const float* HWY_RESTRICT x,
                            const float* HWY_RESTRICT y) const {
    const Tag tag;
    Two sum = {hn::Zero(tag), hn::Zero(tag)};
    for (const float value : direction_) {
      const auto q = hn::Set(tag, value);
      sum.first = hn::MulAdd(q, hn::Load(tag, x), sum.first);
      sum.second = hn::MulAdd(q, hn::Load(tag, y), sum.second);
      x += kLanes;
      y += kLanes;
    }
    return sum;
  }

 private:
  std::span<const float> direction_;
};

class QuadraticFormScore {
 public:
  static constexpr bool kManyAddsPerLoad = true;

  explicit QuadraticFormScore(const PackedFactor& factor)
      : factor_(factor.data()), dim_(factor.dim()) {}

  HWY_INLINE Two operator()(const float* HWY_RESTRICT x,
                            const float* HWY_RESTRICT y) const {
    const Tag tag;
    const auto zero = hn::Zero(tag);
    const float* HWY_RESTRICT a = factor_;
    Two form = {zero, zero};
    for (std::size_t row = 0; row < dim_; row += PackedFactor::kRows) {
      Two row0 = {zero, zero};
      Two row1 = {zero, zero};
      Two row2 = {zero, zero};
      Two row3 = {zero, zero};
      const std::size_t columns = HWY_MIN(row + PackedFactor::kRows, dim_);
      for (std::size_t j = 0; j < columns; ++j, a += PackedFactor::kRows) {
        const Two xy = {hn::Load(tag, x + j * kLanes),
                        hn::Load(tag, y + j * kLanes)};
        row0 = MulAdd(a[0], xy, row0);
        row1 = MulAdd(a[1], xy, row1);
        row2 = MulAdd(a[2], xy, row2);
        row3 = MulAdd(a[3], xy, row3);
      }
      form = AddSquare(row3,
                       AddSquare(row2, AddSquare(row1, AddSquare(row0, form))));
    }
    return form;
  }

 private:
  static HWY_INLINE Two MulAdd(float a, const Two& x, const Two& sum) {
    const auto factor = hn::Set(Tag(), a);
    return {hn::MulAdd(factor, x.first, sum.first),
            hn::MulAdd(factor, x.second, sum.second)};
  }
  static HWY_INLINE Two AddSquare(const Two& x, const Two& sum) {
    return {hn::MulAdd(x.first, x.first, sum.first),
            hn::MulAdd(x.second, x.second, sum.second)};
  }

  const float* factor_;
  std::size_t dim_;
};

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

// The best arm so far.
class Leader {
 public:
  explicit Leader(const BlockTable& table, float bar = kNoBar)
      : table_(table), best_{kNoSlot, bar} {}

  float bar() const { return best_.score; }
  const Hit& best() const { return best_; }

  void Offer(const MaskedBlock& masked, const float* scores) {
    for (std::uint32_t lanes = masked.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane =
          static_cast<std::uint32_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(lanes));
      if (!(scores[lane] >= best_.score))
        continue;  // nor one that is no number
      const Slot slot = masked.block * kLanes + lane;
      const ArmId id = table_.Id(slot);
      if (best_.slot == kNoSlot || scores[lane] > best_.score || id < id_) {
        best_ = {slot, scores[lane]};
        id_ = id;
      }
    }
  }

 private:
  const BlockTable& table_;
  Hit best_;
  ArmId id_ = 0;
};

// How many blocks ahead the next ones are fetched where many multiply-adds lie
// between two loads: the machine does not look that far by itself. Measured at
// a million arms, d = 16: 7.3 ms without, 6.6 ms with. A scan by inner product
// gains nothing from it and loses a third when the arms are in the cache.
// In bytes it is the same for all dimensions: more would push out of the
// nearest cache what is needed first.
std::size_t Ahead(std::size_t dim) {
  return HWY_MAX(2, HWY_MIN(8, 128 / dim) & ~std::size_t{1});
}

HWY_INLINE void Prefetch(const BlockTable& table, std::uint32_t block) {
  const float* x = table.Features(block);
  for (std::size_t j = 0; j < table.dim; ++j) hwy::Prefetch(x + j * kLanes);
}

// The best so many so far.
class Leaders {
 public:
  Leaders(const BlockTable& table, TopHits& top) : table_(table), top_(top) {}

  float bar() const { return top_.bar(); }

  void Offer(const MaskedBlock& masked, const float* scores) {
    top_.Offer(table_, masked, scores);
  }

 private:
  const BlockTable& table_;
  TopHits& top_;
};

// One pass; a block costs a comparison beside its scores unless one of them
// reaches the bar, which for the best happens O(log K) times on arms in random
// order.
template <class Score, class Taker>
HWY_INLINE void Sweep(const BlockTable& table,
                      std::span<const MaskedBlock> blocks, const Score& score,
                      Taker& taker) {
  const Tag tag;
  const std::size_t ahead = Ahead(table.dim);
  HWY_ALIGN float first[kLanes];
  HWY_ALIGN float second[kLanes];
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    const MaskedBlock& one = blocks[i];
    // An odd one out is its own partner, offered once.
    const bool odd = i + 1 == blocks.size();
    const MaskedBlock& other = blocks[odd ? i : i + 1];
    const float* x = table.Features(one.block);
    const float* y = table.Features(other.block);
    if (Score::kManyAddsPerLoad && i + ahead + 1 < blocks.size()) {
      Prefetch(table, blocks[i + ahead].block);
      Prefetch(table, blocks[i + ahead + 1].block);
    }
    const auto bar = hn::Set(tag, taker.bar());
    bool reached = false;
    for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
      const Two s = score(x + part, y + part);
      hn::Store(s.first, tag, first + part);
      hn::Store(s.second, tag, second + part);
      reached |= !hn::AllFalse(
          tag, hn::Or(hn::Ge(s.first, bar), hn::Ge(s.second, bar)));
    }
    if (HWY_LIKELY(!reached)) continue;
    taker.Offer(one, first);
    if (!odd) taker.Offer(other, second);
  }
}

template <class Score>
HWY_INLINE Hit Best(const BlockTable& table,
                    std::span<const MaskedBlock> blocks, const Score& score,
                    float least) {
  Leader leader(table, least);
  Sweep(table, blocks, score, leader);
  return leader.best();
}

template <class Score>
HWY_INLINE void Top(const BlockTable& table,
                    std::span<const MaskedBlock> blocks, const Score& score,
                    TopHits& top) {
  Leaders leaders(table, top);
  Sweep(table, blocks, score, leaders);
}

class SquaredLength {
 public:
  explicit SquaredLength(std::size_t dim) : dim_(dim) {}

  HWY_INLINE Two operator()(const float* HWY_RESTRICT x,
                            const float* HWY_RESTRICT y) const {
    const Tag tag;
    Two sum = {hn::Zero(tag), hn::Zero(tag)};
    for (std::size_t j = 0; j < dim_; ++j, x += kLanes, y += kLanes) {
      const Two xy = {hn::Load(tag, x), hn::Load(tag, y)};
      sum.first = hn::MulAdd(xy.first, xy.first, sum.first);
      sum.second = hn::MulAdd(xy.second, xy.second, sum.second);
    }
    return sum;
  }

 private:
  std::size_t dim_;
};

// Centres and widths at two places.
class Bounds {
 public:
  explicit Bounds(const BoundTerms& terms)
      : terms_(terms),
        centre_(terms.direction),
        form_(*terms.factor),
        length_(terms.factor->dim()) {}

  struct TwoBounds {
    Two centre, width;
  };
  HWY_INLINE TwoBounds operator()(const float* HWY_RESTRICT x,
                                  const float* HWY_RESTRICT y) const {
    const Two length = Root(length_(x, y));
    const Two root = Root(form_(x, y));
    const Two scaled = Times(terms_.width_scale, root);
    const Two centre = AddTimes(terms_.centre_slack, length, centre_(x, y));
    const auto tiny = hn::Set(Tag(), terms_.tiny);
    return {{hn::Add(centre.first, tiny), hn::Add(centre.second, tiny)},
            AddTimes(terms_.width_slack, length, scaled)};
  }

 private:
  HWY_INLINE Two Root(const Two& square) const {
    const auto tiny = hn::Set(Tag(), terms_.tiny);
    return {hn::Add(hn::Sqrt(square.first), tiny),
            hn::Add(hn::Sqrt(square.second), tiny)};
  }
  static HWY_INLINE Two Times(float a, const Two& x) {
    const auto factor = hn::Set(Tag(), a);
    return {hn::Mul(factor, x.first), hn::Mul(factor, x.second)};
  }
  static HWY_INLINE Two AddTimes(float a, const Two& x, const Two& sum) {
    const auto factor = hn::Set(Tag(), a);
    return {hn::MulAdd(factor, x.first, sum.first),
            hn::MulAdd(factor, x.second, sum.second)};
  }

  const BoundTerms& terms_;
  InnerProductScore centre_;
  QuadraticFormScore form_;
  SquaredLength length_;
};

// The lanes of one register as a mask and back.
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

// The same with a leader for each block.
template <class Score>
HWY_INLINE void BestOfEach(const BlockTable& table,
                           std::span<const MaskedBlock> blocks,
                           const Score& score, std::span<Hit> best) {
  const Tag tag;
  const std::size_t ahead = Ahead(table.dim);
  HWY_ALIGN float first[kLanes];
  HWY_ALIGN float second[kLanes];
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    const std::size_t other = HWY_MIN(i + 1, blocks.size() - 1);
    const float* x = table.Features(blocks[i].block);
    const float* y = table.Features(blocks[other].block);
    if (i + ahead + 1 < blocks.size()) {
      Prefetch(table, blocks[i + ahead].block);
      Prefetch(table, blocks[i + ahead + 1].block);
    }
    for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
      const Two s = score(x + part, y + part);
      hn::Store(s.first, tag, first + part);
      hn::Store(s.second, tag, second + part);
    }
    Leader one(table);
    Leader two(table);
    one.Offer(blocks[i], first);
    two.Offer(blocks[other], second);
    best[i] = one.best();
    best[other] = two.best();
  }
}

// The two halves of a survey, kept apart so that each has registers enough.
HWY_NOINLINE void ComputeBounds(const BlockTable& table,
                                std::span<const MaskedBlock> blocks,
                                const Bounds& bounds,
                                std::span<BlockBounds> out) {
  const Tag tag;
  const std::size_t ahead = Ahead(table.dim);
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    // An odd one out is its own partner.
    const std::size_t other = HWY_MIN(i + 1, blocks.size() - 1);
    const float* x = table.Features(blocks[i].block);
    const float* y = table.Features(blocks[other].block);
    if (i + ahead + 1 < blocks.size()) {
      Prefetch(table, blocks[i + ahead].block);
      Prefetch(table, blocks[i + ahead + 1].block);
    }
    for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
      const auto two = bounds(x + part, y + part);
      hn::StoreU(two.centre.first, tag, out[i].centre + part);
      hn::StoreU(two.width.first, tag, out[i].width + part);
      hn::StoreU(two.centre.second, tag, out[other].centre + part);
      hn::StoreU(two.width.second, tag, out[other].width + part);
    }
  }
}

HWY_NOINLINE void Divide(std::span<const MaskedBlock> blocks,
                         const SurveyTerms& terms,
                         std::span<const BlockBounds> bounds,
                         std::span<std::uint32_t> reaching, Ceiling& rest) {
  const Tag tag;
  const auto none = hn::Set(tag, kNoHeight);
  const auto radius = hn::Set(tag, terms.radius);
  const auto cutoff = hn::Set(tag, terms.cutoff);
  Vec height[kRadii];
  for (Vec& h : height) h = none;
  auto widest = hn::Zero(tag);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    reaching[i] = 0;
    for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
      const auto centre = hn::LoadU(tag, bounds[i].centre + part);
      const auto width = hn::LoadU(tag, bounds[i].width + part);
      const auto member = MaskOf(blocks[i].lanes >> part);
      const auto high = hn::Ge(hn::MulAdd(radius, width, centre), cutoff);
      reaching[i] |= LanesOf(hn::And(member, high)) << part;
      const auto low = hn::AndNot(high, member);
      const auto low_centre = hn::IfThenElse(low, centre, none);
      for (std::size_t r = 0; r < kRadii; ++r) {
        height[r] = hn::Max(height[r], hn::MulAdd(hn::Set(tag, terms.radii[r]),
                                                  width, low_centre));
      }
      widest = hn::Max(widest, hn::IfThenElseZero(low, width));
    }
  }
  for (std::size_t r = 0; r < kRadii; ++r) {
    rest.height[r] =
        HWY_MAX(rest.height[r], hn::GetLane(hn::MaxOfLanes(tag, height[r])));
  }
  rest.widest = HWY_MAX(rest.widest, hn::GetLane(hn::MaxOfLanes(tag, widest)));
}

struct AddProduct {
  template <class V>
  HWY_INLINE V operator()(V x, V y, V sum) const {
    return hn::MulAdd(x, y, sum);
  }
};

struct AddSquaredDifference {
  template <class V>
  HWY_INLINE V operator()(V x, V y, V sum) const {
    const V difference = hn::Sub(x, y);
    return hn::MulAdd(difference, difference, sum);
  }
};

// In the widest registers first, the rest four at a time.
template <class Add>
HWY_INLINE float SumOverRows(const float* a, const float* b, std::size_t n,
                             const Add& add) {
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

}  // namespace

Hit BestInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, float bar) {
  return Best(table, blocks, InnerProductScore(direction), bar);
}

Hit BestQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, float bar) {
  return Best(table, blocks, QuadraticFormScore(factor), bar);
}

void BestQuadraticFormOfEach(const BlockTable& table,
                             std::span<const MaskedBlock> blocks,
                             const PackedFactor& factor, std::span<Hit> best) {
  BestOfEach(table, blocks, QuadraticFormScore(factor), best);
}

Hit BestOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 float bar) {
  return Best(table, blocks, OptimismScore(direction, factor), bar);
}

void TopInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, TopHits& top) {
  Top(table, blocks, InnerProductScore(direction), top);
}

void TopQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, TopHits& top) {
  Top(table, blocks, QuadraticFormScore(factor), top);
}

void TopOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 TopHits& top) {
  Top(table, blocks, OptimismScore(direction, factor), top);
}

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

void BoundsOf(const float* block, const BoundTerms& terms, BlockBounds& out) {
  const Tag tag;
  const Bounds bounds(terms);
  for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
    const auto two = bounds(block + part, block + part);
    hn::StoreU(two.centre.first, tag, out.centre + part);
    hn::StoreU(two.width.first, tag, out.width + part);
  }
}

void Survey(const BlockTable& table, std::span<const MaskedBlock> blocks,
            const SurveyTerms& terms, std::span<BlockBounds> bounds,
            std::span<std::uint32_t> reaching, Ceiling& rest) {
  ComputeBounds(table, blocks, Bounds(terms.bounds), bounds);
  Divide(blocks, terms, bounds, reaching, rest);
}

std::uint64_t DirectionsReached(const float* directions, std::size_t count,
                                std::span<const float> vector,
                                float threshold) {
  const Tag tag;
  const InnerProductScore score(vector);
  const auto bar = hn::Set(tag, threshold);
  const std::size_t stride = vector.size() * kLanes;
  const std::size_t blocks = (count + kLanes - 1) / kLanes;
  std::uint64_t reached = 0;
  for (std::size_t block = 0; block < blocks; block += 2) {
    const std::size_t other = HWY_MIN(block + 1, blocks - 1);
    for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
      const Two sum = score(directions + block * stride + part,
                            directions + other * stride + part);
      const auto lanes = [&](Vec s) {
        return static_cast<std::uint64_t>(LanesOf(hn::Ge(s, bar)));
      };
      reached |= lanes(sum.first) << (block * kLanes + part);
      reached |= lanes(sum.second) << (other * kLanes + part);
    }
  }
  return count == kDirectionGroup ? reached
                                  : reached & ((std::uint64_t{1} << count) - 1);
}

float SquaredDistance(const float* a, const float* b, std::size_t n) {
  return SumOverRows(a, b, n, AddSquaredDifference());
}

float InnerProduct(const float* a, const float* b, std::size_t n) {
  return SumOverRows(a, b, n, AddProduct());
}

float PlainRead(const float* values, std::size_t n) {
  const Tag tag;
  const std::size_t width = hn::Lanes(tag);
  auto sum0 = hn::Zero(tag);
  auto sum1 = hn::Zero(tag);
  auto sum2 = hn::Zero(tag);
  auto sum3 = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width) {
    sum0 = hn::Add(sum0, hn::LoadU(tag, values + i));
    sum1 = hn::Add(sum1, hn::LoadU(tag, values + i + width));
    sum2 = hn::Add(sum2, hn::LoadU(tag, values + i + 2 * width));
    sum3 = hn::Add(sum3, hn::LoadU(tag, values + i + 3 * width));
  }
  for (; i < n; i += width) {
    sum0 = hn::Add(sum0, hn::LoadU(tag, values + i));
  }
  return hn::GetLane(
      hn::SumOfLanes(tag, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

std::string InstructionSet() { return hwy::TargetName(HWY_TARGET); }

}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(BestInnerProduct);
HWY_EXPORT(BestQuadraticForm);
HWY_EXPORT(BestQuadraticFormOfEach);
HWY_EXPORT(BestOptimism);
HWY_EXPORT(TopInnerProduct);
HWY_EXPORT(TopQuadraticForm);
HWY_EXPORT(TopOptimism);
HWY_EXPORT(BlockMoments);
HWY_EXPORT(BoundsOf);
HWY_EXPORT(Survey);
HWY_EXPORT(DirectionsReached);
HWY_EXPORT(SquaredDistance);
HWY_EXPORT(InnerProduct);
HWY_EXPORT(PlainRead);
HWY_EXPORT(InstructionSet);

void PackedFactor::Pack(const double* lower, std::size_t dim) {
  dim_ = dim;
  const std::size_t bands = (dim + kRows - 1) / kRows;
  values_.resize(kRows * (kRows * bands * (bands + 1) / 2));
  float* out = values_.data();
  for (std::size_t row = 0; row < dim; row += kRows) {
    for (std::size_t j = 0; j < std::min(row + kRows, dim); ++j) {
      for (std::size_t i = row; i < row + kRows; ++i) {
        const bool inside = i < dim && j <= i;
        *out++ = inside ? static_cast<float>(lower[j * dim + i]) : 0.0F;
      }
    }
  }
}

Hit BestInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, float bar) {
  return HWY_DYNAMIC_DISPATCH(BestInnerProduct)(table, blocks, direction, bar);
}

Hit BestQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, float bar) {
  return HWY_DYNAMIC_DISPATCH(BestQuadraticForm)(table, blocks, factor, bar);
}

void BestQuadraticFormOfEach(const BlockTable& table,
                             std::span<const MaskedBlock> blocks,
                             const PackedFactor& factor, std::span<Hit> best) {
  HWY_DYNAMIC_DISPATCH(BestQuadraticFormOfEach)(table, blocks, factor, best);
}

Hit BestOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 float bar) {
  return HWY_DYNAMIC_DISPATCH(BestOptimism)(table, blocks, direction, factor,
                                            bar);
}

void TopInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, TopHits& top) {
  HWY_DYNAMIC_DISPATCH(TopInnerProduct)(table, blocks, direction, top);
}

void TopQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, TopHits& top) {
  HWY_DYNAMIC_DISPATCH(TopQuadraticForm)(table, blocks, factor, top);
}

void TopOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 TopHits& top) {
  HWY_DYNAMIC_DISPATCH(TopOptimism)(table, blocks, direction, factor, top);
}

void BlockMoments(const float* block, std::span<const float> direction,
                  const PackedFactor& factor, Moments& out) {
  HWY_DYNAMIC_DISPATCH(BlockMoments)(block, direction, factor, out);
}

void BoundsOf(const float* block, const BoundTerms& terms, BlockBounds& out) {
  HWY_DYNAMIC_DISPATCH(BoundsOf)(block, terms, out);
}

void Survey(const BlockTable& table, std::span<const MaskedBlock> blocks,
            const SurveyTerms& terms, std::span<BlockBounds> bounds,
            std::span<std::uint32_t> reaching, Ceiling& rest) {
  HWY_DYNAMIC_DISPATCH(Survey)(table, blocks, terms, bounds, reaching, rest);
}

std::uint64_t DirectionsReached(const float* directions, std::size_t count,
                                std::span<const float> vector,
                                float threshold) {
  return HWY_DYNAMIC_DISPATCH(DirectionsReached)(directions, count, vector,
                                                 threshold);
}

float SquaredDistance(const float* a, const float* b, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(SquaredDistance)(a, b, n);
}

float InnerProduct(const float* a, const float* b, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(InnerProduct)(a, b, n);
}

float PlainRead(const float* values, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(PlainRead)(values, n);
}

std::string InstructionSet() { return HWY_DYNAMIC_DISPATCH(InstructionSet)(); }

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
