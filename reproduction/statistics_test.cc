#include "reproduction/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reproduction/text.h"

namespace manyarms::reproduction {
namespace {

TEST(Statistics, FollowTheirFormulas) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(Mean(values), 5);
  // The squares of the differences are 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32.
  EXPECT_DOUBLE_EQ(Deviation(values), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(StandardError(values), std::sqrt(32.0 / 7 / 8));
}

TEST(Statistics, HaveNoSpreadForASingleValue) {
  const std::vector<double> values = {7.5};
  EXPECT_EQ(Mean(values), 7.5);
  EXPECT_EQ(Deviation(values), 0);
  EXPECT_EQ(StandardError(values), 0);
  EXPECT_EQ(Median(values), 7.5);
}

TEST(Median, IsTheMiddleValueOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(Median(std::vector<double>{9, 1, 5}), 5);
  EXPECT_EQ(Median(std::vector<double>{100, 1, 4, 2}), 3);
}

TEST(Grouped, PutsCommasBetweenThousands) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(12345), "12,345");
  EXPECT_EQ(Grouped(1234567.8), "1,234,568");
  EXPECT_EQ(Grouped(999999.9), "1,000,000");
}

TEST(Grouped, HasAMinusForNegativeNumbers) {
  EXPECT_EQ(Grouped(-1234), "−1,234");
  EXPECT_EQ(Grouped(-0.4), "0");
  EXPECT_EQ(Grouped(-0.5), "0");
}

TEST(Significant, HasThreeDigitsAndNoExponent) {
  EXPECT_EQ(Significant(0.0356), "0.0356");
  EXPECT_EQ(Significant(0.035649), "0.0356");
  EXPECT_EQ(Significant(0.000123456), "0.000123");
  EXPECT_EQ(Significant(1.234), "1.23");
  EXPECT_EQ(Significant(12.34), "12.3");
  EXPECT_EQ(Significant(123.4), "123");
  EXPECT_EQ(Significant(999.4), "999");
  EXPECT_EQ(Significant(999.6), "1,000");
  EXPECT_EQ(Significant(1420.4), "1,420");
  EXPECT_EQ(Significant(1.5e6), "1,500,000");
}

TEST(Significant, HasThreeDigitsAfterRoundingToTheNextPower) {
  EXPECT_EQ(Significant(9.999), "10.0");
  EXPECT_EQ(Significant(99.97), "100");
  EXPECT_EQ(Significant(0.09999), "0.100");
}

TEST(Significant, KeepsSmallWholeNumbersShort) {
  EXPECT_EQ(Significant(0), "0");
  EXPECT_EQ(Significant(1), "1");
  EXPECT_EQ(Significant(9), "9");
}

TEST(Significant, HasTheSameMinusAsGrouped) {
  EXPECT_EQ(Significant(-5), "−5");
  EXPECT_EQ(Significant(-12.34), "−12.3");
}

TEST(Significant, HasADashForInfinityAndNaN) {
  EXPECT_EQ(Significant(std::numeric_limits<double>::infinity()), "–");
  EXPECT_EQ(Significant(std::nan("")), "–");
}

}  // namespace
}  // namespace manyarms::reproduction
