#include "service/load/latencies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "manyarms/random.h"

namespace manyarms::load {
namespace {

TEST(Latencies, AreZeroWithoutAny) {
  const Latencies none;
  EXPECT_EQ(none.count(), 0U);
  EXPECT_EQ(none.Quantile(0.99), 0);
  EXPECT_EQ(none.Max(), 0);
  EXPECT_EQ(none.Mean(), 0);
}

TEST(Latencies, QuantilesAreThoseOfTheSortedTimes) {
  RandomStream random(1, RandomStream::Role::kNoise, 0);
  std::vector<std::uint64_t> times;
  Latencies latencies;
  for (int i = 0; i < 10'000; ++i) {
    // From nanoseconds to hundreds of seconds.
    times.push_back(
        static_cast<std::uint64_t>(std::exp(26 * random.Uniform())));
    latencies.Record(times.back());
  }
  std::ranges::sort(times);
  for (const double share : {0.0001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(
        std::ceil(share * static_cast<double>(times.size())));
    const double exact = static_cast<double>(times[rank - 1]) / 1e9;
    EXPECT_GE(latencies.Quantile(share), exact * (1 - 1e-12)) << share;
    EXPECT_LE(latencies.Quantile(share), exact * 1.008) << share;
  }
  EXPECT_EQ(latencies.Max(), static_cast<double>(times.back()) / 1e9);
}

TEST(Latencies, OfShortTimesAreExact) {
  Latencies latencies;
  for (std::uint64_t time = 1; time <= 200; ++time) latencies.Record(time);
  EXPECT_EQ(latencies.Quantile(0.5), 100e-9);
  EXPECT_EQ(latencies.Quantile(0.25), 50e-9);
  EXPECT_NEAR(latencies.Mean(), 100.5e-9, 1e-15);
}

TEST(Latencies, BeyondTheLongestCountAsIt) {
  Latencies latencies;
  latencies.Record(~std::uint64_t{0});
  EXPECT_EQ(latencies.count(), 1U);
  EXPECT_NEAR(latencies.Quantile(0.5), std::exp2(40) / 1e9, 1e-8);
}

TEST(Latencies, OfSeveralAreAdded) {
  Latencies all;
  Latencies first;
  Latencies second;
  for (std::uint64_t time = 1; time < 5'000'000; time += 997) {
    all.Record(time);
    (time % 2 == 0 ? first : second).Record(time);
  }
  first.Add(second);
  EXPECT_EQ(first.count(), all.count());
  EXPECT_EQ(first.Quantile(0.7), all.Quantile(0.7));
  EXPECT_EQ(first.Max(), all.Max());
  EXPECT_EQ(first.Mean(), all.Mean());
}

}  // namespace
}  // namespace manyarms::load
