// A population of learners over one set of arms: who chooses is drawn by Zipf's
// law, and every choice is followed by its reward. It prints what a choice
// takes compared with a scan, how much more two threads do than one, and the
// memory. It fails if one of the first 300 decisions, or the decision that one
// of 200 learners would make after all, differs from the scan's.
//   build/bench_population [ARMS [LEARNERS [CHOICES]]]

#include "manyarms/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "manyarms/random.h"
#include "manyarms/threads.h"
#include "research/memory.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;
using Role = RandomStream::Role;

constexpr std::size_t kDim = 16;

struct Sizes {
  std::size_t arms = 1'000'000;
  std::uint64_t learners = 100'000;
  std::uint64_t choices = 200'000;
};

double Micros(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double Quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(
      part * static_cast<double>(values.size() - 1))];
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

class World {
 public:
  World(const Sizes& sizes, bool unit_length)
      : sizes_(sizes), rows_(sizes.arms * kDim), ids_(sizes.arms) {
    for (std::size_t i = 0; i < sizes.arms; ++i) {
      ids_[i] = i;
      const auto row = std::span(rows_).subspan(i * kDim, kDim);
      RandomStream(1, Role::kArm, i).Gaussians(row);
      if (!unit_length) continue;
      double square = 0;
      for (const float x : row) square += double{x} * x;
      for (float& x : row) x /= static_cast<float>(std::sqrt(square));
    }
    double sum = 0;
    for (std::uint64_t rank = 1; rank <= sizes.learners; ++rank) {
      sum += 1 / static_cast<double>(rank);
      cumulated_.push_back(sum);
    }
  }

  Population Make(const SearchOptions& search) const {
    Population population({.dim = kDim, .search = search});
    population.Add(ids_, std::span<const float>(rows_));
    return population;
  }

  // Who chooses at this time. Learners are numbered by how often they choose.
  std::uint64_t LearnerAt(std::uint64_t time) const {
    const double drawn =
        RandomStream(1, Role::kOrder, time).Uniform() * cumulated_.back();
    return static_cast<std::uint64_t>(
        std::ranges::upper_bound(cumulated_, drawn) - cumulated_.begin());
  }

  double Reward(std::uint64_t learner, ArmId arm, std::uint64_t time) const {
    std::vector<double> theta(kDim);
    RandomStream(learner, Role::kTheta, 1).Gaussians(theta);
    double mean = 0;
    for (std::size_t j = 0; j < kDim; ++j) {
      mean += theta[j] * rows_[arm * kDim + j];
    }
    return mean + RandomStream(1, Role::kNoise, time).Gaussian();
  }

  const Sizes& sizes() const { return sizes_; }

 private:
  const Sizes sizes_;
  std::vector<float> rows_;
  std::vector<ArmId> ids_;
  std::vector<double> cumulated_;
};

// One choice and its reward. Returns the arm and the microseconds of the
// choice.
struct Step {
  ArmId arm;
  double micros;
};
Step TakeStep(const World& world, Population& population, std::uint64_t time) {
  const std::uint64_t learner = world.LearnerAt(time);
  const Clock::time_point start = Clock::now();
  const Decision decision = population.Choose(learner);
  const double micros = Micros(Clock::now() - start);
  population.Learn(learner, decision.id,
                   world.Reward(learner, decision.arm, time));
  return {decision.arm, micros};
}

// The scan's choices, each of which must be what certified search chose.
std::vector<double> TimesOfScan(const World& world, std::uint64_t choices) {
  Population certified = world.Make(CertifiedOptions{});
  Population scan = world.Make(ScanOptions{});
  std::vector<double> micros;
  for (std::uint64_t time = 0; time < choices; ++time) {
    const Step expected = TakeStep(world, scan, time);
    if (TakeStep(world, certified, time).arm != expected.arm) {
      throw std::logic_error("the decisions differ");
    }
    micros.push_back(expected.micros);
  }
  return micros;
}

