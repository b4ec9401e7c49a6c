#ifndef MANYARMS_REPRODUCTION_PLAN_H_
#define MANYARMS_REPRODUCTION_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reproduction/json.h"
#include "reproduction/spec.h"

namespace manyarms::reproduction {

/// Whether the true parameter is drawn anew for each run or shared by all. Runs
/// on MovieLens count as new, because each is for another user.
enum class Theta { kNew, kOne };

struct PlanOptions {
  std::uint64_t runs = 10;    ///< of each algorithm in a synthetic world
  std::uint64_t users = 300;  ///< of MovieLens, each for one run
  std::uint64_t seed = 1;     ///< of the first run
  /// Plans a few minutes of work instead of hours: fewer runs, only one of
  /// those that take longest, and none with a shared parameter.
  bool quick = false;
};

/// One run of one algorithm. Its `world`, `bandit` and `seed` determine its
/// result. Two tables may ask for the same run.
struct Job {
  std::string label;  ///< for messages
  Json settings;
};

std::vector<Json> RunsOf(const Setting& setting, const Algorithm& algorithm,
                         Theta theta, const PlanOptions& options);

/// Plans all runs of the tables, each once. Those with new parameters come
/// first. Algorithms take turns, so that changes in the machine's load affect
/// all alike.
std::vector<Job> PlanRuns(const std::vector<Table>& tables,
                          const PlanOptions& options);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_PLAN_H_
