#ifndef MANYARMS_SERVICE_HTTP_DEADLINE_H_
#define MANYARMS_SERVICE_HTTP_DEADLINE_H_

#include <chrono>
#include <cstddef>

namespace manyarms::http {

using Clock = std::chrono::steady_clock;

inline Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds));
}

/// Until when a client has to have done something, or for each 64 KiB of it.
class Deadline {
 public:
  static constexpr std::size_t kStep = std::size_t{64} << 10;

  bool running() const { return at_ != Clock::time_point::max(); }
  void Start(double seconds) { StartAt(Clock::now(), seconds); }
  void StartAt(Clock::time_point now, double seconds) {
    allowance_ = Seconds(seconds);
    at_ = now + allowance_;
    bytes_ = 0;
  }
  void Clear() { at_ = Clock::time_point::max(); }

  /// The client sent or read this number of bytes: it has the same time again
  /// for the next kStep. Smaller amounts add up, so that a byte now and then
  /// does not keep a connection.
  void Progress(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ < kStep || !running()) return;
    bytes_ %= kStep;
    at_ = Clock::now() + allowance_;
  }

  /// Time that does not count.
  void Forgive(Clock::duration lost) {
    if (running()) at_ += lost;
  }
  bool Passed(Clock::time_point now) const { return at_ <= now; }

 private:
  Clock::time_point at_ = Clock::time_point::max();
  Clock::duration allowance_{};
  std::size_t bytes_ = 0;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_DEADLINE_H_
