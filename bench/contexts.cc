// Contexts: a choice by certified search beside the scan's, with contexts that
// are always new and with contexts that recur, and what the parts of a choice
// cost. Every choice is followed by its reward. Both searches take turns of 50
// choices. It fails if any decision differs from the scan's.
//   build/bench_contexts [ARMS [CHOICES]]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/context.h"
#include "manyarms/random.h"
#include "posterior/context_belief.h"
#include "posterior/context_model.h"
#include "posterior/posterior.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;
using Role = RandomStream::Role;

constexpr std::size_t kDim = 16;
constexpr std::size_t kContextDim = 8;
constexpr std::uint64_t kDistinct = 100;  // contexts, where they recur
constexpr std::uint64_t kTurn = 50;

struct Sizes {
  std::size_t arms = 1'000'000;
  std::uint64_t choices = 2000;
};

double MicrosSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
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

// Rewards are c'Mx plus noise, where c and x are followed by the constant 1.
class World {
 public:
  explicit World(const Sizes& sizes)
      : sizes_(sizes), rows_(sizes.arms * kDim), ids_(sizes.arms) {
    for (std::size_t i = 0; i < sizes.arms; ++i) {
      ids_[i] = i;
      RandomStream(1, Role::kArm, i)
          .Gaussians(std::span(rows_).subspan(i * kDim, kDim));
    }
    RandomStream(1, Role::kTheta, 1).Gaussians(matrix_);
    double sum = 0;
    for (std::uint64_t rank = 1; rank <= kDistinct; ++rank) {
      sum += 1 / static_cast<double>(rank);
      cumulated_.push_back(sum);
    }
  }

  Bandit Make(const PolicyOptions& policy, const SearchOptions& search) const {
    Bandit bandit({.dim = kDim,
                   .policy = policy,
                   .search = search,
                   .context_dim = kContextDim});
    bandit.Add(ids_, std::span<const float>(rows_));
    return bandit;
  }

  std::vector<float> ContextAt(std::uint64_t time, bool recurs) const {
    std::vector<float> context(kContextDim);
    RandomStream(2, Role::kArm, recurs ? DistinctAt(time) : time)
        .Gaussians(context);
    return context;
  }

  double Reward(Context context, ArmId arm, std::uint64_t time) const {
    double mean = 0;
    for (std::size_t i = 0; i <= kContextDim; ++i) {
      const double c = i < kContextDim ? context[i] : 1;
      for (std::size_t j = 0; j <= kDim; ++j) {
        const double x = j < kDim ? rows_[arm * kDim + j] : 1;
        mean += c * matrix_[i * (kDim + 1) + j] * x;
      }
    }
    return mean + RandomStream(1, Role::kNoise, time).Gaussian();
  }

  std::span<const float> Arm(ArmId arm) const {
    return std::span(rows_).subspan(arm * kDim, kDim);
  }
  const Sizes& sizes() const { return sizes_; }

 private:
  // By Zipf's law.
  std::uint64_t DistinctAt(std::uint64_t time) const {
    const double drawn =
        RandomStream(1, Role::kOrder, time).Uniform() * cumulated_.back();
    return static_cast<std::uint64_t>(
        std::ranges::upper_bound(cumulated_, drawn) - cumulated_.begin());
  }

  const Sizes sizes_;
  std::vector<float> rows_;
  std::vector<ArmId> ids_;
  std::vector<double> matrix_ =
      std::vector<double>((kContextDim + 1) * (kDim + 1));
  std::vector<double> cumulated_;
};

struct Steps {
  std::vector<ArmId> arms;
  std::vector<double> choices;  // microseconds
  std::vector<double> learning;
};

void TakeTurn(const World& world, bool recurs, std::uint64_t last,
              Bandit& bandit, Steps& steps) {
  for (std::uint64_t time = steps.arms.size(); time < last; ++time) {
    const std::vector<float> context = world.ContextAt(time, recurs);
    const Clock::time_point start = Clock::now();
    const Decision decision = bandit.Choose({}, context);
    steps.choices.push_back(MicrosSince(start));
    steps.arms.push_back(decision.arm);
    const double reward = world.Reward(context, decision.arm, time);
    const Clock::time_point chosen = Clock::now();
    bandit.Learn(decision.id, reward);
    steps.learning.push_back(MicrosSince(chosen));
  }
}

void Print(const char* search, const Steps& steps) {
  fmt::print(
      "    {:9}  a choice {:7.1f} us on average, median {:7.1f}, "
      "99 % {:7.1f}; learning {:.1f} us\n",
      search, MeanOf(steps.choices), Quantile(steps.choices, 0.5),
      Quantile(steps.choices, 0.99), Quantile(steps.learning, 0.5));
}

// How many times as long as `fast` the scan takes on average, in each turn: a
// turn in which the machine did something else distorts only its own ratio.
std::vector<double> RatiosOfTurns(const Steps& slow, const Steps& fast) {
  std::vector<double> ratios;
  for (std::size_t first = 0; first < fast.choices.size(); first += kTurn) {
    const std::size_t last = std::min(first + kTurn, fast.choices.size());
    double slow_sum = 0;
    double fast_sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      slow_sum += slow.choices[i];
      fast_sum += fast.choices[i];
    }
    ratios.push_back(slow_sum / fast_sum);
  }
  return ratios;
}