// The next decisions of those who choose most often and of some others must be
// those of a scan.
void CompareWithScan(const World& world, Population& population) {
  Population scan = world.Make(ScanOptions{});
  const std::uint64_t step = world.sizes().learners / 100;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const LearnerKey learner = i < 100 ? i : (i - 100) * step;
    if (!population.Knows(learner)) continue;
    scan.Import(learner, population.Export(learner));
    if (population.Choose(learner).arm != scan.Choose(learner).arm) {
      throw std::logic_error("the decisions differ");
    }
  }
}

// Seconds for all choices on this number of threads. A learner belongs to one
// of them.
double SecondsWith(const World& world, Population& population,
                   std::uint64_t threads, std::uint64_t first) {
  const Clock::time_point start = Clock::now();
  {
    std::vector<std::jthread> running;
    running.reserve(threads);
    for (std::uint64_t thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        const std::uint64_t last = first + world.sizes().choices / 4;
        for (std::uint64_t time = first; time < last; ++time) {
          if (world.LearnerAt(time) % threads == thread) {
            TakeStep(world, population, time);
          }
        }
      });
    }
  }
  return 1e-6 * Micros(Clock::now() - start);
}

// In turns, from `time` on, with choices that nobody made before.
void PrintTwoThreads(const World& world, Population& population,
                     std::uint64_t& time, const char* how) {
  std::vector<double> ratios;
  for (int round = 0; round < 5; ++round) {
    const double one = SecondsWith(world, population, 1, time);
    time += world.sizes().choices / 4;
    const double two = SecondsWith(world, population, 2, time);
    time += world.sizes().choices / 4;
    ratios.push_back(one / two);
  }
  fmt::print(
      "  two threads do {:.2f} times as much as one{} ({:.2f} to {:.2f})\n",
      Quantile(ratios, 0.5), how, Quantile(ratios, 0), Quantile(ratios, 1));
  std::fflush(stdout);
}

void Measure(const char* name, const Sizes& sizes, bool unit_length) {
  const World world(sizes, unit_length);
  const std::vector<double> scans = TimesOfScan(world, 300);
  const double scan = Quantile(scans, 0.5);
  Population population = world.Make(CertifiedOptions{});
  std::vector<double> micros;
  micros.reserve(sizes.choices);
  for (std::uint64_t time = 0; time < sizes.choices; ++time) {
    micros.push_back(TakeStep(world, population, time).micros);
  }
  const PopulationStats stats = population.stats();
  CompareWithScan(world, population);
  fmt::print(
      "{}: {} arms, {} of {} learners have chosen, {} choices\n"
      "  a choice {:.1f} us on average (1/{:.0f} of a scan of {:.0f} us), "
      "median {:.1f}, 99 % {:.1f}, longest {:.0f}\n"
      "  {:.0f} % by a first pass, {} learners with finders of {:.0f} MB; "
      "{:.0f} bytes a learner; the process had {:.2f} GB at most\n",
      name, sizes.arms, stats.learners, sizes.learners, sizes.choices,
      MeanOf(micros), scan / MeanOf(micros), scan, Quantile(micros, 0.5),
      Quantile(micros, 0.99), Quantile(micros, 1),
      100 * static_cast<double>(stats.first_passes) /
          static_cast<double>(sizes.choices),
      stats.finders, 1e-6 * static_cast<double>(stats.finder_bytes),
      static_cast<double>(stats.learner_bytes) /
          static_cast<double>(stats.learners),
      1e-9 * static_cast<double>(PeakRssBytes()));
  std::fflush(stdout);
  std::uint64_t time = sizes.choices;
  PrintTwoThreads(world, population, time, "");
  // With one thread that chooses, surveys run on another processor meanwhile.
  const std::size_t surveying = SurveyThreads();
  SetSurveyThreads(0);
  PrintTwoThreads(world, population, time,
                  " if they take the surveys themselves");
  SetSurveyThreads(surveying);
}

}  // namespace
}  // namespace manyarms

int main(int argc, char** argv) {
  try {
    manyarms::Sizes sizes;
    if (argc > 1) sizes.arms = std::stoull(argv[1]);
    if (argc > 2) sizes.learners = std::stoull(argv[2]);
    if (argc > 3) sizes.choices = std::stoull(argv[3]);
    manyarms::Measure("normal arms", sizes, false);
    manyarms::Measure("unit length", sizes, true);
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
  return 0;
}
