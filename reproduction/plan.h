#ifndef MANYARMS_REPRODUCTION_PLAN_H_
#define MANYARMS_REPRODUCTION_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reproduction/json.h"
#include "reproduction/spec.h"

namespace manyarms::reproduction {

/// Whether the true parameter is drawn anew for each run. Of MovieLens there
/// is one taste a user, which counts as new.
enum class Theta { kNew, kOne };

struct PlanOptions {
  std::uint64_t runs = 10;    ///< of each algorithm in a synthetic world
  std::uint64_t users = 300;  ///< of MovieLens
  std::uint64_t seed = 1;     ///< of the first run
  /// A few minutes instead of hours: fewer runs, fewest of what takes longest,
  /// new parameters only.
  bool quick = false;
};

/// One run of one algorithm: `world`, `bandit` and `seed` say all that decides
/// what comes of it. Two tables may ask for the same run.
struct Job {
  std::string label;  ///< for people
  Json settings;
};

std::vector<Json> RunsOf(const Setting& setting, const Algorithm& algorithm,
                         Theta theta, const PlanOptions& options);

/// All runs of the tables, each once: those with new parameters first, and the
/// algorithms taking turns, so that none has a better hour than another.
std::vector<Job> PlanRuns(const std::vector<Table>& tables,
                          const PlanOptions& options);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_PLAN_H_
