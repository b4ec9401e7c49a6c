#ifndef MANYARMS_BASE_PARALLEL_FOR_H_
#define MANYARMS_BASE_PARALLEL_FOR_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "base/threads.h"

namespace manyarms {

/// How many threads a large piece of work is divided among: one for each
/// processor that this process may use, and at most 8, because more add little
/// to work that waits for memory.
inline std::size_t WorkThreads() {
  constexpr std::size_t kMost = 8;
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMost);
}

/// Divides 0, ..., count - 1 into ranges of `grain` numbers (the last may have
/// fewer), calls work(begin, end) for each of them on up to `threads` threads,
/// the calling one among them, and returns when all have ended. A single range
/// is done without another thread, and if the system starts no threads, the
/// calling one does everything. Which ranges there are does not depend on the
/// number of threads, but they are done in no particular order.
///
/// If calls throw, no further ranges are begun, and what the call with the
/// lowest range threw is thrown here: all ranges below it were done.
template <class Work>
void ParallelFor(std::size_t count, std::size_t grain, const Work& work,
                 std::size_t threads = WorkThreads()) {
  if (count == 0) return;
  const std::size_t ranges = (count - 1) / grain + 1;
  if (ranges == 1) {
    work(std::size_t{0}, count);
    return;
  }
  std::vector<std::exception_ptr> errors(ranges);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  RunOnThreads(std::min(threads, ranges), [&](std::size_t /*thread*/) {
    while (!failed) {
      const std::size_t range = next++;
      if (range >= ranges) return;
      try {
        const std::size_t begin = range * grain;
        work(begin, std::min(begin + grain, count));
      } catch (...) {
        errors[range] = std::current_exception();
        failed = true;
      }
    }
  });
  if (!failed) return;
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace manyarms

#endif  // MANYARMS_BASE_PARALLEL_FOR_H_
