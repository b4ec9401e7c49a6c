#include "kernels/bounds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bounds.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE Whole Add(Whole x, float a) {
  const auto term = hn::Set(Tag(), a);
  for (Vec& part : x.part) part = hn::Add(part, term);
  return x;
}

HWY_INLINE Whole Mul(float a, Whole x) {
  const auto factor = hn::Set(Tag(), a);
  for (Vec& part : x.part) part = hn::Mul(factor, part);
  return x;
}

HWY_INLINE Whole Sqrt(Whole x) {
  for (Vec& part : x.part) part = hn::Sqrt(part);
  return x;
}

// The three numbers that BoundTerms defines, of the arms of a block.
class Bounds {
 public:
  explicit Bounds(const BoundTerms& terms)
      : terms_(terms),
        dim_(terms.factor->dim()),
        product_(terms.direction),
        form_(*terms.factor) {}

  HWY_INLINE Whole Length(const float* HWY_RESTRICT x) const {
    Whole square = Zeros<kParts>();
    for (std::size_t j = 0; j < dim_; ++j, x += kLanes) {
      square = AddSquare(Load<kParts>(x), square);
    }
    return Add(Sqrt(square), terms_.tiny);
  }

  HWY_INLINE Whole Width(const float* HWY_RESTRICT x,
                         const Whole& length) const {
    const Whole root = Add(Sqrt(form_(x)), terms_.tiny);
    return MulAdd(terms_.width_slack, length, Mul(terms_.width_scale, root));
  }

  HWY_INLINE Whole Centre(const float* HWY_RESTRICT x,
                          const Whole& length) const {
    return Add(MulAdd(terms_.centre_slack, length, product_(x)), terms_.tiny);
  }

 private:
  const BoundTerms& terms_;
  std::size_t dim_;
  InnerProductScore product_;
  QuadraticFormScore form_;
};

HWY_INLINE void StoreBounds(const float* block, const Bounds& bounds,
                            BlockBounds& out) {
  const Whole length = bounds.Length(block);
  Store(bounds.Centre(block, length), out.centre);
  Store(bounds.Width(block, length), out.width);
  Store(length, out.length);
}

void BoundsOf(const float* block, const BoundTerms& terms, BlockBounds& out) {
  StoreBounds(block, Bounds(terms), out);
}

void LengthsAndWidths(const float* block, const BoundTerms& terms,
                      BlockLengths& out) {
  const Bounds bounds(terms);
  const Whole length = bounds.Length(block);
  Store(Add(length, terms.tiny), out.length);
  Store(bounds.Width(block, length), out.width);
}

// The two halves of a survey are not inlined, so that each has enough
// registers.
HWY_NOINLINE void ComputeBounds(const BlockTable& table,
                                std::span<const MaskedBlock> blocks,
                                const Bounds& bounds,
                                std::span<BlockBounds> out) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    StoreBounds(table.Features(blocks[i].block), bounds, out[i]);
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

void Survey(const BlockTable& table, std::span<const MaskedBlock> blocks,
            const SurveyTerms& terms, std::span<BlockBounds> bounds,
            std::span<std::uint32_t> reaching, Ceiling& rest) {
  ComputeBounds(table, blocks, Bounds(terms.bounds), bounds);
  Divide(blocks, terms, bounds, reaching, rest);
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(BoundsOf);
HWY_EXPORT(LengthsAndWidths);
HWY_EXPORT(Survey);

void BoundsOf(const float* block, const BoundTerms& terms, BlockBounds& out) {
  HWY_DYNAMIC_DISPATCH(BoundsOf)(block, terms, out);
}

void LengthsAndWidths(const float* block, const BoundTerms& terms,
                      BlockLengths& out) {
  HWY_DYNAMIC_DISPATCH(LengthsAndWidths)(block, terms, out);
}

void Survey(const BlockTable& table, std::span<const MaskedBlock> blocks,
            const SurveyTerms& terms, std::span<BlockBounds> bounds,
            std::span<std::uint32_t> reaching, Ceiling& rest) {
  HWY_DYNAMIC_DISPATCH(Survey)(table, blocks, terms, bounds, reaching, rest);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
