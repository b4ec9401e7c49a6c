#ifndef MANYARMS_SERVICE_HTTP_WORKERS_H_
#define MANYARMS_SERVICE_HTTP_WORKERS_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace manyarms::http {

/// Threads that may wait. What their work throws is dropped with the work.
class Workers {
 public:
  explicit Workers(std::size_t threads);
  /// Waits for the work in progress, and drops what has not begun.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Work that may wait for its turn.
  static constexpr std::size_t kMostWaiting = 1'000;

  /// Throws Error(kIo) if too much work waits already.
  void Do(std::function<void()> work);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> work_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_WORKERS_H_
