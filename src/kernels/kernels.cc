#include "kernels/kernels.h"

// Highway compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE once for each instruction set, by including this file
// again and again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/kernels.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// At most a block wide; narrower registers take a block in several parts.
using Tag = hn::CappedTag<float, kLanes>;
using Vec = hn::Vec<Tag>;

class InnerProductScore {
 public:
  explicit InnerProductScore(std::span<const float> direction)
      : direction_(direction) {}

  HWY_INLINE Vec operator()(const float* HWY_RESTRICT x) const {
    const Tag tag;
    auto sum = hn::Zero(tag);
    for (std::size_t j = 0; j < direction_.size(); ++j) {
      sum = hn::MulAdd(hn::Set(tag, direction_[j]),
                       hn::Load(tag, x + j * kLanes), sum);
    }
    return sum;
  }

 private:
  std::span<const float> direction_;
};

class QuadraticFormScore {
 public:
  explicit QuadraticFormScore(const PackedFactor& factor)
      : factor_(factor.data()), dim_(factor.dim()) {}

  HWY_INLINE Vec operator()(const float* HWY_RESTRICT x) const {
    const Tag tag;
    const float* HWY_RESTRICT a = factor_;
    auto form = hn::Zero(tag);
    for (std::size_t row = 0; row < dim_; row += PackedFactor::kRows) {
      auto row0 = hn::Zero(tag);
      auto row1 = hn::Zero(tag);
      auto row2 = hn::Zero(tag);
      auto row3 = hn::Zero(tag);
      const std::size_t columns = HWY_MIN(row + PackedFactor::kRows, dim_);
      for (std::size_t j = 0; j < columns; ++j, a += PackedFactor::kRows) {
        const auto xj = hn::Load(tag, x + j * kLanes);
        row0 = hn::MulAdd(hn::Set(tag, a[0]), xj, row0);
        row1 = hn::MulAdd(hn::Set(tag, a[1]), xj, row1);
        row2 = hn::MulAdd(hn::Set(tag, a[2]), xj, row2);
        row3 = hn::MulAdd(hn::Set(tag, a[3]), xj, row3);
      }
      form = hn::MulAdd(row0, row0, form);
      form = hn::MulAdd(row1, row1, form);
      form = hn::MulAdd(row2, row2, form);
      form = hn::MulAdd(row3, row3, form);
    }
    return form;
  }

 private:
  const float* factor_;
  std::size_t dim_;
};

class OptimismScore {
 public:
  OptimismScore(std::span<const float> direction, const PackedFactor& factor)
      : mean_(direction), form_(factor) {}

  HWY_INLINE Vec operator()(const float* HWY_RESTRICT x) const {
    return hn::Add(mean_(x), hn::Sqrt(form_(x)));
  }

 private:
  InnerProductScore mean_;
  QuadraticFormScore form_;
};

// One pass; a block costs a comparison beside its scores unless one of them
// reaches the best so far, which happens O(log K) times on arms in random
// order.
template <class Score>
HWY_INLINE Hit Best(const BlockTable& table,
                    std::span<const MaskedBlock> blocks, const Score& score) {
  const Tag tag;
  const std::size_t width = hn::Lanes(tag);
  Hit best;
  ArmId best_id = 0;
  auto bar = hn::Set(tag, best.score);
  HWY_ALIGN float scores[kLanes];

  for (const MaskedBlock& masked : blocks) {
    const float* x = table.Features(masked.block);
    bool any = false;
    for (std::size_t part = 0; part < kLanes; part += width) {
      const auto s = score(x + part);
      hn::Store(s, tag, scores + part);
      any |= !hn::AllFalse(tag, hn::Ge(s, bar));
    }
    if (HWY_LIKELY(!any)) continue;

    for (std::uint32_t lanes = masked.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane =
          static_cast<std::uint32_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(lanes));
      if (scores[lane] < best.score) continue;
      const Slot slot = masked.block * kLanes + lane;
      const ArmId id = table.Id(slot);
      if (best.slot == kNoSlot || scores[lane] > best.score || id < best_id) {
        best = {slot, scores[lane]};
        best_id = id;
      }
    }
    bar = hn::Set(tag, best.score);
  }
  return best;
}

}  // namespace

