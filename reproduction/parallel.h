#ifndef MANYARMS_REPRODUCTION_PARALLEL_H_
#define MANYARMS_REPRODUCTION_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace manyarms::reproduction {

/// Calls work(0), ..., work(count - 1) on up to `threads` threads, in any
/// order. `work` must not throw.
template <class Work>
void ForEachInParallel(std::size_t count, unsigned threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  try {
    for (unsigned i = 1; i < std::min<std::size_t>(threads, count); ++i) {
      others.emplace_back(loop);
    }
  } catch (const std::system_error&) {  // those that there are do the work
  }
  loop();
}

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_PARALLEL_H_
