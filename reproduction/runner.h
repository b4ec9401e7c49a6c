#ifndef MANYARMS_REPRODUCTION_RUNNER_H_
#define MANYARMS_REPRODUCTION_RUNNER_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "reproduction/json.h"
#include "reproduction/plan.h"
#include "reproduction/rows.h"
#include "reproduction/worlds.h"

namespace manyarms::reproduction {

/// Hears of what happens; called from one thread at a time.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  /// The share of all work that is done, 0 to 1, and how many runs.
  virtual void Update(double done, std::size_t finished) = 0;

  virtual void Failed(const Job& job, const std::string& reason) = 0;
};

struct RunOutcome {
  std::size_t finished = 0;
  std::size_t failed = 0;
  bool stopped = false;  ///< on request, before all were done
};

/// Does the jobs on so many threads and adds a row for each that succeeds. One
/// that fails is reported, and the others go on; rows that cannot be written
/// end the work with an Error. When `stop` becomes true the runs under way are
/// given up.
RunOutcome RunJobs(const std::vector<Job>& jobs, const Worlds& worlds,
                   unsigned threads, RowFile& rows, RunObserver& observer,
                   const std::atomic<bool>& stop);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_RUNNER_H_
