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

/// Is told what happens, by one thread at a time.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  /// `done` is the share of all work that is done, from 0 to 1; `finished` is
  /// the number of runs.
  virtual void Update(double done, std::size_t finished) = 0;

  virtual void Failed(const Job& job, const std::string& reason) = 0;
};

struct RunOutcome {
  std::size_t finished = 0;
  std::size_t failed = 0;
  bool stopped = false;  ///< whether `stop` ended the work early
};

/// Does the jobs on `threads` threads and appends a row for each that succeeds.
/// If a job fails, the observer is told and the others go on. If a row cannot
/// be written, the work ends with an Error. When `stop` becomes true, runs in
/// progress are abandoned.
RunOutcome RunJobs(const std::vector<Job>& jobs, const Worlds& worlds,
                   unsigned threads, RowFile& rows, RunObserver& observer,
                   const std::atomic<bool>& stop);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_RUNNER_H_
