#include "service/http/workers.h"

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>

#include "manyarms/error.h"

namespace manyarms::http {

Workers::Workers(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

Workers::~Workers() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::Do(std::function<void()> work) {
  {
    const std::scoped_lock lock(mutex_);
    if (work_.size() >= kMostWaiting) {
      throw Error(ErrorCode::kIo, "too many requests wait for their turn");
    }
    work_.push_back(std::move(work));
  }
  more_.notify_one();
}

void Workers::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    more_.wait(lock, [&] { return ending_ || !work_.empty(); });
    if (ending_) return;
    std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    try {
      work();
    } catch (...) {
      // Its reply, which nobody has any more, was answered by 500.
    }
    work = nullptr;
    lock.lock();
  }
}

}  // namespace manyarms::http
