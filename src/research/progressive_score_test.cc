#include "research/progressive_score.h"

#include <cmath>
#include <vector>

#include "testing.h"

namespace manyarms {
namespace {

TEST(ProgressiveScore, IsThatOfTheFormulas) {
  ProgressiveScore score(false);
  score.Add(1, 3);   // the mean so far is 0
  score.Add(2, 1);   // 3
  score.Add(0, -1);  // 2
  EXPECT_EQ(score.events(), 3);
  EXPECT_DOUBLE_EQ(score.MeanReward(), 1);
  EXPECT_DOUBLE_EQ(score.Error(), std::sqrt((4 + 1 + 1) / 3.0));
  EXPECT_DOUBLE_EQ(score.ErrorOfMean(), std::sqrt((9 + 4 + 9) / 3.0));
}

TEST(ProgressiveScore, OfClicksHasLogLossAndCalibration) {
  ProgressiveScore score(true);
  score.Add(0.25, 1);  // the mean so far is 0.5
  score.Add(0.21, 0);  // 0.75
  score.Add(0.9, 1);   // 0.5
  EXPECT_DOUBLE_EQ(score.LogLoss(),
                   -(std::log(0.25) + std::log(0.79) + std::log(0.9)) / 3);
  EXPECT_DOUBLE_EQ(score.LogLossOfMean(),
                   -(std::log(0.5) + std::log(0.25) + std::log(0.5)) / 3);
  EXPECT_EQ(score.tenths()[2].events, 2);
  EXPECT_EQ(score.tenths()[9].events, 1);
  EXPECT_DOUBLE_EQ(score.CalibrationError(),
                   (std::abs(0.46 - 1) + std::abs(0.9 - 1)) / 3);
}

TEST(ProgressiveScore, StaysFiniteWhenCertainPredictionsAreWrong) {
  ProgressiveScore score(true);
  score.Add(0, 1);
  score.Add(1, 0);
  EXPECT_NEAR(score.LogLoss(), -std::log(1e-15), 0.1);
  EXPECT_EQ(score.tenths()[0].events, 1);
  EXPECT_EQ(score.tenths()[9].events, 1);
}

TEST(ProgressiveScore, OfNothingIsNothing) {
  const ProgressiveScore score(true);
  EXPECT_EQ(score.Error(), 0);
  EXPECT_EQ(score.LogLoss(), 0);
  EXPECT_EQ(score.CalibrationError(), 0);
}

}  // namespace
}  // namespace manyarms
