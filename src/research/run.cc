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

BanditOptions BanditOptionsOf(const RunSpec& spec) {
  return {.dim = spec.environment.dim,
          .policy = spec.policy,
          .search = spec.search,
          .regularisation = spec.regularisation,
          .negative_rewards = spec.negative_rewards,
          .rewards = spec.rewards,
          .forgetting = spec.forgetting,
          .explore_uniform = spec.explore_uniform,
          .context_dim = spec.environment.context_dim,
          .context_constants = spec.environment.context_constants,
          .seed = spec.environment.seed};
}

PopulationOptions PopulationOptionsOf(const RunSpec& spec) {
  return {.dim = spec.environment.dim,
          .policy = spec.policy,
          .search = spec.search,
          .regularisation = spec.regularisation,
          .prior = spec.prior,
          .negative_rewards = spec.negative_rewards,
          .rewards = spec.rewards,
          .forgetting = spec.forgetting,
          .explore_uniform = spec.explore_uniform,
          .context_dim = spec.environment.context_dim,
          .context_constants = spec.environment.context_constants,
          .seed = spec.environment.seed,
          .order_budget = spec.order_budget};
}

// What a run needs of a bandit and of a population.
struct LonePlayer {
  Bandit arms;

  Decision Choose(const Visit& visit) { return arms.Choose({}, visit.context); }
  void Learn(const Visit&, const Decision& decision, double reward) {
    arms.Learn(decision, reward);
  }
  std::uint64_t eliminations() const { return arms.stats().eliminations; }
  PopulationStats stats() const { return {arms.stats()}; }
};

struct ManyPlayers {
  Population arms;

  Decision Choose(const Visit& visit) {
    return arms.Choose(visit.learner, {}, visit.context);
  }
  void Learn(const Visit& visit, const Decision& decision, double reward) {
    arms.Learn(visit.learner, decision.id, reward);
  }
  static std::uint64_t eliminations() { return 0; }  // elim is refused
  PopulationStats stats() const { return arms.stats(); }
};

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

// A logistic model learns nothing but clicks. (A linear one learns clicks,
// too.)
void CheckRewards(const RunSpec& spec) {
  if (spec.rewards != RewardModel::kClicks) return;
  if (spec.environment.click_rate > 0) return;
  throw Error(ErrorCode::kInvalidArgument,
              "rewards are learned as clicks, but click_rate is 0, so that the "
              "world has none");
}

void CheckLearnersOptions(const RunSpec& spec) {
  if (spec.environment.learners > 0) return;
  if (spec.order_budget != kDefaultOrderBudget) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("order_budget is {}, but learners is 0",
                            spec.order_budget));
  }
  if (!std::holds_alternative<IndependentPrior>(spec.prior)) {
    throw Error(ErrorCode::kInvalidArgument,
                "the prior is not independent, but learners is 0");
  }
}

// Adds arms whose features the environment makes, and counts the seconds that
// the bandit or population takes for it.
template <class Arms>
class ArmFeeder {
 public:
  ArmFeeder(const Environment& environment, Arms& arms)
      : environment_(environment), arms_(arms) {}

  double Add(std::span<const ArmId> ids) {
    features_.resize(ids.size() * environment_.dim());
    environment_.FillFeatures(ids, features_);
    return Seconds([&] { arms_.Add(ids, features_); });
  }

 private:
  const Environment& environment_;
  Arms& arms_;
  std::vector<float> features_;
};

// The first arms come in batches, large enough to be drawn and added on several
// threads. The copy of their features that is handed over stays small.
template <class Arms>
double SetUp(const Environment& environment, Arms& arms,
             const Progress& progress) {
  constexpr std::size_t kBatchValues = std::size_t{1} << 22;
  const std::size_t together =
      std::max<std::size_t>(kBatchValues / environment.dim(), 1);
  const std::size_t count = environment.arms_at_start();
  ArmFeeder feeder(environment, arms);
  std::vector<ArmId> batch;
  double seconds = Seconds([&] { arms.Reserve(count); });
  for (std::size_t first = 0; first < count; first += together) {
    batch.resize(std::min(together, count - first));
    std::iota(batch.begin(), batch.end(), ArmId{first});
    seconds += feeder.Add(batch);
    if (progress) {
      progress(static_cast<double>(first) / static_cast<double>(count));
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

template <class Player>
RunResult Play(Player player, Environment& environment, std::uint64_t steps,
               const Progress& progress) {
  RunResult result;
  result.setup_seconds = SetUp(environment, player.arms, Half(progress, 0));

  ArmFeeder feeder(environment, player.arms);
  Digest digest;
  std::vector<float> latencies;
  latencies.reserve(steps);
  const Progress run_progress = Half(progress, 0.5);
  for (std::uint64_t step = 1; step <= steps; ++step) {
    const Change change = environment.Advance(step);
    for (const ArmId arm : change.removed) {
      result.run_seconds += Seconds([&] { player.arms.Remove(arm); });
    }
    if (!change.added.empty()) result.run_seconds += feeder.Add(change.added);

    const Visit visit = environment.VisitAt(step);
    Decision decision;
    const double choose = Seconds([&] { decision = player.Choose(visit); });
    const double reward = environment.Reward(decision.arm, step);
    const double learn =
        Seconds([&] { player.Learn(visit, decision, reward); });

    if (result.mass_elimination_step == 0 &&
        player.eliminations() > player.arms.size() / 2) {
      result.mass_elimination_step = step;
      result.mass_elimination_seconds = result.run_seconds;
    }
    result.run_seconds += choose + learn;
    latencies.push_back(static_cast<float>(choose));
    result.latency_histogram.Count(choose);
    result.regret += environment.Regret(decision.arm);
    digest.Take(decision.arm);
    if (decision.uniform) ++result.uniform_choices;
    if (IsCurvePoint(step, steps)) {
      result.curve.push_back({step, result.regret, result.run_seconds});
    }
    if (run_progress && step % 256 == 0) {
      run_progress(static_cast<double>(step) / static_cast<double>(steps));
    }
  }
  result.latency = Summarise(std::move(latencies));
  result.stats = player.stats();
  result.decision_digest = digest.value();
  result.peak_rss_bytes = PeakRssBytes();
  return result;
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
  CheckLearnersOptions(spec);
  CheckRewards(spec);
  if (spec.environment.learners > 0) {
    const Population refuses_bad_options(PopulationOptionsOf(spec));
  } else {
    const Bandit refuses_bad_options(BanditOptionsOf(spec));
  }
  CheckFitsInMemory(spec);
}

RunResult RunExperiment(const RunSpec& spec, const Progress& progress) {
  CheckRunnable(spec);
  const std::unique_ptr<Environment> environment =
      MakeSynthetic(spec.environment);
  return spec.environment.learners > 0
             ? RunExperiment(PopulationOptionsOf(spec), *environment,
                             spec.steps, progress)
             : RunExperiment(BanditOptionsOf(spec), *environment, spec.steps,
                             progress);
}

RunResult RunExperiment(const BanditOptions& options, Environment& environment,
                        std::uint64_t steps, const Progress& progress) {
  CheckCount("steps", steps, 1, kMaxSteps);
  return Play(LonePlayer{Bandit(options)}, environment, steps, progress);
}

RunResult RunExperiment(const PopulationOptions& options,
                        Environment& environment, std::uint64_t steps,
                        const Progress& progress) {
  CheckCount("steps", steps, 1, kMaxSteps);
  return Play(ManyPlayers{Population(options)}, environment, steps, progress);
}

}  // namespace manyarms
