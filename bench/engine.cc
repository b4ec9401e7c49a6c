// Two ratios of times by which the engine is judged, each from alternating
// measurements in one run:
//   1. a scan of a million arms to a plain read of the same memory;
//   2. a ts step without its search to a scan of 1,500 arms.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/kernels.h"
#include "manyarms/bandit.h"
#include "manyarms/random.h"
#include "search/scan/scan.h"
#include "search/searcher.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kDim = 16;

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// The mean seconds per call, over `calls` calls in a row.
double Time(int calls, const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < calls; ++i) work();
  return std::chrono::duration<double>(Clock::now() - start).count() / calls;
}

// Median seconds of two functions, which are measured in turns.
struct Pair {
  double first, second;
};
Pair Alternate(int rounds, int calls, const std::function<void()>& first,
               const std::function<void()>& second) {
  std::vector<double> a;
  std::vector<double> b;
  first();
  second();
  for (int round = 0; round < rounds; ++round) {
    a.push_back(Time(calls, first));
    b.push_back(Time(calls, second));
  }
  return {Median(a), Median(b)};
}

volatile float sink;  // keeps the compiler from removing the work

struct Arms {
  explicit Arms(std::size_t count) : store(kDim) {
    std::vector<float> row(kDim);
    for (ArmId id = 0; id < count; ++id) {
      RandomStream(1, RandomStream::Role::kArm, id).Gaussians(row);
      slots.push_back(store.Add(id, row));
    }
  }
  std::unique_ptr<Searcher> Scan(Objective objective) const {
    auto search =
        std::make_unique<Searcher>(ScanOptions{}, objective, store, 1);
    search->Add(slots);
    return search;
  }
  // Reads every byte of the features once, chunk by chunk in memory order.
  void Read() const {
    const BlockTable table = store.blocks();
    const auto blocks = static_cast<std::uint32_t>(slots.size() / kLanes);
    const std::uint32_t chunk = std::uint32_t{1} << table.chunk_shift;
    float sum = 0;
    for (std::uint32_t first = 0; first < blocks; first += chunk) {
      const std::size_t count = std::min(chunk, blocks - first);
      sum += kernels::PlainRead(table.Features(first), count * kDim * kLanes);
    }
    sink = sum;
  }

  ArmStore store;
  std::vector<Slot> slots;
};

// Checks the scan's answer before it is timed.
void Verify(const Arms& arms, Searcher& search, const Eigen::VectorXd& theta) {
  double best = -std::numeric_limits<double>::infinity();
  std::vector<float> row(kDim);
  for (const Slot slot : arms.slots) {
    arms.store.CopyFeatures(slot, row);
    const Eigen::Map<const Eigen::VectorXf> x(row.data(), kDim);
    best = std::max(best, theta.dot(x.cast<double>()));
  }
  const double found = search.Best({.direction = &theta})->score;
  if (std::abs(found - best) > 1e-4) {
    throw std::logic_error("the scan is wrong");
  }
}

void BenchScan(std::size_t count) {
  const Arms arms(count);
  const auto search = arms.Scan(Objective::kInnerProduct);
  const Eigen::VectorXd theta = Eigen::VectorXd::LinSpaced(kDim, -1, 1);
  Verify(arms, *search, theta);
  const int calls = static_cast<int>(1 + 2'000'000 / count);
  const auto [scan, read] = Alternate(
      41, calls, [&] { sink = search->Best({.direction = &theta})->score; },
      [&] { arms.Read(); });
  const auto bytes = static_cast<double>(count * kDim * sizeof(float));
  fmt::print(
      "scan, {:>9} arms: {:>9.1f} us, {:>5.1f} GB/s; plain read {:>9.1f} us, "
      "{:>5.1f} GB/s; scan at {:.0f} % of a plain read\n",
      count, 1e6 * scan, bytes / scan / 1e9, 1e6 * read, bytes / read / 1e9,
      100 * read / scan);
}

// The scan with a factor is limited by arithmetic: d(d+1)/2 + d multiply-adds
// per arm for the form, and d more for the mean.
void BenchForm(std::size_t count, Objective objective, const char* name) {
  const Arms arms(count);
  const auto search = arms.Scan(objective);
  const Eigen::VectorXd theta = Eigen::VectorXd::LinSpaced(kDim, -1, 1);
  const RowMatrix factor =
      Eigen::MatrixXd::Ones(kDim, kDim).triangularView<Eigen::Lower>();
  constexpr int kRounds = 21;
  std::vector<double> times;
  times.reserve(kRounds);
  for (int round = 0; round < kRounds; ++round) {
    times.push_back(Time(1, [&] {
      sink =
          search
              ->Best({.direction = &theta, .factor = &factor, .exploration = 1})
              ->score;
    }));
  }
  const double seconds = Median(times);
  const std::size_t adds_per_arm =
      kDim * (kDim + 1) / 2 + kDim +
      (objective == Objective::kOptimism ? kDim : 0);
  const auto adds = static_cast<double>(count * adds_per_arm);
  fmt::print("{}, {:>9} arms: {:>9.1f} us, {:.1f} multiply-adds/ns\n", name,
             count, 1e6 * seconds, adds / seconds / 1e9);
}

// Measures a ts step with a single arm: draw, sample, search of one block,
// update.
void BenchStep() {
  const Arms many(1'000'000);
  const Arms few(1500);
  const auto scan_many = many.Scan(Objective::kInnerProduct);
  const auto scan_few = few.Scan(Objective::kInnerProduct);
  const Eigen::VectorXd theta = Eigen::VectorXd::LinSpaced(kDim, -1, 1);

  Bandit bandit({.dim = kDim, .search = ScanOptions{}});
  std::vector<float> row(kDim);
  RandomStream(1, RandomStream::Role::kArm, 0).Gaussians(row);
  bandit.Add(0, row);
  double reward = 0;
  const auto step = [&] {
    const Decision decision = bandit.Choose();
    reward = -reward + 1;
    bandit.Learn(decision, reward);
  };
  const auto cold = Alternate(
      41, 1,
      [&] {
        for (int i = 0; i < 1000; ++i) step();
      },
      [&] { sink = scan_many->Best({.direction = &theta})->score; });
  const auto hot = Alternate(41, 1000, step, [&] {
    sink = scan_few->Best({.direction = &theta})->score;
  });
  const double cold_scan = cold.second * 1500 / 1e6;
  fmt::print(
      "ts step without search: {:.2f} us; 1,500 arms of a scan of a million "
      "{:.2f} us ({:.0f} %); a scan of 1,500 in cache {:.2f} us ({:.0f} %)\n",
      1e6 * cold.first / 1000, 1e6 * cold_scan,
      100 * cold.first / 1000 / cold_scan, 1e6 * hot.second,
      100 * hot.first / hot.second);
}

}  // namespace
}  // namespace manyarms

int main() try {
  using namespace manyarms;
  fmt::print("instructions: {}, {} features\n", kernels::InstructionSet(),
             kDim);
  for (const std::size_t arms : {1600U, 16000U, 100'000U, 1'000'000U}) {
    BenchScan(arms);
  }
  for (const std::size_t arms : {16000U, 1'000'000U}) {
    BenchForm(arms, Objective::kQuadraticForm, "scan by quadratic form");
    BenchForm(arms, Objective::kOptimism, "scan by optimism");
  }
  BenchStep();
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
