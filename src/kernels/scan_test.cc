// Scans by each score: inner_product.h, quadratic_form.h, optimism.h and
// quadratic_optimism.h.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "kernel_fixture.h"
#include "kernels/inner_product.h"
#include "kernels/instruction_set.h"
#include "kernels/optimism.h"
#include "kernels/quadratic_form.h"
#include "kernels/quadratic_optimism.h"
#include "testing.h"

namespace manyarms::kernels {
namespace {

// The obvious way: every arm is scored on its own, and all are sorted by
// falling score, equal ones by the smaller id.
template <class Score>
std::vector<Hit> Ranked(const IntegerArms& arms, const Score& score) {
  std::vector<Hit> hits;
  for (const MaskedBlock& masked : arms.masked()) {
    ForEachLane(masked.lanes, [&](std::uint32_t lane) {
      const Slot slot = masked.block * kLanes + lane;
      hits.push_back({slot, score(slot)});
    });
  }
  std::ranges::sort(hits, [&](const Hit& one, const Hit& other) {
    if (one.score != other.score) return one.score > other.score;
    return arms.table().Id(one.slot) < arms.table().Id(other.slot);
  });
  return hits;
}

template <class Score>
void ExpectBest(const Hit& found, const IntegerArms& arms, const Score& score) {
  const std::vector<Hit> ranked = Ranked(arms, score);
  const Hit expected = ranked.empty() ? Hit() : ranked.front();
  EXPECT_EQ(found.slot, expected.slot);
  EXPECT_EQ(found.score, expected.score);
}

TEST_P(Kernels, BestInnerProductAgreesWithTheObvious) {
  for (const std::size_t dim : kDims) {
    for (const std::uint32_t blocks : {1U, 2U, 9U, 40U}) {
      const IntegerArms arms(dim, blocks, blocks);
      const auto direction = Direction(dim);
      SCOPED_TRACE(::testing::Message()
                   << dim << " features, " << blocks << " blocks");
      ExpectBest(BestInnerProduct(arms.table(), arms.masked(), direction), arms,
                 [&](Slot slot) { return Linear(arms, slot, direction); });
    }
  }
}

TEST_P(Kernels, BestQuadraticFormAgreesWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 20, dim);
    const auto lower = Lower(dim);
    const PackedFactor factor(lower.data(), dim);
    SCOPED_TRACE(::testing::Message() << dim << " features");
    ExpectBest(BestQuadraticForm(arms.table(), arms.masked(), factor), arms,
               [&](Slot slot) { return Form(arms, slot, lower); });
  }
}

TEST_P(Kernels, BestOptimismAgreesWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 20, dim);
    const auto lower = Lower(dim);
    const auto direction = Direction(dim);
    const PackedFactor factor(lower.data(), dim);
    SCOPED_TRACE(::testing::Message() << dim << " features");
    ExpectBest(BestOptimism(arms.table(), arms.masked(), direction, factor),
               arms, [&](Slot slot) {
                 return Linear(arms, slot, direction) +
                        std::sqrt(Form(arms, slot, lower));
               });
  }
}

TEST_P(Kernels, BestQuadraticOptimismAgreesWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 20, dim);
    const auto lower = Lower(dim);
    const auto direction = Direction(dim);
    const PackedFactor factor(lower.data(), dim);
    SCOPED_TRACE(::testing::Message() << dim << " features");
    ExpectBest(
        BestQuadraticOptimism(arms.table(), arms.masked(), direction, factor),
        arms, [&](Slot slot) {
          return Linear(arms, slot, direction) + Form(arms, slot, lower);
        });
  }
}

void ExpectTop(const TopHits& top, const std::vector<Hit>& ranked) {
  const std::vector<Hit> found = top.Sorted();
  ASSERT_EQ(found.size(), std::min(top.count(), ranked.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].slot, ranked[i].slot) << i;
    EXPECT_EQ(found[i].score, ranked[i].score) << i;
  }
}

