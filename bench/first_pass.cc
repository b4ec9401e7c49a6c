// The first pass and the scan, for random directions, in turns in one run.

#include "search/first_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "kernels/kernels.h"
#include "manyarms/random.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;

struct Setting {
  const char* arms_name;
  std::size_t arms;
  std::size_t dim;
  bool unit_length;
  int rounds;
};

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Normal arms, or arms of length 1. Values are drawn once for 2^20 numbers and
// reused with a shift, because drawing takes longer than all else.
ArmStore MakeArms(const Setting& setting) {
  ArmStore store(setting.dim);
  store.KeepCompactCopy();
  constexpr std::size_t kBatch = 4096;
  std::vector<float> rows(kBatch * setting.dim);
  std::vector<ArmId> ids(kBatch);
  for (std::size_t first = 0; first < setting.arms; first += kBatch) {
    const std::size_t count = std::min(kBatch, setting.arms - first);
    std::iota(ids.begin(), ids.end(), ArmId{first});
    RandomStream(1, RandomStream::Role::kArm, first).Gaussians(rows);
    for (std::size_t i = 0; setting.unit_length && i < count; ++i) {
      const std::span row =
          std::span(rows).subspan(i * setting.dim, setting.dim);
      double square = 0;
      for (const float x : row) square += double{x} * x;
      for (float& x : row) x = static_cast<float>(x / std::sqrt(square));
    }
    store.Add(std::span(ids).first(count),
              std::span<const float>(rows).first(count * setting.dim));
  }
  return store;
}

Eigen::VectorXd Direction(std::size_t dim, std::uint64_t number) {
  std::vector<double> draw(dim);
  RandomStream(2, RandomStream::Role::kSample, number).Gaussians(draw);
  return Eigen::Map<Eigen::VectorXd>(draw.data(),
                                     static_cast<Eigen::Index>(dim));
}

// A round is a scan and several passes, each for another direction. The first
// of these finds the cache as the scan left it.
void Measure(const Setting& setting) {
  constexpr std::uint64_t kPasses = 8;
  const ArmStore store = MakeArms(setting);
  const ArmSet& arms = store.members().arms();
  Scorer scorer(Objective::kInnerProduct);
  FirstPass pass(Objective::kInnerProduct);
  std::vector<double> scans;
  std::vector<double> passes;
  std::vector<double> cold;
  SearchCost cost;
  for (int round = 0; round < setting.rounds; ++round) {
    for (std::uint64_t i = 0; i < kPasses; ++i) {
      const Eigen::VectorXd theta = Direction(
          setting.dim, static_cast<std::uint64_t>(round) * kPasses + i);
      const Query query{.direction = &theta};
      scorer.Take(query);
      Hit scanned;
      if (i == 0) {
        const Clock::time_point start = Clock::now();
        scanned = scorer.Best(store.blocks(), arms.blocks());
        scans.push_back(
            std::chrono::duration<double>(Clock::now() - start).count());
      }
      const Clock::time_point start = Clock::now();
      kernels::TopHits top(1);
      const bool found = pass.Find(
          {.store = store, .arms = arms, .all_arms = true, .eligible = nullptr},
          scorer, query, top, cost);
      (i == 0 ? cold : passes)
          .push_back(
              std::chrono::duration<double>(Clock::now() - start).count());
      const Hit answer = found ? top.Sorted().front() : Hit{};
      if (i == 0 &&
          (answer.slot != scanned.slot || answer.score != scanned.score)) {
        throw std::logic_error("the first pass is wrong");
      }
    }
  }
  const double scan = Median(scans);
  const double first = Median(passes);
  const auto count = static_cast<double>(passes.size() + cold.size());
  const auto all = static_cast<double>(setting.arms * setting.dim * 4);
  fmt::print(
      "{:>10} x {:>4} {:>6}: scan {:>9.1f} us ({:.1f} GB/s), first pass "
      "{:>8.1f} "
      "us, {:.1f} times faster ({:.1f} after a scan); {:.3f} of the scan's "
      "bytes, {:.0f} arms scored, "
      "{} groups, {:.1f} bytes an arm\n",
      setting.arms, setting.dim, setting.arms_name, 1e6 * scan,
      all / scan / 1e9, 1e6 * first, scan / first, scan / Median(cold),
      static_cast<double>(cost.bytes) / count / all,
      static_cast<double>(cost.arms) / count,
      store.compact_copy()->groups().size(),
      static_cast<double>(store.compact_copy()->memory_bytes()) /
          static_cast<double>(setting.arms));
  std::fflush(stdout);
}

}  // namespace
}  // namespace manyarms

int main(int argc, char** /*argv*/) try {
  using manyarms::Setting;
  fmt::print("instructions: {}\n", manyarms::kernels::InstructionSet());
  constexpr Setting kSettings[] = {
      {"normal", 100'000, 16, false, 201},
      {"normal", 1'000'000, 16, false, 101},
      {"unit", 1'000'000, 16, true, 101},
      {"normal", 1'000'000, 64, false, 41},
      {"normal", 500'000, 128, false, 41},
      {"normal", 200'000, 256, false, 41},
      {"normal", 100'000, 1024, false, 21},
      {"normal", 10'000'000, 16, false, 21},
  };
  for (const Setting& setting : kSettings) {
    if (argc > 1 && setting.arms > 1'000'000) continue;
    manyarms::Measure(setting);
  }
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
