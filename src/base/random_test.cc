#include "manyarms/random.h"

#include <cmath>
#include <set>

#include "testing.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

// For counter 0 and key 0, Random123's known answer is 6627e8d5 e169c58d ...
TEST(RandomStream, IsPhilox) {
  RandomStream stream(0, static_cast<Role>(0), 0);
  EXPECT_EQ(stream.Bits(), 0xe169c58d6627e8d5U);
  EXPECT_EQ(stream.Bits(), 0x9b00dbd8bc57ac4cU);
}

TEST(RandomStream, DependsOnSeedRoleAndIndexAlone) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed : {1ULL, 2ULL, 1ULL << 40}) {
    for (Role role : {Role::kArm, Role::kNoise}) {
      for (std::uint64_t index : {0ULL, 1ULL, 1ULL << 33}) {
        const std::uint64_t bits = RandomStream(seed, role, index).Bits();
        EXPECT_EQ(bits, RandomStream(seed, role, index).Bits());
        first.insert(bits);
      }
    }
  }
  EXPECT_EQ(first.size(), 18U);
}

TEST(RandomStream, FloatsAreTheDoublesRounded) {
  std::vector<double> doubles(7);
  std::vector<float> floats(7);
  RandomStream(3, Role::kArm, 4).Gaussians(doubles);
  RandomStream(3, Role::kArm, 4).Gaussians(floats);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(floats[i], static_cast<float>(doubles[i]));
  }
}

// Each margin is six standard errors: a correct generator would fail for one
// seed in 10^8, and the seed is fixed. The standard errors of the first four
// moments of n values from N(0, 1) are sqrt(1/n), sqrt(2/n), sqrt(15/n) and
// sqrt(96/n).
TEST(RandomStream, GaussianMomentsAreThoseOfTheNormalDistribution) {
  constexpr std::size_t kCount = 400000;
  std::vector<double> values(kCount);
  RandomStream(5, Role::kNoise, 0).Gaussians(values);
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0, neighbours = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double v = values[i];
    m1 += v;
    m2 += v * v;
    m3 += v * v * v;
    m4 += v * v * v * v;
    neighbours += v * values[(i + 1) % kCount];
  }
  const double n = kCount;
  EXPECT_NEAR(m1 / n, 0, 6 * std::sqrt(1 / n));
  EXPECT_NEAR(m2 / n, 1, 6 * std::sqrt(2 / n));
  EXPECT_NEAR(m3 / n, 0, 6 * std::sqrt(15 / n));
  EXPECT_NEAR(m4 / n, 3, 6 * std::sqrt(96 / n));
  EXPECT_NEAR(neighbours / n, 0, 6 * std::sqrt(1 / n));
}

// Pearson's statistic over 10 bins has mean 9 and standard deviation
// sqrt(18) = 4.2. It exceeds 50 for less than one seed in 10^6.
TEST(RandomStream, BelowIsUniform) {
  constexpr int kDraws = 100000;
  std::vector<int> counts(10);
  RandomStream stream(6, Role::kPick, 0);
  for (int i = 0; i < kDraws; ++i) ++counts[stream.Below(10)];
  double statistic = 0;
  for (const int count : counts) {
    const double excess = count - kDraws / 10.0;
    statistic += excess * excess / (kDraws / 10.0);
  }
  EXPECT_LT(statistic, 50);
}

TEST(RandomStream, UniformIsBelowOne) {
  RandomStream stream(7, Role::kPick, 0);
  for (int i = 0; i < 1000; ++i) {
    const double value = stream.Uniform();
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 1);
  }
}

}  // namespace
}  // namespace manyarms
