#ifndef MANYARMS_BASE_THREADS_H_
#define MANYARMS_BASE_THREADS_H_

#include <cstddef>
#include <functional>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace manyarms {

/// Calls work(0) on this thread and work(1), ..., work(threads - 1) on others,
/// and returns when all have ended. If the system cannot start all threads, the
/// calls without a thread are left out, so all calls must take their tasks from
/// one shared place. `work` must not throw on other threads.
template <class Work>
void RunOnThreads(std::size_t threads, const Work& work) {
  std::vector<std::jthread> others;
  try {
    others.reserve(threads - 1);
    for (std::size_t i = 1; i < threads; ++i) {
      others.emplace_back(std::cref(work), i);
    }
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  work(std::size_t{0});
}

}  // namespace manyarms

#endif  // MANYARMS_BASE_THREADS_H_
