// How near the engine comes to the machine, each ratio from alternating
// measurements in one run:
//   1. each kernel to a plain read of the same memory;
//   2. the scan by inner product likewise, with narrower registers;
//   3. a ts step without its search to a scan of 1,500 arms.

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
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

// Arms with features from [-1, 1). The rows of one batch are repeated, because
// drawing them takes much longer than scanning them; the rows of later batches
// are shorter, so that the best arms are all in the first.
struct Arms {
  Arms(std::size_t count, std::size_t dim) : store(dim) {
    constexpr std::size_t kBatch = 100'000;
    std::vector<float> rows(std::min(count, kBatch) * dim);
    RandomStream random(1, RandomStream::Role::kArm, 0);
    for (float& x : rows) x = static_cast<float>(2 * random.Uniform() - 1);
    std::vector<ArmId> ids(rows.size() / dim);
    store.Reserve(count);
    for (ArmId first = 0; first < count; first += ids.size()) {
      ids.resize(std::min<std::size_t>(ids.size(), count - first));
      for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = first + i;
      store.Add(ids, std::span<const float>(rows).first(ids.size() * dim));
      for (float& x : rows) x *= 0.999F;
    }
  }
  std::size_t dim() const { return store.dim(); }
  double bytes() const {
    return static_cast<double>(store.size() * dim() * sizeof(float));
  }
  std::span<const MaskedBlock> blocks() const {
    return store.members().arms().blocks();
  }
  // Reads every byte of the features once, chunk by chunk in memory order.
  void Read() const {
    const BlockTable table = store.blocks();
    const std::uint32_t blocks = store.block_count();
    const std::uint32_t chunk = std::uint32_t{1} << table.chunk_shift;
    float sum = 0;
    for (std::uint32_t first = 0; first < blocks; first += chunk) {
      const std::size_t count = std::min(chunk, blocks - first);
      sum += kernels::PlainRead(table.Features(first), count * dim() * kLanes);
    }
    sink = sum;
  }

  ArmStore store;
};

// What the kernels are asked.
struct Question {
  explicit Question(std::size_t dim) : theta(dim), lower(dim * dim) {
    RandomStream random(2, RandomStream::Role::kTheta, 0);
    for (float& x : theta) x = static_cast<float>(2 * random.Uniform() - 1);
    for (double& x : lower) x = 0.1 * (2 * random.Uniform() - 1);
    factor.Pack(lower.data(), dim);
  }

  double Mean(std::span<const float> x) const {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += double{theta[j]} * x[j];
    return sum;
  }
  double Form(std::span<const float> x) const {
    double form = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double row = 0;
      for (std::size_t j = 0; j <= i; ++j)
        row += lower[i * x.size() + j] * x[j];
      form += row * row;
    }
    return form;
  }

  std::vector<float> theta;
  std::vector<double> lower;  // row-major
  kernels::PackedFactor factor;
};

// One kernel over all arms. The score that it returns is compared with that of
// the obvious loop before it is timed.
struct Kernel {
  const char* name;
  std::size_t adds_per_arm;  // 0: memory is the limit, not arithmetic
  std::function<float()> run;
  std::function<double(std::span<const float>)> score;
};

