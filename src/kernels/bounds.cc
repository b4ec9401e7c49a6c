#include "kernels/bounds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bounds.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)

#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE Two Add(const Two& x, float a) {
  const auto term = hn::Set(Tag(), a);
  return {hn::Add(x.first, term), hn::Add(x.second, term)};
}

HWY_INLINE Two Mul(float a, const Two& x) {
  const auto factor = hn::Set(Tag(), a);
  return {hn::Mul(factor, x.first), hn::Mul(factor, x.second)};
}

HWY_INLINE Two Sqrt(const Two& x) {
  return {hn::Sqrt(x.first), hn::Sqrt(x.second)};
}

// The three numbers that BoundTerms defines, of the arms at two places.
class Bounds {
 public:
  explicit Bounds(const BoundTerms& terms)
      : terms_(terms),
        dim_(terms.factor->dim()),
        product_(terms.direction),
        form_(*terms.factor) {}

  HWY_INLINE Two Length(const float* HWY_RESTRICT x,
                        const float* HWY_RESTRICT y) const {
    Two square = Zeros();
    for (std::size_t j = 0; j < dim_; ++j, x += kLanes, y += kLanes) {
      square = AddSquare(Load(x, y), square);
    }
    return Add(Sqrt(square), terms_.tiny);
  }

  HWY_INLINE Two Width(const float* HWY_RESTRICT x, const float* HWY_RESTRICT y,
                       const Two& length) const {
    const Two root = Add(Sqrt(form_(x, y)), terms_.tiny);
    const Two scaled = Mul(terms_.width_scale, root);
    return MulAdd(terms_.width_slack, length, scaled);
  }

  HWY_INLINE Two Centre(const float* HWY_RESTRICT x,
                        const float* HWY_RESTRICT y, const Two& length) const {
    const Two product = product_(x, y);
    return Add(MulAdd(terms_.centre_slack, length, product), terms_.tiny);
  }

 private:
  const BoundTerms& terms_;
  std::size_t dim_;
  InnerProductScore product_;
  QuadraticFormScore form_;
};

void BoundsOf(const float* block, const BoundTerms& terms, BlockBounds& out) {
  const Tag tag;
  const Bounds bounds(terms);
  for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
    const float* x = block + part;
    const Two length = bounds.Length(x, x);
    const Two width = bounds.Width(x, x, length);
    const Two centre = bounds.Centre(x, x, length);
    hn::StoreU(centre.first, tag, out.centre + part);
    hn::StoreU(width.first, tag, out.width + part);
    hn::StoreU(length.first, tag, out.length + part);
  }
}

void LengthsAndWidths(const float* block, const BoundTerms& terms,
                      BlockLengths& out) {
  const Tag tag;
  const Bounds bounds(terms);
  for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
    const float* x = block + part;
    const Two length = bounds.Length(x, x);
    const Two width = bounds.Width(x, x, length);
    hn::StoreU(Add(length, terms.tiny).first, tag, out.length + part);
    hn::StoreU(width.first, tag, out.width + part);
  }
}

// The two halves of a survey are not inlined, so that each has enough
// registers.
HWY_NOINLINE void ComputeBounds(const BlockTable& table,
                                std::span<const MaskedBlock> blocks,
                                const Bounds& bounds,
                                std::span<BlockBounds> out) {
  const Tag tag;
  const std::size_t ahead = Ahead(table.dim);
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    // The last of an odd number is paired with itself.
    const std::size_t other = HWY_MIN(i + 1, blocks.size() - 1);
    const float* x = table.Features(blocks[i].block);
    const float* y = table.Features(blocks[other].block);
    PrefetchTwo(table, blocks, i + ahead);
    for (std::size_t part = 0; part < kLanes; part += hn::Lanes(tag)) {
      const Two length = bounds.Length(x + part, y + part);
      const Two width = bounds.Width(x + part, y + part, length);
      const Two centre = bounds.Centre(x + part, y + part, length);
      hn::StoreU(centre.first, tag, out[i].centre + part);
      hn::StoreU(width.first, tag, out[i].width + part);
      hn::StoreU(length.first, tag, out[i].length + part);
      hn::StoreU(centre.second, tag, out[other].centre + part);
      hn::StoreU(width.second, tag, out[other].width + part);
      hn::StoreU(length.second, tag, out[other].length + part);
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
