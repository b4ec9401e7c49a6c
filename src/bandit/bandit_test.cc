#include "manyarms/bandit.h"

#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

TEST(Bandit, LearnsWhichArmIsBest) {
  Bandit bandit({.dim = 2});
  bandit.Add(10, std::vector<float>{1, 0});
  bandit.Add(20, std::vector<float>{0, 1});
  for (int t = 0; t < 200; ++t) {
    const Decision decision = bandit.Choose();
    bandit.Learn(decision, decision.arm == 20 ? 1.0 : -1.0);
  }
  int good = 0;
  for (int t = 0; t < 100; ++t) good += bandit.Choose().arm == 20 ? 1 : 0;
  EXPECT_GT(good, 90);
  EXPECT_NEAR(bandit.Predict(std::vector<float>{0, 1}), 1.0, 0.05);
}

// With the extension on, what is predicted is what an ordinary regression
// with a free intercept predicts, whatever the sign of the rewards.
TEST(Bandit, HandlesNegativeRewardsByThePapersExtension) {
  Bandit bandit({.dim = 2, .negative_rewards = true});
  const std::vector<std::vector<float>> arms = {{1, 0}, {0, 1}, {0.5, 0.5}};
  const std::vector<double> means = {-3, -1, -2};
  for (ArmId id = 0; id < 3; ++id) bandit.Add(id, arms[id]);
  for (int t = 0; t < 2000; ++t) {
    const Decision decision = bandit.Choose();
    bandit.Learn(decision, means[decision.arm]);
  }
  EXPECT_EQ(bandit.dim(), 2U);
  EXPECT_EQ(bandit.Choose().arm, 1U);
  EXPECT_NEAR(bandit.Predict(arms[1]), -1, 0.05);
  EXPECT_NEAR(bandit.Choose().score, -1, 0.3);  // a sample, in rewards
  ExpectError(ErrorCode::kInvalidArgument, {"3 features", "dimension 2"}, [&] {
    bandit.Add(std::vector<ArmId>{7}, std::vector<float>{1, 2, 3});
  });
  ExpectError(ErrorCode::kInvalidArgument, {"3 features", "dimension is 2"},
              [&] {
                bandit.Observe(std::vector<float>{1, 2, 3}, 0.0);
              });
}

TEST(Bandit, LearnsBeforeTheFirstChoiceAndWithoutArms) {
  Bandit bandit({.dim = 2});
  bandit.Observe(std::vector<float>{1, 0}, 5.0);
  EXPECT_GT(bandit.Predict(std::vector<float>{1, 0}), 1.0);
}

TEST(Bandit, CanBeMoved) {
  Bandit first({.dim = 1});
  first.Add(3, std::vector<float>{1});
  Bandit second = std::move(first);
  EXPECT_EQ(second.Choose().arm, 3U);
}

TEST(Bandit, ChoosesNothingWhereNothingIsAskedFor) {
  Bandit bandit({.dim = 2});
  EXPECT_TRUE(bandit.ChooseBest(0).empty());
  EXPECT_TRUE(bandit.ChooseDraws(0).empty());
  Bandit twin({.dim = 2});
  for (Bandit* one : {&bandit, &twin}) {
    one->Add(testing::FirstIds(30), testing::GaussianRows(30, 2, 1));
  }
  for (int t = 0; t < 20; ++t) {
    EXPECT_TRUE(bandit.ChooseBest(0).empty());
    EXPECT_TRUE(bandit.ChooseDraws(0, std::vector<ArmId>{1, 2}).empty());
    // It has drawn nothing, and given no number away.
    const Decision decision = bandit.Choose();
    const Decision expected = twin.Choose();
    EXPECT_EQ(decision.arm, expected.arm);
    EXPECT_EQ(decision.id, expected.id);
    bandit.Learn(decision, 1.0);
    twin.Learn(expected, 1.0);
  }
}

// Rows may be doubles, and lie in any order in memory.
TEST(Bandit, TakesRowsAsTheyLie) {
  const std::vector<double> columns = {1,  10, 2,
                                       20, 3,  30};  // column by column
  Bandit strided({.dim = 3, .policy = UcbOptions{}});
  strided.Add(std::vector<ArmId>{1, 2},
              FeatureRows(columns.data(), 2, 3, {.row = 1, .column = 2}));
  Bandit plain({.dim = 3, .policy = UcbOptions{}});
  plain.Add(std::vector<ArmId>{1, 2}, std::vector<float>{1, 2, 3, 10, 20, 30});
  for (Bandit* bandit : {&strided, &plain}) bandit->Observe(ArmId{1}, 1.0);
  EXPECT_EQ(strided.Predict(std::vector<float>{1, 1, 1}),
            plain.Predict(std::vector<float>{1, 1, 1}));
  EXPECT_EQ(strided.Choose().score, plain.Choose().score);
}