TEST_P(Kernels, TheTopAgreesWithTheObvious) {
  for (const std::size_t dim : {1U, 2U, 5U, 16U}) {  // few features: many ties
    for (const std::uint32_t blocks : {1U, 2U, 9U, 40U}) {
      const IntegerArms arms(dim, blocks, dim);
      const auto lower = Lower(dim);
      const PackedFactor factor(lower.data(), dim);
      const auto direction = Direction(dim);
      for (const std::size_t count : {1U, 2U, 7U, 100U, 1000U}) {
        TopHits product(count);
        TopInnerProduct(arms.table(), arms.masked(), direction, product);
        ExpectTop(product, Ranked(arms, [&](Slot slot) {
                    return Linear(arms, slot, direction);
                  }));
        TopHits form(count);
        TopQuadraticForm(arms.table(), arms.masked(), factor, form);
        ExpectTop(form, Ranked(arms, [&](Slot slot) {
                    return Form(arms, slot, lower);
                  }));
        TopHits optimism(count);
        TopOptimism(arms.table(), arms.masked(), direction, factor, optimism);
        ExpectTop(optimism, Ranked(arms, [&](Slot slot) {
                    return Linear(arms, slot, direction) +
                           std::sqrt(Form(arms, slot, lower));
                  }));
        TopHits quadratic(count);
        TopQuadraticOptimism(arms.table(), arms.masked(), direction, factor,
                             quadratic);
        ExpectTop(quadratic, Ranked(arms, [&](Slot slot) {
                    return Linear(arms, slot, direction) +
                           Form(arms, slot, lower);
                  }));
      }
    }
  }
}

TEST_P(Kernels, TiesGoToTheSmallerId) {
  const IntegerArms arms(3, 30, 1);
  const std::vector<float> zero(3, 0.0F);
  ExpectBest(BestInnerProduct(arms.table(), arms.masked(), zero), arms,
             [](Slot) { return 0.0F; });
}

TEST_P(Kernels, NothingIsFoundAmongNoArms) {
  const IntegerArms arms(3, 2, 1);
  const std::vector<MaskedBlock> empty = {{0, 0}, {1, 0}};
  const std::vector<float> ones(3, 1.0F);
  EXPECT_EQ(BestInnerProduct(arms.table(), empty, ones).slot, kNoSlot);
  EXPECT_EQ(BestInnerProduct(arms.table(), {}, ones).slot, kNoSlot);
}

TEST_P(Kernels, BlockMomentsAgreeWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 1, dim);
    const auto lower = Lower(dim);
    const auto direction = Direction(dim);
    Moments moments;
    BlockMoments(arms.table().Features(0), direction,
                 PackedFactor(lower.data(), dim), moments);
    for (Slot slot = 0; slot < kLanes; ++slot) {
      EXPECT_EQ(moments.mean[slot], Linear(arms, slot, direction));
      EXPECT_EQ(moments.form[slot], Form(arms, slot, lower));
    }
  }
}

TEST_P(Kernels, BestQuadraticFormOfEachIsThatOfEachAlone) {
  for (const std::size_t dim : kDims) {
    for (const std::uint32_t blocks : {1U, 2U, 7U}) {
      const IntegerArms arms(dim, blocks, dim);
      const auto lower = Lower(dim);
      const PackedFactor factor(lower.data(), dim);
      std::vector<Hit> best(blocks);
      BestQuadraticFormOfEach(arms.table(), arms.masked(), factor, best);
      for (std::uint32_t b = 0; b < blocks; ++b) {
        const Hit alone =
            BestQuadraticForm(arms.table(), {&arms.masked()[b], 1}, factor);
        EXPECT_EQ(best[b].slot, alone.slot);
        EXPECT_EQ(best[b].score, alone.score);
      }
    }
  }
}

TEST_P(Kernels, BestQuadraticFormOfEachSkipsNaNAndKeepsTies) {
  const IntegerArms arms(2, 3, 5);
  const std::vector<double> infinite = {std::numeric_limits<double>::infinity(),
                                        0.0, 0.0, 0.0};
  const PackedFactor factor(infinite.data(), 2);
  // Infinity where the first feature is not 0, and NaN where it is.
  const std::vector<MaskedBlock> blocks = {{0, kAllLanes}, {1, 0}, {2, 0x8421}};
  std::vector<Hit> best(3);
  BestQuadraticFormOfEach(arms.table(), blocks, factor, best);
  for (std::size_t b = 0; b < 3; ++b) {
    const Hit alone = BestQuadraticForm(arms.table(), {&blocks[b], 1}, factor);
    EXPECT_EQ(best[b].slot, alone.slot);
    EXPECT_EQ(best[b].score, alone.score);
  }
  EXPECT_EQ(best[1].slot, kNoSlot);
}

