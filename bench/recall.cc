// Measures how often a graph's shortlist contains the best arm, for each way to
// turn the inner product into a distance. docs/design.md shows the results.

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "catalogue/arm_store.h"
#include "manyarms/random.h"
#include "search/searcher.h"

namespace manyarms {
namespace {

constexpr std::size_t kDim = 16;
constexpr std::uint64_t kQueries = 1000;

// Adds arms from N(0, I); if `unequal`, nine in ten of them are narrower and
// shifted far in one direction.
std::vector<Slot> AddArms(std::size_t count, bool unequal, ArmStore& store) {
  std::vector<Slot> slots;
  std::vector<float> row(kDim);
  for (ArmId id = 0; id < count; ++id) {
    RandomStream(1, RandomStream::Role::kArm, id).Gaussians(row);
    if (unequal && id % 10 != 0) {
      for (float& value : row) value *= 0.3F;
      row[0] += 30;
    }
    slots.push_back(store.Add(id, row));
  }
  return slots;
}

void Measure(std::size_t count, bool unequal) {
  using Clock = std::chrono::steady_clock;
  using Metric = HnswOptions::Metric;
  constexpr Objective kObjective = Objective::kInnerProduct;
  ArmStore store(kDim);
  const auto slots = AddArms(count, unequal, store);
  const auto scan =
      std::make_unique<Searcher>(ScanOptions{}, kObjective, store, 1);
  scan->Add(slots);
  for (const Metric metric :
       {Metric::kInnerProduct, Metric::kEuclidean, Metric::kBoth}) {
    for (const std::size_t effort : {30U, 400U}) {
      const auto hnsw = std::make_unique<Searcher>(
          HnswOptions{.metric = metric, .effort = effort}, kObjective, store,
          1);
      hnsw->Add(slots);
      std::uint64_t found = 0;
      double seconds = 0;
      for (std::uint64_t i = 0; i < kQueries; ++i) {
        Eigen::VectorXd q(kDim);
        RandomStream(2, RandomStream::Role::kTheta, i)
            .Gaussians(std::span(q.data(), kDim));
        const Query query{.direction = &q};
        const Clock::time_point start = Clock::now();
        const Slot answer = hnsw->Best(query)->slot;
        seconds += std::chrono::duration<double>(Clock::now() - start).count();
        found += answer == scan->Best(query)->slot ? 1 : 0;
      }
      fmt::print(
          "{:>6} arms{:<17} {:<13} beam {:>3}: recall {:.3f}, {:>5.1f} us, "
          "{:>5} arms looked at\n",
          count, unequal ? " of unequal length" : "", MetricName(metric),
          effort, static_cast<double>(found) / kQueries,
          1e6 * seconds / kQueries, hnsw->stats().arms_scored / kQueries);
    }
  }
}

}  // namespace
}  // namespace manyarms

int main() {
  manyarms::Measure(5000, false);
  manyarms::Measure(30000, false);
  manyarms::Measure(5000, true);
}
