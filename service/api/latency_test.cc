#include "service/api/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "service/api/request_counts.h"

namespace manyarms::service {
namespace {

TEST(Latency, HasBoundsThatGrow) {
  for (std::size_t i = 1; i + 1 < LatencyCounts::kBuckets; ++i) {
    EXPECT_LT(LatencyCounts::BoundOf(i - 1), LatencyCounts::BoundOf(i));
    EXPECT_LE(LatencyCounts::BoundOf(i), 1.3 * LatencyCounts::BoundOf(i - 1));
  }
  EXPECT_EQ(LatencyCounts::BoundOf(0), 1e-6);
  EXPECT_EQ(LatencyCounts::BoundOf(LatencyCounts::kBuckets - 2), 10);
}

TEST(Latency, CountsUpToBoundsExactly) {
  RequestCounts counts(1);
  for (const double bound : {0.0001, 0.0002, 0.0005, 0.001, 0.02, 0.5, 10.0}) {
    const std::uint64_t before = counts.Of(0).latency.AtMost(bound);
    counts.Add(0, 200, bound);
    counts.Add(0, 200, std::nextafter(bound, 100));
    EXPECT_EQ(counts.Of(0).latency.AtMost(bound), before + 1) << bound;
  }
  counts.Add(0, 200, -1);
  counts.Add(0, 503, 1e9);
  EXPECT_EQ(counts.Of(0).requests(), 16U);
  EXPECT_EQ(counts.Of(0).errors(), 1U);
}

TEST(Latency, HasQuantilesThatAreRightToAQuarter) {
  std::mt19937_64 random(7);  // NOLINT(bugprone-random-generator-seed)
  std::lognormal_distribution<double> times(-7, 1.5);
  std::vector<double> all;
  LatencyCounts counts;
  for (int i = 0; i < 10'000; ++i) {
    all.push_back(times(random));
    ++counts.counts[LatencyCounts::BucketOf(all.back())];
  }
  std::ranges::sort(all);
  for (const double share : {0.01, 0.5, 0.9, 0.99}) {
    const double exact = all[static_cast<std::size_t>(share * 10'000)];
    EXPECT_NEAR(*counts.Quantile(share) / exact, 1, 0.25) << share;
  }
  EXPECT_EQ(LatencyCounts().Quantile(0.5), std::nullopt);
}

}  // namespace
}  // namespace manyarms::service
