#include "kernels/bounds.h"

#include <algorithm>
#include <cmath>

#include "kernel_fixture.h"

namespace manyarms::kernels {
namespace {

// Slacks and scale are powers of two, so that bounds are exact as well.
BoundTerms Terms(const std::vector<float>& direction,
                 const PackedFactor& factor) {
  return {.direction = direction,
          .factor = &factor,
          .centre_slack = 0.5F,
          .width_slack = 0.25F,
          .width_scale = 2,
          .tiny = 0.125F};
}

float SquaredLength(const IntegerArms& arms, Slot slot) {
  float square = 0;
  for (std::size_t j = 0; j < arms.dim(); ++j) {
    square += arms.Feature(slot, j) * arms.Feature(slot, j);
  }
  return square;
}

TEST_P(Kernels, BoundsAgreeWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 1, dim);
    const auto lower = Lower(dim);
    const PackedFactor factor(lower.data(), dim);
    for (const auto& direction : {Direction(dim), std::vector<float>()}) {
      BlockBounds bounds;
      BoundsOf(arms.table().Features(0), Terms(direction, factor), bounds);
      for (Slot slot = 0; slot < kLanes; ++slot) {
        const float length = std::sqrt(SquaredLength(arms, slot)) + 0.125F;
        const float root = std::sqrt(Form(arms, slot, lower)) + 0.125F;
        EXPECT_FLOAT_EQ(bounds.centre[slot],
                        Linear(arms, slot, direction) + 0.5F * length + 0.125F);
        EXPECT_FLOAT_EQ(bounds.width[slot], 2 * root + 0.25F * length);
      }
    }
  }
}

TEST_P(Kernels, LengthsAndWidthsAgreeWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 1, dim);
    const auto lower = Lower(dim);
    const PackedFactor factor(lower.data(), dim);
    const auto direction = Direction(dim);
    BlockLengths found;
    LengthsAndWidths(arms.table().Features(0), Terms(direction, factor), found);
    for (Slot slot = 0; slot < kLanes; ++slot) {
      const float length = std::sqrt(SquaredLength(arms, slot)) + 0.125F;
      const float root = std::sqrt(Form(arms, slot, lower)) + 0.125F;
      EXPECT_FLOAT_EQ(found.length[slot], length + 0.125F);
      EXPECT_FLOAT_EQ(found.width[slot], 2 * root + 0.25F * length);
    }
  }
}

// To the last bit, at terms that make every operation round.
TEST_P(Kernels, LengthsAreCentresWithoutADirectionAtASlackOfOne) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 1, dim);
    const auto lower = Lower(dim);
    const PackedFactor factor(lower.data(), dim);
    const auto direction = Direction(dim);
    for (const float tiny : {0x1p-60F, 0.1F, 3.3F}) {
      const BoundTerms terms{.direction = direction,
                             .factor = &factor,
                             .centre_slack = 0.3F,
                             .width_slack = 0.7F,
                             .width_scale = 1.1F,
                             .tiny = tiny};
      BlockLengths found;
      LengthsAndWidths(arms.table().Features(0), terms, found);
      BoundTerms without_direction = terms;
      without_direction.direction = {};
      without_direction.centre_slack = 1;
      BlockBounds expected;
      BoundsOf(arms.table().Features(0), without_direction, expected);
      for (Slot slot = 0; slot < kLanes; ++slot) {
        EXPECT_EQ(found.length[slot], expected.centre[slot]);
        EXPECT_EQ(found.width[slot], expected.width[slot]);
      }
    }
  }
}

TEST_P(Kernels, SurveyDividesArmsAndRaisesTheCeilingOfTheRest) {
  for (const std::size_t dim : {1U, 5U, 16U}) {
    for (const std::uint32_t blocks : {1U, 2U, 11U}) {
      const IntegerArms arms(dim, blocks, dim);
      const auto direction = Direction(dim);
      const auto lower = Lower(dim);
      const PackedFactor factor(lower.data(), dim);
      SurveyTerms terms{
          .bounds = Terms(direction, factor), .radius = 2, .cutoff = 40};
      for (std::size_t r = 0; r < kRadii; ++r) {
        terms.radii[r] = static_cast<float>(r);
      }
      std::vector<BlockBounds> bounds(blocks);
      std::vector<std::uint32_t> reaching(blocks);
      Ceiling rest = kNoCeiling;
      Survey(arms.table(), arms.masked(), terms, bounds, reaching, rest);

      Ceiling expected = kNoCeiling;
      for (std::uint32_t b = 0; b < blocks; ++b) {
        BlockBounds alone;
        BoundsOf(arms.table().Features(b), terms.bounds, alone);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          const float centre = alone.centre[lane];
          const float width = alone.width[lane];
          EXPECT_EQ(bounds[b].centre[lane], centre);
          EXPECT_EQ(bounds[b].width[lane], width);
          const bool member = (arms.masked()[b].lanes >> lane & 1U) != 0;
          const bool high = std::fma(2.0F, width, centre) >= 40;
          EXPECT_EQ((reaching[b] >> lane & 1U) != 0, member && high);
          if (!member || high) continue;
          for (std::size_t r = 0; r < kRadii; ++r) {
            expected.height[r] = std::max(
                expected.height[r], std::fma(terms.radii[r], width, centre));
          }
          expected.widest = std::max(expected.widest, width);
        }
      }
      for (std::size_t r = 0; r < kRadii; ++r) {
        EXPECT_FLOAT_EQ(rest.height[r], expected.height[r]);
      }
      EXPECT_EQ(rest.widest, expected.widest);
    }
  }
}

}  // namespace
}  // namespace manyarms::kernels
