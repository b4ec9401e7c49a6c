#ifndef MANYARMS_SERVICE_LOAD_LATENCIES_H_
#define MANYARMS_SERVICE_LOAD_LATENCIES_H_

#include <cstdint>
#include <vector>

namespace manyarms::load {

/// How long requests took: a histogram with 128 buckets for each power of two,
/// so that a quantile is at most 0.8 % too large. It takes 37 kB however much
/// is recorded.
class Latencies {
 public:
  Latencies();

  /// Times beyond 18 minutes count as 18 minutes.
  void Record(std::uint64_t nanoseconds);
  void Add(const Latencies& other);

  std::uint64_t count() const { return count_; }
  /// The time, in seconds, within which this share of all requests was
  /// answered. 0 if there are none. REQUIRES: 0 <= share <= 1.
  double Quantile(double share) const;
  double Max() const;   ///< seconds; 0 if there are none
  double Mean() const;  ///< likewise

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_LATENCIES_H_
