#ifndef MANYARMS_SERVICE_API_LATENCY_H_
#define MANYARMS_SERVICE_API_LATENCY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace manyarms::service {

/// How often something took how long. The buckets lie so close that quantiles
/// are right to a quarter, and their bounds have those of /metrics among them.
struct LatencyCounts {
  static constexpr std::size_t kPerDecade = 10;
  static constexpr std::size_t kDecades = 7;  // from 1 microsecond on
  static constexpr std::size_t kBuckets = kPerDecade * kDecades + 2;

  std::array<std::uint64_t, kBuckets> counts = {};

  /// The bucket of a time in seconds; the last one has all that are longer.
  static std::size_t BucketOf(double seconds);
  /// Times of up to this are in this bucket or one before it. REQUIRES: it is
  /// not the last one.
  static double BoundOf(std::size_t bucket);

  std::uint64_t total() const;
  std::uint64_t AtMost(double seconds) const;
  /// None if nothing was counted. Within a bucket times are taken to be evenly
  /// distributed.
  std::optional<double> Quantile(double share) const;

  LatencyCounts& operator+=(const LatencyCounts& other);
  /// REQUIRES: `earlier` are counts of the same before.
  LatencyCounts& operator-=(const LatencyCounts& earlier);
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_LATENCY_H_
