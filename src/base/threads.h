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
/// and returns when all have ended. Where the system starts no more threads,
/// those of the calls are left out that have none: `work` must take its tasks
/// from where all of them do. On other threads it must not throw.
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
