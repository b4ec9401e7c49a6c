#include "kernels/compact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "base/large_allocator.h"
#include "kernel_fixture.h"
#include "kernels/compact_vnni.h"
#include "manyarms/random.h"

namespace manyarms::kernels {
namespace {

struct Free {
  void operator()(std::uint8_t* memory) const { std::free(memory); }
};
using Blocks = std::unique_ptr<std::uint8_t, Free>;

Blocks MakeBlocks(std::size_t count, std::size_t dim) {
  const std::size_t bytes = count * CompactBlockBytes(dim);
  Blocks blocks(static_cast<std::uint8_t*>(std::aligned_alloc(64, bytes)));
  std::fill_n(blocks.get(), bytes, std::uint8_t{128});
  return blocks;
}

// Writes a row into a lane of a compact block, and returns its error.
float Write(std::span<const float> row, float scale, std::uint8_t* block,
            std::uint32_t lane, BlockShapes* shapes = nullptr) {
  std::vector<float> features(row.size() * kLanes, 1.5F);
  for (std::size_t j = 0; j < row.size(); ++j) {
    features[j * kLanes + lane] = row[j];
  }
  if (shapes != nullptr) ShapesOf(features.data(), row.size(), *shapes);
  std::array<float, kLanes> scales;
  scales.fill(scale);
  std::array<float, kLanes> errors;
  const Blocks compact = MakeBlocks(1, row.size());
  MakeCompact(features.data(), row.size(), scales, compact.get(), errors);
  CopyCompact(compact.get(), lane, block, lane, row.size());
  return errors[lane];
}

std::vector<float> WholeRow(std::size_t dim, std::uint64_t seed, int most) {
  RandomStream random(seed, RandomStream::Role::kArm, 0);
  std::vector<float> row(dim);
  for (float& value : row) {
    value = static_cast<float>(
                random.Below(2 * static_cast<std::uint64_t>(most) + 1)) -
            static_cast<float>(most);
  }
  return row;
}

// With whole numbers up to 127 and a scale of 1 nothing is lost, and the lanes
// that reach a threshold can be told from the rows.
TEST_P(Kernels, CompactReachingFindsExactlyTheLanesThatReachTheThreshold) {
  constexpr std::uint32_t kBlocks = 5;
  for (const std::size_t dim : kDims) {
    const Blocks blocks = MakeBlocks(kBlocks, dim);
    std::vector<float> whole = WholeRow(dim, 7, 127);
    whole[0] = 127;  // the step is 1
    CompactDirection direction;
    direction.Take(whole);
    ASSERT_EQ(direction.step(), 1);
    ASSERT_EQ(direction.error(), 0);
    std::vector<float> products;
    for (std::uint32_t arm = 0; arm < kBlocks * kLanes; ++arm) {
      const std::vector<float> row = WholeRow(dim, 100 + arm, 127);
      EXPECT_LT(
          Write(row, 1, blocks.get() + arm / kLanes * CompactBlockBytes(dim),
                arm % kLanes),
          1e-30F);
      double product = 0;
      for (std::size_t j = 0; j < dim; ++j) product += row[j] * whole[j];
      products.push_back(static_cast<float>(product));
    }
    std::vector<MaskedBlock> reaching(kBlocks);
    std::vector<float> thresholds(products.begin(), products.begin() + 20);
    thresholds.push_back(static_cast<float>(kMostCompact));
    thresholds.push_back(-static_cast<float>(kMostCompact));
    for (const float threshold : thresholds) {
      const std::size_t entries =
          CompactReaching(blocks.get(), kBlocks, direction,
                          static_cast<std::int32_t>(threshold), reaching);
      std::vector<bool> found(std::size_t{kBlocks} * kLanes);
      for (std::size_t i = 0; i < entries; ++i) {
        ForEachLane(reaching[i].lanes, [&](std::uint32_t lane) {
          found[reaching[i].block * kLanes + lane] = true;
        });
      }
      for (std::uint32_t arm = 0; arm < kBlocks * kLanes; ++arm) {
        ASSERT_EQ(found[arm], products[arm] >= threshold)
            << "dim " << dim << ", arm " << arm;
      }
    }
  }
}

TEST_P(Kernels, CompactReachingFindsTheSameLanesWithoutVnni) {
  constexpr std::size_t kDim = 21;
  constexpr std::uint32_t kBlocks = 7;
  const Blocks blocks = MakeBlocks(kBlocks, kDim);
  for (std::uint32_t arm = 0; arm < kBlocks * kLanes; ++arm) {
    Write(WholeRow(kDim, arm, 127), 1,
          blocks.get() + arm / kLanes * CompactBlockBytes(kDim), arm % kLanes);
  }
  CompactDirection direction;
  direction.Take(WholeRow(kDim, 999, 127));
  std::vector<MaskedBlock> with(kBlocks);
  std::vector<MaskedBlock> without(kBlocks);
  for (const std::int32_t threshold : {-100'000, -2000, 0, 3000, 50'000}) {
    const std::size_t entries =
        CompactReaching(blocks.get(), kBlocks, direction, threshold, with);
    AllowVnni(false);
    const std::size_t others =
        CompactReaching(blocks.get(), kBlocks, direction, threshold, without);
    AllowVnni(true);
    ASSERT_EQ(entries, others);
    for (std::size_t i = 0; i < entries; ++i) {
      EXPECT_EQ(with[i].block, without[i].block);
      EXPECT_EQ(with[i].lanes, without[i].lanes);
    }
  }
}

TEST_P(Kernels, CompactArmsAreAsNearAsTheirErrorSays) {
  for (const std::size_t dim : {1U, 3U, 16U, 33U, 300U, 1024U}) {
    for (const double size : {1e-40, 1e-20, 1.0, 1e5}) {
      std::vector<float> row(dim);
      RandomStream(3, RandomStream::Role::kArm, dim).Gaussians(row);
      for (float& value : row) value = static_cast<float>(value * size);
      const float largest = std::abs(*std::ranges::max_element(
          row, {}, [](float value) { return std::abs(value); }));
      const float scale = std::max(largest, 0x1p-100F) / 127;
      const Blocks block = MakeBlocks(1, dim);
      BlockShapes shapes;
      const float error = Write(row, scale, block.get(), 5, &shapes);
      long double square = 0;
      long double rest = 0;
      float peak = 0;
      for (std::size_t j = 0; j < dim; ++j) {
        const int q = block.get()[j / kQuad * 64 + 5 * kQuad + j % kQuad] - 128;
        const long double difference =
            static_cast<long double>(row[j]) -
            static_cast<long double>(scale) * static_cast<long double>(q);
        rest += difference * difference;
        square += static_cast<long double>(row[j]) * row[j];
        peak = std::max(peak, std::abs(row[j]));
      }
      EXPECT_EQ(shapes.peak[5], peak);
      EXPECT_GE(static_cast<long double>(shapes.length[5]), std::sqrt(square));
      EXPECT_LE(shapes.length[5],
                static_cast<float>(std::sqrt(square)) * 1.00001F + 1e-44F);
      EXPECT_GE(static_cast<long double>(error), std::sqrt(rest));
      // Each feature is at most half a step away.
      EXPECT_LE(error,
                0.51F * scale * std::sqrt(static_cast<float>(dim)) + 1e-44F);
    }
  }
}

TEST_P(Kernels, ACompactDirectionKnowsWhatItNeglects) {
  for (const std::size_t dim : kDims) {
    std::vector<float> values(dim);
    RandomStream(4, RandomStream::Role::kArm, dim).Gaussians(values);
    CompactDirection direction;
    direction.Take(values);
    long double rest = 0;
    for (std::size_t j = 0; j < dim; ++j) {
      const auto h = static_cast<std::int8_t>(
          direction.bytes()[j / kQuad] >> (8 * (j % kQuad)) & 0xffU);
      const long double difference =
          values[j] - static_cast<long double>(direction.step()) * h;
      rest += difference * difference;
    }
    EXPECT_GE(static_cast<long double>(direction.error()) * (1 + 1e-15L),
              std::sqrt(rest));
    EXPECT_LE(direction.error(),
              direction.length() / 127 * std::sqrt(static_cast<double>(dim)));
  }
}

TEST_P(Kernels, ARestoredBlockHasTheCompactFeatures) {
  for (const std::size_t dim : kDims) {
    const Blocks compact = MakeBlocks(1, dim);
    std::vector<std::vector<float>> rows;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      rows.push_back(WholeRow(dim, 50 + lane, 127));
      Write(rows.back(), 1, compact.get(), lane);
    }
    std::vector<float, LargeAllocator<float>> block(dim * kLanes);
    RestoreBlock(compact.get(), dim, 0.25F, block.data());
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t j = 0; j < dim; ++j) {
        ASSERT_EQ(block[j * kLanes + lane], 0.25F * rows[lane][j]);
      }
    }
  }
}

TEST_P(Kernels, ACompactArmCanBeCopiedToAnotherLane) {
  constexpr std::size_t kDim = 18;
  const Blocks one = MakeBlocks(1, kDim);
  const Blocks other = MakeBlocks(1, kDim);
  const std::vector<float> row = WholeRow(kDim, 9, 127);
  Write(row, 1, one.get(), 3);
  CopyCompact(one.get(), 3, other.get(), 15, kDim);
  for (std::size_t j = 0; j < kDim; ++j) {
    EXPECT_EQ(other.get()[j / kQuad * 64 + 15 * kQuad + j % kQuad] - 128,
              static_cast<int>(row[j]));
  }
}

}  // namespace
}  // namespace manyarms::kernels