// The same arms in chunks of two blocks, of which the last lies first in
// memory.
TEST_P(Kernels, ScansFollowTheChunks) {
  constexpr std::uint32_t kBlocks = 14;
  for (const std::size_t dim : {3U, 16U, 21U}) {
    const IntegerArms arms(dim, kBlocks, dim);
    std::vector<const float*> features;
    std::vector<const ArmId*> ids;
    std::vector<ArmId> all_ids;
    all_ids.reserve(std::size_t{kBlocks} * kLanes);
    for (Slot slot = 0; slot < kBlocks * kLanes; ++slot) {
      all_ids.push_back(arms.table().Id(slot));
    }
    for (std::uint32_t block = kBlocks; block > 0; block -= 2) {
      features.push_back(arms.table().Features(block - 2));
      ids.push_back(&all_ids[std::size_t{block - 2} * kLanes]);
    }
    const BlockTable table{features.data(), ids.data(), 1, dim};
    const auto moved = [](std::uint32_t block) {
      return (kBlocks - 2 - block / 2 * 2) + block % 2;
    };
    // An odd number of blocks, in another order than memory's.
    std::vector<MaskedBlock> masked;
    for (std::uint32_t b = 0; b + 1 < kBlocks; ++b) {
      masked.push_back({moved(b), arms.masked()[b].lanes});
    }
    const std::span before(arms.masked().data(), kBlocks - 1);
    const auto direction = Direction(dim);
    const auto lower = Lower(dim);
    const PackedFactor factor(lower.data(), dim);
    const auto expect_moved = [&](const Hit& found, const Hit& expected) {
      EXPECT_EQ(found.score, expected.score);
      EXPECT_EQ(found.slot,
                moved(BlockOf(expected.slot)) * kLanes + LaneOf(expected.slot));
    };
    expect_moved(BestInnerProduct(table, masked, direction),
                 BestInnerProduct(arms.table(), before, direction));
    expect_moved(BestQuadraticForm(table, masked, factor),
                 BestQuadraticForm(arms.table(), before, factor));
    expect_moved(BestOptimism(table, masked, direction, factor),
                 BestOptimism(arms.table(), before, direction, factor));
    expect_moved(
        BestQuadraticOptimism(table, masked, direction, factor),
        BestQuadraticOptimism(arms.table(), before, direction, factor));
  }
}

// On real numbers. All instruction sets with fused multiply-add round alike,
// and so do all without it.
TEST_P(Kernels, ScoresAreTakenInOneFixedOrder) {
  const std::set<std::string> unfused = {"SCALAR", "EMU128", "SSSE3", "SSE4"};
  const bool fused = !unfused.contains(InstructionSet());
  const auto add = [&](float a, float x, float sum) {
    return fused ? std::fma(a, x, sum) : a * x + sum;
  };
  for (const std::size_t dim : {1U, 4U, 6U, 16U, 19U, 37U}) {
    ArmStore store(dim);
    const auto rows = testing::GaussianRows(100, dim, 8);
    store.Add(testing::FirstIds(100), rows);
    const auto direction = testing::GaussianRows(1, dim, 9);
    const auto values = testing::GaussianRows(dim, dim, 10);
    const std::vector<double> lower(values.begin(), values.end());
    const PackedFactor factor(lower.data(), dim);
    for (std::uint32_t slot = 0; slot < 100; ++slot) {
      const std::vector<MaskedBlock> blocks = {
          {BlockOf(slot), 1U << LaneOf(slot)}};
      const float* x = &rows[slot * dim];
      float product = 0;
      float form = 0;
      for (std::size_t i = 0; i < dim; ++i) {
        product = add(direction[i], x[i], product);
        float row = 0;
        for (std::size_t j = 0; j <= i; ++j) {
          row = add(values[i * dim + j], x[j], row);
        }
        form = add(row, row, form);
      }
      EXPECT_EQ(BestInnerProduct(store.blocks(), blocks, direction).score,
                product);
      EXPECT_EQ(BestQuadraticForm(store.blocks(), blocks, factor).score, form);
      EXPECT_EQ(BestOptimism(store.blocks(), blocks, direction, factor).score,
                product + std::sqrt(form));
      EXPECT_EQ(BestQuadraticOptimism(store.blocks(), blocks, direction, factor)
                    .score,
                product + form);
    }
  }
}

}  // namespace
}  // namespace manyarms::kernels