// The order that masks go by.
TEST(Bandit, KeepsItsOrderWhenArmsGetOtherFeatures) {
  for (const bool negative : {false, true}) {
    Bandit bandit({.dim = 3, .negative_rewards = negative});
    bandit.Add(testing::FirstIds(40), testing::GaussianRows(40, 3, 1));
    bandit.Remove(std::vector<ArmId>{3, 17});
    const std::vector<ArmId> before = bandit.Ids();
    const std::vector<float> rows = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    bandit.Update(std::vector<ArmId>{9, 1, 30},
                  FeatureRows(rows.data(), 3, 3, {.row = 3}));
    EXPECT_EQ(bandit.Ids(), before);
  }
}

TEST(Bandit, PredictsManyAsItPredictsOne) {
  Bandit bandit({.dim = 3, .negative_rewards = true});
  const std::vector<float> rows = testing::GaussianRows(5, 3, 1);
  for (int i = 0; i < 5; ++i) {
    bandit.Observe(std::span(rows).subspan(3 * static_cast<std::size_t>(i), 3),
                   0.3 * i - 1);
  }
  const std::vector<double> many =
      bandit.Predict(FeatureRows(rows.data(), 5, 3, {.row = 3}));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(many[i], bandit.Predict(std::span(rows).subspan(3 * i, 3)));
  }
}

// What can be read of arms agrees with what can be asked otherwise.
TEST(Bandit, TellsFeaturesScoresAndUncertaintyOfArms) {
  constexpr std::size_t kDim = 3;
  const auto rows = testing::GaussianRows(20, kDim, 1);
  for (const bool negative : {false, true}) {
    for (const PolicyOptions& policy :
         std::vector<PolicyOptions>{ThompsonOptions{.exploration = 1.5},
                                    UcbOptions{}, EliminationOptions{}}) {
      Bandit bandit(
          {.dim = kDim, .policy = policy, .negative_rewards = negative});
      bandit.Add(testing::FirstIds(20), rows);
      for (int t = 0; t < 30; ++t) bandit.Learn(bandit.Choose(), 0.1 * t);
      const std::vector<ArmId> ids = {7, 3, 7};
      const std::vector<float> features = bandit.Features(ids);
      const std::vector<double> scores = bandit.Scores(ids);
      const std::vector<double> mean = bandit.Mean();
      ASSERT_EQ(features.size(), ids.size() * kDim);
      ASSERT_EQ(mean.size(), negative ? kDim + 1 : kDim);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto given = std::span(rows).subspan(ids[i] * kDim, kDim);
        const auto told = std::span(features).subspan(i * kDim, kDim);
        double expected = negative ? mean.back() : 0;
        for (std::size_t j = 0; j < kDim; ++j) {
          EXPECT_FLOAT_EQ(told[j], given[j]);
          expected += mean[j] * given[j];
        }
        EXPECT_NEAR(scores[i], expected, 1e-6);
        EXPECT_EQ(scores[i], bandit.Predict(given));
      }
      const Decision decision = bandit.Choose();
      const ArmId arm = decision.arm;
      const double width = bandit.Uncertainty(std::span(&arm, 1)).front();
      if (std::holds_alternative<UcbOptions>(policy)) {
        EXPECT_NEAR(decision.score,
                    bandit.Scores(std::span(&arm, 1)).front() + width, 1e-5);
      } else if (std::holds_alternative<EliminationOptions>(policy)) {
        EXPECT_NEAR(decision.score, width, 1e-5);
      }
      EXPECT_GT(width, 0);
      const ArmId unknown = 99;
      ExpectError(ErrorCode::kUnknownId, {"99"},
                  [&] { (void)bandit.Features(std::span(&unknown, 1)); });
      ExpectError(ErrorCode::kUnknownId, {"99"},
                  [&] { (void)bandit.Scores(std::span(&unknown, 1)); });
      ExpectError(ErrorCode::kUnknownId, {"99"},
                  [&] { (void)bandit.Uncertainty(std::span(&unknown, 1)); });
    }
  }
}

}  // namespace
}  // namespace manyarms
