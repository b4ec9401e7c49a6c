#include "service/api/request_counts.h"

#include <algorithm>
#include <numeric>

namespace manyarms::service {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

std::uint64_t RouteCounts::requests() const {
  return std::accumulate(by_class.begin(), by_class.end(), std::uint64_t{0});
}

std::uint64_t RouteCounts::errors() const { return by_class[5]; }

RouteCounts& RouteCounts::operator+=(const RouteCounts& other) {
  for (std::size_t i = 0; i < by_class.size(); ++i) {
    by_class[i] += other.by_class[i];
  }
  latency += other.latency;
  seconds += other.seconds;
  return *this;
}

void RequestCounts::Add(std::size_t route, unsigned status, double seconds) {
  Counters& counters = routes_[route];
  counters.by_class[std::min(status / 100, 5U)].fetch_add(1, kRelaxed);
  counters.latency[LatencyCounts::BucketOf(seconds)].fetch_add(1, kRelaxed);
  counters.nanoseconds.fetch_add(
      static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1e9), kRelaxed);
}

RouteCounts RequestCounts::Of(std::size_t route) const {
  const Counters& counters = routes_[route];
  RouteCounts counts;
  for (std::size_t i = 0; i < counts.by_class.size(); ++i) {
    counts.by_class[i] = counters.by_class[i].load(kRelaxed);
  }
  for (std::size_t i = 0; i < LatencyCounts::kBuckets; ++i) {
    counts.latency.counts[i] = counters.latency[i].load(kRelaxed);
  }
  counts.seconds =
      static_cast<double>(counters.nanoseconds.load(kRelaxed)) / 1e9;
  return counts;
}

}  // namespace manyarms::service
