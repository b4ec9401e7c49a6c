#ifndef MANYARMS_EXPERIMENT_H_
#define MANYARMS_EXPERIMENT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/research/environment.h"

namespace manyarms {

/// One policy with one search in one environment.
struct RunSpec {
  PolicyOptions policy = ThompsonOptions{};
  SearchOptions search = CertifiedOptions{};
  SyntheticOptions environment;
  double regularisation = 1.0;
  bool negative_rewards = false;
  std::uint64_t steps = 20000;  ///< T in the paper
};

struct Latency {
  double p50 = 0, p99 = 0, p999 = 0, max = 0;  ///< microseconds
};

/// How often Choose took how long: bucket i counts the calls from
/// 0.1 us x 10^(i/8) on, up to the next bucket's start; the first and the last
/// bucket take what lies outside.
struct LatencyHistogram {
  static constexpr std::size_t kPerDecade = 8;
  static constexpr double kFirstSeconds = 1e-7;
  std::array<std::uint64_t, 8 * kPerDecade> counts{};  ///< up to 10 s

  void Count(double seconds);
};

/// A run in the making: what had come together after `step` steps.
struct CurvePoint {
  std::uint64_t step = 0;
  double regret = 0;
  double run_seconds = 0;
};

/// What a run came to. The times are those spent inside the bandit; making
/// arms and rewards is not counted.
struct RunResult {
  double regret = 0;
  double setup_seconds = 0;  ///< adding the first arms, indices included
  double run_seconds = 0;    ///< Choose, Learn, Add and Remove after that
  Latency latency;           ///< of Choose
  LatencyHistogram latency_histogram;
  /// kCurvePoints points evenly spread over the steps, the last step among
  /// them; all steps if there are fewer.
  std::vector<CurvePoint> curve;
  /// The choice by which more than half of the arms were eliminated, and the
  /// run_seconds before it; 0 if there was none. Until then a stage holds
  /// nearly all arms, afterwards hardly any.
  std::uint64_t mass_elimination_step = 0;
  double mass_elimination_seconds = 0;
  PolicyStats stats;
  /// Hash of the sequence of chosen ids: equal for two runs that made the same
  /// decisions.
  std::uint64_t decision_digest = 0;
  std::uint64_t peak_rss_bytes = 0;  ///< of the process, up to now
};

inline constexpr std::size_t kCurvePoints = 200;

/// Called now and then with the share of the work done, 0 to 1. What it throws
/// ends the run.
using Progress = std::function<void(double done)>;

/// Throws Error for a spec that cannot be run; one that would not fit in the
/// machine's memory is refused with kTooLarge.
void CheckRunnable(const RunSpec& spec);

/// Checks the spec before any work is done.
RunResult RunExperiment(const RunSpec& spec, const Progress& progress = {});

/// Any bandit in any environment, which must not have been advanced yet and
/// must have an arm at every step.
RunResult RunExperiment(const BanditOptions& options, Environment& environment,
                        std::uint64_t steps, const Progress& progress = {});

/// Spec and result as one JSON object on one line, without the line's end. The
/// fields are described in docs/rows.md.
std::string JsonRow(const RunSpec& spec, const RunResult& result);

}  // namespace manyarms

#endif  // MANYARMS_EXPERIMENT_H_
