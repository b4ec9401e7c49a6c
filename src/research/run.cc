#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "manyarms/research/experiment.h"
#include "research/memory.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;

// FNV-1a over the bytes of the chosen ids.
class Digest {
 public:
  void Take(ArmId arm) {
    for (int shift = 0; shift < 64; shift += 8) {
      value_ = (value_ ^ (arm >> shift & 0xff)) * 0x100000001b3U;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

template <class Work>
double Seconds(const Work& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Latency Summarise(std::vector<float> seconds) {
  if (seconds.empty()) return {};
  const auto quantile = [&](double q) {
    const auto rank = static_cast<std::ptrdiff_t>(
        q * static_cast<double>(seconds.size() - 1));
    std::nth_element(seconds.begin(), seconds.begin() + rank, seconds.end());
    return 1e6 * static_cast<double>(seconds[static_cast<std::size_t>(rank)]);
  };
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return {.p50 = quantile(0.5),
          .p99 = quantile(0.99),
          .p999 = quantile(0.999),
          .max = quantile(1.0),
          .mean = 1e6 * sum / static_cast<double>(seconds.size())};
}

BanditOptions OptionsOf(const RunSpec& spec) {
  return {.dim = spec.environment.dim,
          .policy = spec.policy,
          .search = spec.search,
          .regularisation = spec.regularisation,
          .negative_rewards = spec.negative_rewards,
          .seed = spec.environment.seed};
}

// Whether the curve has a point at this step.
bool IsCurvePoint(std::uint64_t step, std::uint64_t steps) {
  const auto points_until = [steps](std::uint64_t t) {
    return t * std::min<std::uint64_t>(steps, kCurvePoints) / steps;
  };
  return points_until(step) != points_until(step - 1);
}

// There must be an arm to choose at every step.
void CheckArmsLast(const RunSpec& spec) {
  const SyntheticOptions& world = spec.environment;
  if (world.remove <= world.add) return;
  const std::uint64_t loss = world.remove - world.add;
  const std::uint64_t empty_step = (world.arms + loss - 1) / loss * world.every;
  if (empty_step > spec.steps) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("remove is {}, which leaves none of {} arms at step "
                          "{} of {}",
                          world.remove, world.arms, empty_step, spec.steps));
}

// Adds arms whose features the environment makes, and counts the seconds that
// the bandit takes for it.
class ArmFeeder {
 public:
  ArmFeeder(const Environment& environment, Bandit& bandit)
      : environment_(environment), bandit_(bandit) {}

  double Add(std::span<const ArmId> arms) {
    features_.resize(arms.size() * environment_.dim());
    environment_.FillFeatures(arms, features_);
    return Seconds([&] { bandit_.Add(arms, features_); });
  }

 private:
  const Environment& environment_;
  Bandit& bandit_;
  std::vector<float> features_;
};

// The first arms come in batches, large enough to be drawn and added on several
// threads. The copy of their features that is handed over stays small.
double SetUp(const Environment& environment, Bandit& bandit,
             const Progress& progress) {
  constexpr std::size_t kBatchValues = std::size_t{1} << 22;
  const std::size_t together =
      std::max<std::size_t>(kBatchValues / environment.dim(), 1);
  const std::size_t arms = environment.arms_at_start();
  ArmFeeder feeder(environment, bandit);
  std::vector<ArmId> batch;
  double seconds = Seconds([&] { bandit.Reserve(arms); });
  for (std::size_t first = 0; first < arms; first += together) {
    batch.resize(std::min(together, arms - first));
    std::iota(batch.begin(), batch.end(), ArmId{first});
    seconds += feeder.Add(batch);
    if (progress) {
      progress(static_cast<double>(first) / static_cast<double>(arms));
    }
  }
  return seconds;
}

// Setting up counts as half of the work in the progress that is reported: it
// is more for a graph, less for a scan.
Progress Half(const Progress& progress, double from) {
  if (!progress) return {};
  return [&progress, from](double done) { progress(from + done / 2); };
}

}  // namespace

void LatencyHistogram::Count(double seconds) {
  const double bucket =
      static_cast<double>(kPerDecade) *
      std::log10(std::max(seconds, kFirstSeconds) / kFirstSeconds);
  const auto last = static_cast<double>(counts.size() - 1);
  ++counts[static_cast<std::size_t>(std::min(bucket, last))];
}

void CheckRunnable(const RunSpec& spec) {
  CheckCount("steps", spec.steps, 1, kMaxSteps);
  CheckSynthetic(spec.environment);
  CheckArmsLast(spec);
  const Bandit refuses_bad_options(OptionsOf(spec));
  CheckFitsInMemory(spec);
}

RunResult RunExperiment(const RunSpec& spec, const Progress& progress) {
  CheckRunnable(spec);
  const std::unique_ptr<Environment> environment =
      MakeSynthetic(spec.environment);
  return RunExperiment(OptionsOf(spec), *environment, spec.steps, progress);
}

RunResult RunExperiment(const BanditOptions& options, Environment& environment,
                        std::uint64_t steps, const Progress& progress) {
  CheckCount("steps", steps, 1, kMaxSteps);
  Bandit bandit(options);
  RunResult result;
  result.setup_seconds = SetUp(environment, bandit, Half(progress, 0));

  ArmFeeder feeder(environment, bandit);
  Digest digest;
  std::vector<float> latencies;
  latencies.reserve(steps);
  const Progress run_progress = Half(progress, 0.5);
  for (std::uint64_t step = 1; step <= steps; ++step) {
    const Change change = environment.Advance(step);
    for (const ArmId arm : change.removed) {
      result.run_seconds += Seconds([&] { bandit.Remove(arm); });
    }
    if (!change.added.empty()) result.run_seconds += feeder.Add(change.added);

    Decision decision;
    const double choose = Seconds([&] { decision = bandit.Choose(); });
    const double reward = environment.Reward(decision.arm, step);
    const double learn = Seconds([&] { bandit.Learn(decision, reward); });

    if (result.mass_elimination_step == 0 &&
        bandit.stats().eliminations > bandit.size() / 2) {
      result.mass_elimination_step = step;
      result.mass_elimination_seconds = result.run_seconds;
    }
    result.run_seconds += choose + learn;
    latencies.push_back(static_cast<float>(choose));
    result.latency_histogram.Count(choose);
    result.regret += environment.Regret(decision.arm);
    digest.Take(decision.arm);
    if (IsCurvePoint(step, steps)) {
      result.curve.push_back({step, result.regret, result.run_seconds});
    }
    if (run_progress && step % 256 == 0) {
      run_progress(static_cast<double>(step) / static_cast<double>(steps));
    }
  }
  result.latency = Summarise(std::move(latencies));
  result.stats = bandit.stats();
  result.decision_digest = digest.value();
  result.peak_rss_bytes = PeakRssBytes();
  return result;
}

}  // namespace manyarms
