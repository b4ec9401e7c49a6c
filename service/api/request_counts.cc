#include "service/api/request_counts.h"

#include <algorithm>
#include <numeric>

namespace manyarms::service {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Where a status stands among kStatuses.
constexpr std::size_t PlaceOf(unsigned status) {
  const auto* const found = std::ranges::lower_bound(kStatuses, status);
  if (found == kStatuses.end() || *found != status) return 0;
  return static_cast<std::size_t>(found - kStatuses.begin());
}

}  // namespace

std::uint64_t RouteCounts::requests() const {
  return std::accumulate(by_status.begin(), by_status.end(), std::uint64_t{0});
}

std::uint64_t RouteCounts::errors() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    if (kStatuses[i] >= 500) sum += by_status[i];
  }
  return sum;
}

RouteCounts& RouteCounts::operator+=(const RouteCounts& other) {
  for (std::size_t i = 0; i < by_status.size(); ++i) {
    by_status[i] += other.by_status[i];
  }
  latency += other.latency;
  seconds += other.seconds;
  return *this;
}

void RequestCounts::Add(std::size_t route, unsigned status, double seconds) {
  Counters& counters = routes_[route];
  counters.by_status[PlaceOf(status)].fetch_add(1, kRelaxed);
  counters.latency[LatencyCounts::BucketOf(seconds)].fetch_add(1, kRelaxed);
  counters.nanoseconds.fetch_add(
      static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1e9), kRelaxed);
}

RouteCounts RequestCounts::Of(std::size_t route) const {
  const Counters& counters = routes_[route];
  RouteCounts counts;
  for (std::size_t i = 0; i < counts.by_status.size(); ++i) {
    counts.by_status[i] = counters.by_status[i].load(kRelaxed);
  }
  for (std::size_t i = 0; i < LatencyCounts::kBuckets; ++i) {
    counts.latency.counts[i] = counters.latency[i].load(kRelaxed);
  }
  counts.seconds =
      static_cast<double>(counters.nanoseconds.load(kRelaxed)) / 1e9;
  return counts;
}

}  // namespace manyarms::service
