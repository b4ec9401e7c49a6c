#ifndef MANYARMS_SERVICE_HTTP_BODY_MEMORY_H_
#define MANYARMS_SERVICE_HTTP_BODY_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace manyarms::http {

/// Bytes that all bodies of a server may take together, of requests and of
/// answers. Any thread may use it.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t most) : most_(most) {}

  std::uint64_t most() const { return most_; }
  std::uint64_t used() const { return used_; }
  /// Returns false, and takes nothing, if there are not as many left.
  bool Take(std::uint64_t bytes) {
    std::uint64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > most_ || used > most_ - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes));
    return true;
  }
  /// Takes them even if there are not as many left: what is answered is in
  /// memory already.
  void TakeAnyway(std::uint64_t bytes) { used_ += bytes; }
  bool exhausted() const { return used_ >= most_; }
  void GiveBack(std::uint64_t bytes) { used_ -= bytes; }

 private:
  const std::uint64_t most_;
  std::atomic<std::uint64_t> used_{0};
};

/// What one body takes of a budget, as long as this lives.
class BodyMemory {
 public:
  BodyMemory() = default;
  explicit BodyMemory(std::shared_ptr<BodyBudget> budget)
      : budget_(std::move(budget)) {}
  ~BodyMemory() { GiveBack(); }
  BodyMemory(BodyMemory&& other) noexcept
      : budget_(std::move(other.budget_)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  BodyMemory& operator=(BodyMemory&& other) noexcept {
    if (this == &other) return *this;
    GiveBack();
    budget_ = std::move(other.budget_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }

  /// Returns false if there are not as many bytes left.
  bool Take(std::uint64_t bytes) {
    if (!budget_->Take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  void TakeAnyway(std::uint64_t bytes) {
    budget_->TakeAnyway(bytes);
    bytes_ += bytes;
  }
  void GiveBack() {
    if (bytes_ > 0) budget_->GiveBack(std::exchange(bytes_, 0));
  }

 private:
  std::shared_ptr<BodyBudget> budget_;
  std::uint64_t bytes_ = 0;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_BODY_MEMORY_H_
