#ifndef MANYARMS_TESTS_BECOMES_H_
#define MANYARMS_TESTS_BECOMES_H_

#include <chrono>
#include <functional>
#include <thread>

namespace manyarms::testing {

/// Whether it becomes true within a minute: what takes milliseconds may take
/// seconds where others use the same disk.
inline bool Becomes(const std::function<bool()>& is) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!is()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_BECOMES_H_