void Verify(const Arms& arms, const Kernel& kernel) {
  std::vector<float> row(arms.dim());
  double best = -1e30;
  const auto rows =
      static_cast<Slot>(std::min<std::size_t>(arms.store.size(), 100'000));
  for (Slot slot = 0; slot < rows; ++slot) {
    arms.store.CopyFeatures(slot, row);
    best = std::max(best, kernel.score(row));
  }
  if (std::abs(kernel.run() - best) > 1e-4 * (1 + best)) {
    throw std::logic_error(fmt::format("{} is wrong", kernel.name));
  }
}

void Bench(const Arms& arms, const Kernel& kernel) {
  Verify(arms, kernel);
  const auto count = static_cast<double>(arms.store.size());
  const int calls = static_cast<int>(1 + 2e7 / arms.bytes());
  const int rounds = arms.bytes() > 2e8 ? 9 : 21;
  const auto [time, read] = Alternate(
      rounds, calls, [&] { sink = kernel.run(); }, [&] { arms.Read(); });
  std::string adds;
  if (kernel.adds_per_arm != 0) {
    adds = fmt::format(
        ", {:.1f} multiply-adds/ns",
        count * static_cast<double>(kernel.adds_per_arm) / time / 1e9);
  }
  fmt::print(
      "{:<8} {:<17} {:>9} x {}: {:>8.1f} us, {:>5.1f} GB/s; plain read "
      "{:>8.1f} "
      "us, {:>5.1f} GB/s; {:>3.0f} %{}\n",
      kernels::InstructionSet(), kernel.name, arms.store.size(), arms.dim(),
      1e6 * time, arms.bytes() / time / 1e9, 1e6 * read,
      arms.bytes() / read / 1e9, 100 * read / time, adds);
}

Kernel InnerProduct(const Arms& arms, const Question& ask) {
  return {"inner product", 0,
          [&] {
            return kernels::BestInnerProduct(arms.store.blocks(), arms.blocks(),
                                             ask.theta)
                .score;
          },
          [&](auto x) { return ask.Mean(x); }};
}

Kernel TopInnerProduct(const Arms& arms, const Question& ask) {
  return {"inner product, 10", 0,
          [&] {
            kernels::TopHits top(10);
            kernels::TopInnerProduct(arms.store.blocks(), arms.blocks(),
                                     ask.theta, top);
            return top.Sorted().front().score;
          },
          [&](auto x) { return ask.Mean(x); }};
}

// The form takes d(d+1)/2 + d multiply-adds an arm, the mean d, and the length
// that bounds need d.
void BenchForms(const Arms& arms, const Question& ask) {
  const BlockTable table = arms.store.blocks();
  const std::span<const MaskedBlock> blocks = arms.blocks();
  const std::size_t d = arms.dim();
  const std::size_t form_adds = d * (d + 1) / 2 + d;
  const auto form = [&](auto x) { return ask.Form(x); };
  Bench(arms,
        {"quadratic form", form_adds,
         [&] {
           return kernels::BestQuadraticForm(table, blocks, ask.factor).score;
         },
         form});
  std::vector<Hit> best(blocks.size());
  Bench(arms, {"best of each", form_adds,
               [&] {
                 kernels::BestQuadraticFormOfEach(table, blocks, ask.factor,
                                                  best);
                 return std::ranges::max(best, {}, &Hit::score).score;
               },
               form});
  Bench(arms, {"optimism", form_adds + d,
               [&] {
                 return kernels::BestOptimism(table, blocks, ask.theta,
                                              ask.factor)
                     .score;
               },
               [&](auto x) { return ask.Mean(x) + std::sqrt(ask.Form(x)); }});
  // No arm reaches the cutoff, so the ceiling is that of all arms. As in a
  // survey, bounds are written to the same place for every 64 blocks.
  constexpr std::size_t kBatch = 64;
  const kernels::SurveyTerms terms{
      .bounds = {.direction = ask.theta, .factor = &ask.factor},
      .radius = 1,
      .cutoff = 1e9F,
      .radii = {0, 1, 2, 3, 4, 5, 6, 7}};
  std::vector<kernels::BlockBounds> bounds(kBatch);
  std::vector<std::uint32_t> reaching(kBatch);
  Bench(arms, {"survey", form_adds + 2 * d,
               [&] {
                 kernels::Ceiling rest = kernels::kNoCeiling;
                 for (std::size_t i = 0; i < blocks.size(); i += kBatch) {
                   const std::size_t n = std::min(kBatch, blocks.size() - i);
                   kernels::Survey(table, blocks.subspan(i, n), terms,
                                   std::span(bounds).first(n),
                                   std::span(reaching).first(n), rest);
                 }
                 return rest.height[1];
               },
               [&](auto x) { return ask.Mean(x) + std::sqrt(ask.Form(x)); }});
}

// The scan by inner product with each instruction set of the machine but the
// best one, which was measured before.
void BenchNarrower(const Arms& arms, const Question& ask) {
  const std::string best = kernels::InstructionSet();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string name = hwy::TargetName(target);
    if (name == best || (name != "AVX2" && name != "SSE4")) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    Bench(arms, InnerProduct(arms, ask));
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
}

void BenchKernels(std::size_t count, std::size_t dim, bool forms) {
  const Arms arms(count, dim);
  const Question ask(dim);
  Bench(arms, InnerProduct(arms, ask));
  BenchNarrower(arms, ask);
  Bench(arms, TopInnerProduct(arms, ask));
  if (forms) BenchForms(arms, ask);
}

std::unique_ptr<Searcher> Scan(const Arms& arms) {
  auto search = std::make_unique<Searcher>(
      ScanOptions{}, Objective::kInnerProduct, arms.store, 1);
  search->Add(arms.store.Slots());
  return search;
}

// Measures a ts step with a single arm: draw, sample, search of one block,
// update.
void BenchStep() {
  const Arms many(1'000'000, kDim);
  const Arms few(1500, kDim);
  const auto scan_many = Scan(many);
  const auto scan_few = Scan(few);
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

// Where there is no /proc/cpuinfo, it is not known.
std::string Processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace
}  // namespace manyarms

int main() try {
  using namespace manyarms;
  fmt::print("{}, {}\n", Processor(), kernels::InstructionSet());
  for (const std::size_t arms : {1600U, 16000U, 100'000U, 1'000'000U}) {
    BenchKernels(arms, kDim, true);
  }
  BenchKernels(10'000'000, kDim, false);
  BenchKernels(1'000'000, 64, false);
  BenchStep();
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