void Measure(const World& world, const char* name, const PolicyOptions& policy,
             bool recurs) {
  Bandit certified = world.Make(policy, CertifiedOptions{});
  Bandit scan = world.Make(policy, ScanOptions{});
  Steps fast;
  Steps slow;
  const std::uint64_t choices = world.sizes().choices;
  for (std::uint64_t done = 0; done < choices;) {
    done = std::min(done + kTurn, choices);
    TakeTurn(world, recurs, done, certified, fast);
    TakeTurn(world, recurs, done, scan, slow);
    if (fast.arms != slow.arms) {
      throw std::logic_error("the decisions differ");
    }
  }
  const std::vector<double> ratios = RatiosOfTurns(slow, fast);
  fmt::print(
      "  {}, {}: {:.0f} % by a first pass, the scan takes {:.0f} times as long "
      "({:.0f} to {:.0f} in 9 of 10 turns)\n",
      name, recurs ? "100 contexts by Zipf's law" : "every context is new",
      100 * static_cast<double>(certified.stats().first_passes) /
          static_cast<double>(choices),
      MeanOf(slow.choices) / MeanOf(fast.choices), Quantile(ratios, 0.05),
      Quantile(ratios, 0.95));
  Print("certified", fast);
  Print("scan", slow);
  std::fflush(stdout);
}

// The median of 200 calls, after `prepare` and without it.
template <class Prepare, class Action>
double MicrosOf(Prepare prepare, Action action) {
  std::vector<double> micros;
  for (std::uint64_t i = 0; i < 200; ++i) {
    prepare(i);
    const Clock::time_point start = Clock::now();
    action(i);
    micros.push_back(MicrosSince(start));
  }
  return Quantile(micros, 0.5);
}

// What a choice does besides its search, and what learning costs.
void MeasureParts(const World& world) {
  const ContextModel model(
      {.arm_dim = kDim, .context_dim = kContextDim, .constants = true});
  Posterior posterior(model.coefficients(), 1);
  Posterior with_inverse(model.coefficients(), 1);
  with_inverse.KeepInverse();
  std::vector<double> xi(model.coefficients());
  std::vector<float> context;
  Eigen::VectorXd theta;
  double sum = 0;  // so that nothing is optimised away
  const auto arrive = [&](std::uint64_t time) {
    context = world.ContextAt(time, false);
  };
  const auto learn = [&](Posterior& to, std::uint64_t i) {
    const ArmId arm = i % world.sizes().arms;
    to.Update(model.Products(context, world.Arm(arm)), 1);
  };
  const double learning =
      MicrosOf(arrive, [&](std::uint64_t i) { learn(posterior, i); });
  const double with_rotated =
      MicrosOf(arrive, [&](std::uint64_t i) { learn(with_inverse, i); });
  const double numbers = MicrosOf(arrive, [&](std::uint64_t i) {
    RandomStream(1, Role::kSample, i).Gaussians(xi);
  });
  const double sample =
      MicrosOf(arrive, [&](std::uint64_t) { theta = posterior.Sample(1, xi); });
  const double direction = MicrosOf(arrive, [&](std::uint64_t) {
    sum += model.Direction(theta, context)[0];
  });
  const double mean =
      MicrosOf(arrive, [&](std::uint64_t) { sum += with_inverse.Mean()[0]; });
  const double factor = MicrosOf(arrive, [&](std::uint64_t) {
    ContextBelief belief(model);
    belief.Enter(with_inverse, context);
    sum += belief.FactorFrom(with_inverse.Inverse())(0, 0);
  });
  fmt::print(
      "  parts, {} coefficients:\n"
      "    ts: random numbers {:.1f} us, draw {:.1f}, direction {:.1f}; "
      "learning {:.1f}\n"
      "    ucb: mean {:.1f} us, factor in a context {:.1f}, direction {:.1f}; "
      "learning {:.1f}\n",
      model.coefficients(), numbers, sample, direction, learning, mean, factor,
      direction, with_rotated);
  if (!std::isfinite(sum)) throw std::logic_error("a part is not finite");
  std::fflush(stdout);
}

void MeasureAll(const Sizes& sizes) {
  const World world(sizes);
  fmt::print("{} arms x {}, contexts of {}, {} choices\n", sizes.arms, kDim,
             kContextDim, sizes.choices);
  for (const bool recurs : {false, true}) {
    Measure(world, "ts", ThompsonOptions{}, recurs);
    Measure(world, "ucb", UcbOptions{}, recurs);
  }
  MeasureParts(world);
}

}  // namespace
}  // namespace manyarms

int main(int argc, char** argv) {
  try {
    manyarms::Sizes sizes;
    if (argc > 1) sizes.arms = std::stoull(argv[1]);
    if (argc > 2) sizes.choices = std::stoull(argv[2]);
    manyarms::MeasureAll(sizes);
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
  return 0;
}
