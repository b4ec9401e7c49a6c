#ifndef MANYARMS_EXPERIMENT_H_
#define MANYARMS_EXPERIMENT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/population.h"
#include "manyarms/research/environment.h"

namespace manyarms {

/// One policy with one search in one environment. If the environment has
/// learners, they are those of a Population, and otherwise a Bandit chooses;
/// both have contexts if the environment has.
struct RunSpec {
  PolicyOptions policy = ThompsonOptions{};
  SearchOptions search = CertifiedOptions{};
  SyntheticOptions environment;
  double regularisation = 1.0;
  bool negative_rewards = false;
  RewardModel rewards = RewardModel::kLinear;
  double forgetting = 1;
  double explore_uniform = 0;
  /// As in PopulationOptions; without learners they must be the defaults.
  std::size_t order_budget = kDefaultOrderBudget;
  PopulationPrior prior = IndependentPrior{};
  std::uint64_t steps = 20000;  ///< T in the paper
};

struct Latency {
  double p50 = 0, p99 = 0, p999 = 0, max = 0, mean = 0;  ///< microseconds
};

/// A histogram of how long Choose took. Bucket i counts the calls that took
/// from 0.1 us x 10^(i/8) up to the next bucket's start; the first and the last
/// bucket also count the shorter and the longer calls.
struct LatencyHistogram {
  static constexpr std::size_t kPerDecade = 8;
  static constexpr double kFirstSeconds = 1e-7;
  std::array<std::uint64_t, 8 * kPerDecade> counts{};  ///< up to 10 s

  void Count(double seconds);
};

/// Totals after the first `step` steps of a run.
struct CurvePoint {
  std::uint64_t step = 0;
  double regret = 0;
  double run_seconds = 0;
};

/// The result of a run. Times are those spent inside the bandit; the time that
/// the environment takes to make arms, contexts and rewards and to find regrets
/// is not counted.
struct RunResult {
  double regret = 0;
  double setup_seconds = 0;  ///< adding the first arms and indexing them
  double run_seconds = 0;    ///< Choose, Learn, Add and Remove after that
  Latency latency;           ///< of Choose
  LatencyHistogram latency_histogram;
  /// kCurvePoints points evenly spread over the steps, including the last step;
  /// one point for each step if there are fewer steps.
  std::vector<CurvePoint> curve;
  /// The first step by which stats.eliminations exceeds half of the number of
  /// arms, and run_seconds before its choice; 0 if there was none. Before this
  /// step a stage holds nearly all arms, afterwards very few.
  std::uint64_t mass_elimination_step = 0;
  double mass_elimination_seconds = 0;
  /// Of a bandit, all that concerns learners is 0.
  PopulationStats stats;
  /// Hash of the sequence of chosen ids: equal for two runs that made the same
  /// decisions.
  std::uint64_t decision_digest = 0;
  std::uint64_t uniform_choices = 0;  ///< of explore_uniform
  std::uint64_t peak_rss_bytes = 0;   ///< of the process, up to now
};

inline constexpr std::size_t kCurvePoints = 200;

/// Called now and then with the share of the work done, from 0 to 1. An
/// exception that it throws ends the run.
using Progress = std::function<void(double done)>;

/// Throws Error for a spec that cannot be run, with code kTooLarge if it would
/// not fit in the machine's memory.
void CheckRunnable(const RunSpec& spec);

/// Checks the spec before any work is done.
RunResult RunExperiment(const RunSpec& spec, const Progress& progress = {});

/// Runs any bandit in any environment. The environment must not have been
/// advanced yet and must have at least one arm at every step. A bandit learns
/// from all learners of the environment as if they were one.
RunResult RunExperiment(const BanditOptions& options, Environment& environment,
                        std::uint64_t steps, const Progress& progress = {});

/// The same for a population, whose learners are those of the environment.
RunResult RunExperiment(const PopulationOptions& options,
                        Environment& environment, std::uint64_t steps,
                        const Progress& progress = {});

/// Returns spec and result as one JSON object on one line, without a newline.
/// docs/rows.md describes the fields.
std::string JsonRow(const RunSpec& spec, const RunResult& result);

}  // namespace manyarms

#endif  // MANYARMS_EXPERIMENT_H_