Hit BestInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction) {
  return Best(table, blocks, InnerProductScore(direction));
}

Hit BestQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor) {
  return Best(table, blocks, QuadraticFormScore(factor));
}

Hit BestOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor) {
  return Best(table, blocks, OptimismScore(direction, factor));
}

void BlockMoments(const float* block, std::span<const float> direction,
                  const PackedFactor& factor, Moments& out) {
  const Tag tag;
  const InnerProductScore mean(direction);
  const QuadraticFormScore form(factor);
  for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
    hn::StoreU(mean(block + part), tag, out.mean + part);
    hn::StoreU(form(block + part), tag, out.form + part);
  }
}

float SquaredDistance(const float* a, const float* b, std::size_t n) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 4> narrow;
  const std::size_t width = hn::Lanes(wide);
  auto sum = hn::Zero(wide);
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    const auto difference =
        hn::Sub(hn::LoadU(wide, a + i), hn::LoadU(wide, b + i));
    sum = hn::MulAdd(difference, difference, sum);
  }
  auto rest = hn::Zero(narrow);
  for (; i < n; i += hn::Lanes(narrow)) {
    const auto difference =
        hn::Sub(hn::LoadU(narrow, a + i), hn::LoadU(narrow, b + i));
    rest = hn::MulAdd(difference, difference, rest);
  }
  return hn::GetLane(hn::SumOfLanes(wide, sum)) +
         hn::GetLane(hn::SumOfLanes(narrow, rest));
}

float InnerProduct(const float* a, const float* b, std::size_t n) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 4> narrow;
  const std::size_t width = hn::Lanes(wide);
  auto sum = hn::Zero(wide);
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    sum = hn::MulAdd(hn::LoadU(wide, a + i), hn::LoadU(wide, b + i), sum);
  }
  auto rest = hn::Zero(narrow);
  for (; i < n; i += hn::Lanes(narrow)) {
    rest = hn::MulAdd(hn::LoadU(narrow, a + i), hn::LoadU(narrow, b + i), rest);
  }
  return hn::GetLane(hn::SumOfLanes(wide, sum)) +
         hn::GetLane(hn::SumOfLanes(narrow, rest));
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
HWY_EXPORT(BestOptimism);
HWY_EXPORT(BlockMoments);
HWY_EXPORT(SquaredDistance);
HWY_EXPORT(InnerProduct);
HWY_EXPORT(PlainRead);
HWY_EXPORT(InstructionSet);

PackedFactor::PackedFactor(const double* lower, std::size_t dim) : dim_(dim) {
  values_.reserve((dim + kRows) * (dim + kRows) / 2 + kRows * dim);
  for (std::size_t row = 0; row < dim; row += kRows) {
    for (std::size_t j = 0; j < std::min(row + kRows, dim); ++j) {
      for (std::size_t i = row; i < row + kRows; ++i) {
        const bool inside = i < dim && j <= i;
        values_.push_back(inside ? static_cast<float>(lower[j * dim + i])
                                 : 0.0F);
      }
    }
  }
}

Hit BestInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction) {
  return HWY_DYNAMIC_DISPATCH(BestInnerProduct)(table, blocks, direction);
}

Hit BestQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor) {
  return HWY_DYNAMIC_DISPATCH(BestQuadraticForm)(table, blocks, factor);
}

Hit BestOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor) {
  return HWY_DYNAMIC_DISPATCH(BestOptimism)(table, blocks, direction, factor);
}

void BlockMoments(const float* block, std::span<const float> direction,
                  const PackedFactor& factor, Moments& out) {
  HWY_DYNAMIC_DISPATCH(BlockMoments)(block, direction, factor, out);
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
