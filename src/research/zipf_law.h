#ifndef MANYARMS_RESEARCH_ZIPF_LAW_H_
#define MANYARMS_RESEARCH_ZIPF_LAW_H_

#include <cstdint>

#include "manyarms/random.h"

namespace manyarms {

/// The numbers 0, ..., count - 1, where i has a probability proportional to
/// 1/(i + 1)^exponent. It takes O(1) memory, and a draw O(1) time: rejection
/// from an integral (Hoermann and Derflinger, 1996).
class ZipfLaw {
 public:
  /// REQUIRES: count > 0, exponent >= 0.
  ZipfLaw(std::uint64_t count, double exponent);

  std::uint64_t Draw(RandomStream& random) const;

  /// About how many different numbers occur in this many draws.
  double ExpectedDistinct(std::uint64_t draws) const;

 private:
  double Weight(double rank) const;
  double Integral(double rank) const;
  double InverseIntegral(double area) const;

  std::uint64_t count_;
  double exponent_;
  double lowest_area_;
  double highest_area_;
  double surely_accepted_;  // if a rank is at most this above its real number
};

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_ZIPF_LAW_H_
