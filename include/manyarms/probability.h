#ifndef MANYARMS_PROBABILITY_H_
#define MANYARMS_PROBABILITY_H_

#include <cstdint>

namespace manyarms {

/// A probability that was found by drawing. With h hits among m draws, each of
/// which hits with the probability p, the value of p is h/m. Its standard error
/// is sqrt(q (1 - q) / (m + 3)) with q = (h + 1) / (m + 2): the standard
/// deviation of p given the hits, if before them every p was as likely as any
/// other. So it is about 1/m, and not 0, when no draw hits or all do.
///
/// What is known without drawing has the standard error 0.
///
/// The value is for looking at, not for dividing by: the mean of m/h is more
/// than 1/p, and h may be 0. Bandit::LoggingProbability may be divided by.
struct Probability {
  double value = 0;
  double standard_error = 0;

  bool operator==(const Probability&) const = default;
};

/// The number of draws for a probability, unless another one is given, and the
/// most that are allowed.
inline constexpr std::uint64_t kDefaultDraws = 1000;
inline constexpr std::uint64_t kMaxDraws = std::uint64_t{1} << 24;

}  // namespace manyarms

#endif  // MANYARMS_PROBABILITY_H_
