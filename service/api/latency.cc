#include "service/api/latency.h"

#include <algorithm>
#include <numeric>

namespace manyarms::service {
namespace {

constexpr std::array<double, LatencyCounts::kPerDecade> kDecade{
    1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8};
// Divided rather than multiplied, so that the bounds are the numbers as they
// are written: 0.0005 and not its neighbour.
constexpr std::array<double, LatencyCounts::kDecades + 1> kDivisors{
    1e6, 1e5, 1e4, 1e3, 1e2, 10, 1, 0.1};
constexpr std::size_t kBounded = LatencyCounts::kBuckets - 1;

constexpr std::array<double, kBounded> Bounds() {
  std::array<double, kBounded> bounds{};
  for (std::size_t i = 0; i < kBounded; ++i) {
    bounds[i] = kDecade[i % LatencyCounts::kPerDecade] /
                kDivisors[i / LatencyCounts::kPerDecade];
  }
  return bounds;
}
constexpr std::array<double, kBounded> kBounds = Bounds();

}  // namespace

std::size_t LatencyCounts::BucketOf(double seconds) {
  return static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) -
                                  kBounds.begin());
}

double LatencyCounts::BoundOf(std::size_t bucket) { return kBounds[bucket]; }

std::uint64_t LatencyCounts::total() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::uint64_t LatencyCounts::AtMost(double seconds) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBounded && kBounds[i] <= seconds; ++i) {
    sum += counts[i];
  }
  return sum;
}

std::optional<double> LatencyCounts::Quantile(double share) const {
  const std::uint64_t all = total();
  if (all == 0) return std::nullopt;
  const double wanted = share * static_cast<double>(all);
  double before = 0;
  for (std::size_t i = 0; i < kBounded; ++i) {
    const auto here = static_cast<double>(counts[i]);
    if (here > 0 && before + here >= wanted) {
      const double low = i == 0 ? 0 : kBounds[i - 1];
      return low + (kBounds[i] - low) * (wanted - before) / here;
    }
    before += here;
  }
  return kBounds.back();
}

LatencyCounts& LatencyCounts::operator+=(const LatencyCounts& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts[i] += other.counts[i];
  return *this;
}

LatencyCounts& LatencyCounts::operator-=(const LatencyCounts& earlier) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts[i] -= earlier.counts[i];
  return *this;
}

}  // namespace manyarms::service
