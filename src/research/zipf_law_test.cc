#include "research/zipf_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace manyarms {
namespace {

using Role = RandomStream::Role;

std::vector<double> Probabilities(std::size_t count, double exponent) {
  std::vector<double> weights(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    weights[i] = std::pow(static_cast<double>(i + 1), -exponent);
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Chi-squared with 19 degrees of freedom exceeds 60 with a probability of less
// than 1e-5.
TEST(ZipfLaw, DrawsEachNumberAsOftenAsItShould) {
  constexpr std::size_t kCount = 20;
  constexpr std::uint64_t kDraws = 100000;
  for (const double exponent : {0.0, 0.5, 1.0, 2.5}) {
    const ZipfLaw law(kCount, exponent);
    std::vector<double> drawn(kCount);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      RandomStream random(3, Role::kVisit, i);
      ++drawn.at(law.Draw(random));
    }
    const std::vector<double> probabilities = Probabilities(kCount, exponent);
    double chi_squared = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const double expected = probabilities[i] * kDraws;
      chi_squared += std::pow(drawn[i] - expected, 2) / expected;
    }
    EXPECT_LT(chi_squared, 60) << "exponent " << exponent;
  }
}

TEST(ZipfLaw, StaysWithinItsNumbers) {
  for (const std::uint64_t count :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1'000'000'000'000}}) {
    for (const double exponent : {0.0, 1.0, 10.0}) {
      const ZipfLaw law(count, exponent);
      RandomStream random(4, Role::kVisit, count);
      for (int i = 0; i < 1000; ++i) ASSERT_LT(law.Draw(random), count);
    }
  }
}

TEST(ZipfLaw, KnowsAboutHowManyNumbersOccur) {
  constexpr std::size_t kCount = 50000;
  constexpr std::uint64_t kDraws = 20000;
  for (const double exponent : {0.0, 1.0, 1.5}) {
    double expected = 0;
    for (const double p : Probabilities(kCount, exponent)) {
      expected += 1 - std::pow(1 - p, static_cast<double>(kDraws));
    }
    const ZipfLaw law(kCount, exponent);
    EXPECT_NEAR(law.ExpectedDistinct(kDraws), expected, 0.01 * expected);
    std::set<std::uint64_t> drawn;
    RandomStream random(5, Role::kVisit, 0);
    for (std::uint64_t i = 0; i < kDraws; ++i) drawn.insert(law.Draw(random));
    EXPECT_NEAR(static_cast<double>(drawn.size()), expected, 0.05 * expected);
  }
  EXPECT_EQ(ZipfLaw(1, 1).ExpectedDistinct(10), 1);
}

}  // namespace
}  // namespace manyarms
