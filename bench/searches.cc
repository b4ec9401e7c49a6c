// Compares the searches in runs of the paper's synthetic world: regret, arms
// scored, how often the scan's arm was chosen, and time. docs/lsh.md shows the
// results.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "catalogue/arm_store.h"
#include "manyarms/random.h"
#include "manyarms/research/environment.h"
#include "manyarms/research/experiment.h"
#include "posterior/posterior.h"
#include "search/searcher.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kRadius = 2;
constexpr std::uint64_t kSteps = 20'000;
constexpr std::size_t kManyArms = 10'000;

struct Contender {
  std::string name;
  SearchOptions search;
  bool slow_to_build = false;
  bool forced_trees = false;  // trees are slow to build for elim
};

std::vector<Contender> Contenders() {
  return {
      {"scan", ScanOptions{}},
      {"certified", CertifiedOptions{}},
      {"hnsw",
       HnswOptions{.metric = HnswOptions::Metric::kInnerProduct, .effort = 64},
       true},
      {"lsh", LshOptions{}},
      {"lsh, trees forced", LshOptions{.min_depth = 1}, false, true}};
}

struct Outcome {
  double regret = 0;
  double recall = 0;
  double scored = 0;      // per step
  double directions = 0;  // per step
  double setup_seconds = 0;
  double run_seconds = 0;
  double median_us = 0;
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Runs Thompson sampling. If `watched`, every choice is compared with a scan's.
// Times are meaningful only without that, because a scan evicts the cache.
Outcome RunThompson(const SearchOptions& options, std::size_t arms,
                    std::uint64_t seed, bool watched) {
  const auto world =
      MakeSynthetic({.arms = arms, .seed = seed, .theta_seed = seed});
  const std::size_t dim = world->dim();
  ArmStore store(dim);
  Posterior posterior(dim, 1.0);
  const auto search = std::make_unique<Searcher>(
      options, Objective::kInnerProduct, store, seed);
  const auto scan = std::make_unique<Searcher>(
      ScanOptions{}, Objective::kInnerProduct, store, seed);
  Outcome outcome;
  std::vector<float> features(dim);
  const auto add = [&](const std::vector<ArmId>& ids, double& seconds) {
    std::vector<Slot> slots;
    slots.reserve(ids.size());
    for (const ArmId id : ids) {
      world->Features(id, features);
      slots.push_back(store.Add(id, features));
    }
    scan->Add(slots);
    const Clock::time_point start = Clock::now();
    search->Add(slots);
    seconds += SecondsSince(start);
  };
  std::vector<ArmId> first(arms);
  std::iota(first.begin(), first.end(), ArmId{0});
  add(first, outcome.setup_seconds);

  std::vector<double> xi(dim);
  std::vector<double> latencies;
  latencies.reserve(kSteps);
  std::uint64_t same = 0;
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    const Change change = world->Advance(step);
    if (!change.added.empty()) add(change.added, outcome.run_seconds);
    RandomStream(seed, RandomStream::Role::kSample, step - 1).Gaussians(xi);
    const Eigen::VectorXd theta = posterior.Sample(kRadius, xi);
    const Clock::time_point start = Clock::now();
    const Slot chosen = search->Best({.direction = &theta})->slot;
    const double seconds = SecondsSince(start);
    outcome.run_seconds += seconds;
    latencies.push_back(1e6 * seconds);
    if (watched) {
      same += chosen == scan->Best({.direction = &theta})->slot ? 1 : 0;
    }
    const ArmId arm = store.id(chosen);
    outcome.regret += world->Regret(arm);
    store.CopyFeatures(chosen, features);
    posterior.Update(features, world->Reward(arm, step));
  }
  outcome.recall = static_cast<double>(same) / kSteps;
  outcome.scored = static_cast<double>(search->stats().arms_scored) / kSteps;
  outcome.directions = static_cast<double>(search->stats().directions) / kSteps;
  outcome.median_us = Median(std::move(latencies));
  return outcome;
}

Outcome WatchedAndTimed(const Contender& contender, std::size_t arms,
                        std::uint64_t seed) {
  Outcome outcome = RunThompson(contender.search, arms, seed, false);
  outcome.recall = RunThompson(contender.search, arms, seed, true).recall;
  return outcome;
}

// Elimination can only be run as a whole, because its searches are internal. So
// recall is 1 if all decisions equal the scan's, and 0 otherwise.
Outcome RunElimination(const Contender& contender, std::size_t arms,
                       std::uint64_t seed) {
  RunSpec spec;
  spec.policy = EliminationOptions{};
  spec.search = contender.search;
  spec.environment = {.arms = arms, .seed = seed, .theta_seed = seed};
  spec.steps = kSteps;
  const RunResult result = RunExperiment(spec);
  spec.search = ScanOptions{};
  const bool same =
      RunExperiment(spec).decision_digest == result.decision_digest;
  Outcome outcome;
  outcome.regret = result.regret;
  outcome.recall = same ? 1 : 0;
  outcome.scored = static_cast<double>(result.stats.arms_scored) / kSteps;
  outcome.directions = static_cast<double>(result.stats.directions) / kSteps;
  outcome.setup_seconds = result.setup_seconds;
  outcome.run_seconds = result.run_seconds;
  outcome.median_us = result.latency.p50;
  return outcome;
}

void Compare(bool thompson, std::size_t arms, std::uint64_t seeds) {
  fmt::print("{} from {} arms, {} seeds, {} steps, d = 16\n",
             thompson ? "ts" : "elim", arms, seeds, kSteps);
  fmt::print(
      "| search | regret | beside scan | {} | arms scored a step | "
      "directions a step | set-up, s | steps, s | median choice, us |\n"
      "|---|---|---|---|---|---|---|---|---|\n",
      thompson ? "the scan's arm" : "runs with the scan's decisions");
  double scan_regret = 0;
  for (const Contender& contender : Contenders()) {
    const bool slow =
        contender.slow_to_build || (!thompson && contender.forced_trees);
    const std::uint64_t runs = slow && arms > kManyArms ? 1 : seeds;
    std::vector<Outcome> outcomes;
    outcomes.reserve(runs);
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      outcomes.push_back(thompson ? WatchedAndTimed(contender, arms, seed)
                                  : RunElimination(contender, arms, seed));
    }
    const auto mean = [&](double Outcome::*member) {
      double sum = 0;
      for (const Outcome& outcome : outcomes) sum += outcome.*member;
      return sum / static_cast<double>(runs);
    };
    const double regret = mean(&Outcome::regret);
    if (contender.name == "scan") scan_regret = regret;
    fmt::print(
        "| {}{} | {:.0f} | {} | {:.4f} | {:.0f} | {:.0f} | {:.2f} | "
        "{:.2f} | {:.1f} |\n",
        contender.name, runs < seeds ? " (one seed)" : "", regret,
        runs < seeds
            ? ""
            : fmt::format("{:+.1f} %", 100 * (regret / scan_regret - 1)),
        mean(&Outcome::recall), mean(&Outcome::scored),
        mean(&Outcome::directions), mean(&Outcome::setup_seconds),
        mean(&Outcome::run_seconds), mean(&Outcome::median_us));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace manyarms

int main(int argc, char** argv) {
  const std::uint64_t seeds =
      argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10;
  for (const bool thompson : {true, false}) {
    for (const std::size_t arms : {3000U, 98000U}) {
      manyarms::Compare(thompson, arms, seeds);
    }
  }
}
