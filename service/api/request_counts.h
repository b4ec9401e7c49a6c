#ifndef MANYARMS_SERVICE_API_REQUEST_COUNTS_H_
#define MANYARMS_SERVICE_API_REQUEST_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "service/api/latency.h"

namespace manyarms::service {

/// The statuses that the service answers with; the first stands for all others.
inline constexpr std::array<unsigned, 18> kStatuses{
    0,   200, 201, 204, 400, 401, 403, 404, 405,
    408, 409, 413, 415, 422, 429, 500, 501, 503};

/// What was requested of one route, or of several.
struct RouteCounts {
  std::array<std::uint64_t, kStatuses.size()> by_status = {};
  LatencyCounts latency;
  double seconds = 0;

  std::uint64_t requests() const;
  std::uint64_t errors() const;  ///< statuses from 500 on
  RouteCounts& operator+=(const RouteCounts& other);
};

/// Counts requests by route.
///
/// Thread safety: any thread may call any method; nobody waits.
class RequestCounts {
 public:
  explicit RequestCounts(std::size_t routes) : routes_(routes) {}

  void Add(std::size_t route, unsigned status, double seconds);
  RouteCounts Of(std::size_t route) const;
  std::size_t routes() const { return routes_.size(); }

 private:
  struct alignas(64) Counters {
    std::array<std::atomic<std::uint64_t>, kStatuses.size()> by_status = {};
    std::array<std::atomic<std::uint64_t>, LatencyCounts::kBuckets> latency =
        {};
    std::atomic<std::uint64_t> nanoseconds = 0;
  };
  std::vector<Counters> routes_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_REQUEST_COUNTS_H_
