#include "research/best_rewards.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel_for.h"
#include "kernels/inner_product.h"
#include "kernels/top_hits.h"

namespace manyarms {
namespace {

// Blocks that are scored together for all directions, so that they are read
// from the processor's second cache after the first time.
std::size_t BlocksTogether(std::size_t dim) {
  constexpr std::size_t kBytes = std::size_t{256} << 10;
  return std::max<std::size_t>(kBytes / (dim * kLanes * sizeof(float)), 1);
}

double Length(const auto& values) {
  double square = 0;
  for (const double value : values) square += value * value;
  return std::sqrt(square);
}

// How far a score of the kernels may be from InnerProduct, for a direction and
// an arm of these lengths: each of the products and sums, and the direction in
// float, is wrong by one part in 2^24 at most. Twice that also covers what is
// rounded here.
double ScoreError(std::size_t dim, double direction, double arm) {
  return 2 * (static_cast<double>(dim) + 4) * 0x1p-24 * direction * arm +
         std::numeric_limits<float>::min();
}

}  // namespace

double InnerProduct(std::span<const double> direction,
                    std::span<const float> features) {
  return std::inner_product(direction.begin(), direction.end(),
                            features.begin(), 0.0);
}

void BestRewards::Add(std::span<const ArmId> arms,
                      std::span<const float> features) {
  store_.Add(arms, features);
  const std::size_t dim = store_.dim();
  for (std::size_t i = 0; i < arms.size(); ++i) {
    longest_ = std::max(longest_, Length(features.subspan(i * dim, dim)));
  }
}

void BestRewards::Remove(std::span<const ArmId> arms) {
  for (const ArmId arm : arms) store_.Remove(arm);
}

std::vector<double> BestRewards::Of(
    std::span<const std::vector<double>> directions) const {
  const BlockTable table = store_.blocks();
  const std::span<const MaskedBlock> blocks = store_.members().arms().blocks();
  const std::size_t together = BlocksTogether(store_.dim());
  const std::size_t groups = (blocks.size() + together - 1) / together;
  const auto group = [&](std::size_t g) {
    const std::size_t first = g * together;
    return blocks.subspan(first, std::min(together, blocks.size() - first));
  };

  std::vector<std::vector<float>> rounded;
  for (const std::vector<double>& direction : directions) {
    rounded.emplace_back(direction.begin(), direction.end());
  }
  std::vector<float> highest(groups * directions.size());
  ParallelFor(groups, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      for (std::size_t k = 0; k < directions.size(); ++k) {
        highest[k * groups + g] =
            kernels::BestInnerProduct(table, group(g), rounded[k]).score;
      }
    }
  });

  // All arms whose score is so close to the highest that they may be the best.
  std::vector<double> bests(directions.size(),
                            -std::numeric_limits<double>::infinity());
  std::vector<float> features(store_.dim());
  for (std::size_t k = 0; k < directions.size() && groups > 0; ++k) {
    const auto scores = std::span(highest).subspan(k * groups, groups);
    const double error =
        ScoreError(store_.dim(), Length(directions[k]), longest_);
    const auto bar =
        static_cast<float>(*std::ranges::max_element(scores) - 2 * error);
    for (std::size_t g = 0; g < groups; ++g) {
      if (scores[g] < bar) continue;
      kernels::TopHits close(CountArms(group(g)), bar);
      kernels::TopInnerProduct(table, group(g), rounded[k], close);
      for (const auto& [hit, id] : close.entries()) {
        store_.CopyFeatures(hit.slot, features);
        bests[k] = std::max(bests[k], InnerProduct(directions[k], features));
      }
    }
  }
  return bests;
}

}  // namespace manyarms
