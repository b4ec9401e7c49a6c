#ifndef MANYARMS_BASE_BACKOFF_H_
#define MANYARMS_BASE_BACKOFF_H_

#include <algorithm>
#include <cstdint>

namespace manyarms {

/// When to try something again that may fail: after the first failure in a row
/// one opportunity is left out, after the next ones 2, 4, 8, ..., up to `most`.
class Backoff {
 public:
  explicit Backoff(std::uint64_t most = std::uint64_t{1} << 20) : most_(most) {}

  /// Whether to try at this opportunity.
  bool MayTry() {
    if (left_out_ == 0) return true;
    --left_out_;
    return false;
  }

  void Failed() {
    left_out_ = next_;
    next_ = std::min(2 * next_, most_);
  }

  void Succeeded() {
    left_out_ = 0;
    next_ = 1;
  }

 private:
  std::uint64_t most_;
  std::uint64_t left_out_ = 0;  // opportunities still to be left out
  std::uint64_t next_ = 1;      // how many after the next failure
};

}  // namespace manyarms

#endif  // MANYARMS_BASE_BACKOFF_H_
