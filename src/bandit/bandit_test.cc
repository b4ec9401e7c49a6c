#include "manyarms/bandit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manyarms/random.h"
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

TEST(Bandit, ForgetsNothingAndChangesNothingOnBadInput) {
  Bandit bandit({.dim = 2});
  bandit.Add(1, std::vector<float>{1, 2});
  bandit.Observe(ArmId{1}, 2.0);
  const std::vector<float> probe = {0.3F, -0.2F};
  const double before = bandit.Predict(probe);
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto infinity = std::numeric_limits<double>::infinity();

  ExpectError(ErrorCode::kInvalidArgument, {"nan"}, [&] {
    bandit.Add(2, std::vector<float>{nan, 0});
  });
  ExpectError(ErrorCode::kInvalidArgument, {"1 features", "dimension is 2"},
              [&] { bandit.Add(2, std::vector<float>{1}); });
  ExpectError(ErrorCode::kDuplicateId, {"arm 1 "}, [&] {
    bandit.Add(1, std::vector<float>{0, 0});
  });
  ExpectError(ErrorCode::kUnknownId, {"arm 9 "}, [&] { bandit.Remove(9); });
  ExpectError(ErrorCode::kUnknownId, {"arm 9;", "features"},
              [&] { bandit.Observe(ArmId{9}, 1.0); });
  ExpectError(ErrorCode::kInvalidArgument, {"reward is inf", "1e+09"},
              [&] { bandit.Observe(ArmId{1}, infinity); });
  ExpectError(ErrorCode::kInvalidArgument, {"nan"}, [&] {
    bandit.Observe(std::vector<float>{0, nan}, 1.0);
  });
  ExpectError(ErrorCode::kInvalidArgument, {"3 features"}, [&] {
    bandit.Observe(std::vector<float>{0, 0, 0}, 1.0);
  });
  ExpectError(ErrorCode::kInvalidArgument, {"3 features"}, [&] {
    bandit.Predict(std::vector<float>{0, 0, 0});
  });

  EXPECT_EQ(bandit.size(), 1U);
  EXPECT_FALSE(bandit.Contains(2));
  EXPECT_EQ(bandit.Predict(probe), before);
  EXPECT_EQ(bandit.Choose().arm, 1U);
}

TEST(Bandit, SaysSoWhenThereIsNothingToChooseFrom) {
  for (const PolicyOptions& policy :
       {PolicyOptions{ThompsonOptions{}}, PolicyOptions{EliminationOptions{}},
        PolicyOptions{UcbOptions{}}}) {
    Bandit bandit({.dim = 1, .policy = policy});
    ExpectError(ErrorCode::kNoArms, {"no arms"}, [&] { bandit.Choose(); });
    bandit.Add(1, std::vector<float>{1});
    bandit.Remove(1);
    ExpectError(ErrorCode::kNoArms, {"no arms"}, [&] { bandit.Choose(); });
  }
}

TEST(Bandit, RefusesOptionsOutOfBounds) {
  const auto make = [](const BanditOptions& options) {
    return [options] { Bandit bandit(options); };
  };
  ExpectError(ErrorCode::kInvalidArgument, {"dimension is 0", "4096"},
              make({}));
  ExpectError(ErrorCode::kInvalidArgument, {"dimension is 5000"},
              make({.dim = 5000}));
  ExpectError(ErrorCode::kInvalidArgument, {"dimension is 4096", "4095"},
              make({.dim = 4096, .negative_rewards = true}));
  ExpectError(ErrorCode::kInvalidArgument, {"regularisation is 0"},
              make({.dim = 2, .regularisation = 0}));
  ExpectError(ErrorCode::kInvalidArgument, {"regularisation is -1"},
              make({.dim = 2, .regularisation = -1}));
  ExpectError(ErrorCode::kInvalidArgument, {"regularisation is nan"},
              make({.dim = 2, .regularisation = std::nan("")}));
  ExpectError(
      ErrorCode::kUnsupported, {"ucb", "hnsw"},
      make({.dim = 2, .policy = UcbOptions{}, .search = HnswOptions{}}));
}

// The largest numbers that are accepted must not overflow anywhere.
TEST(Bandit, BearsExtremeInput) {
  const auto big = static_cast<float>(kMaxFeature);
  const std::vector<std::vector<float>> arms = {
      {big, big, big}, {-big, big, -big}, {1e-30F, 0, 0}, {0, 0, 0}};
  for (const PolicyOptions& policy :
       {PolicyOptions{ThompsonOptions{kMaxExploration}},
        PolicyOptions{EliminationOptions{kMaxExploration}},
        PolicyOptions{UcbOptions{kMaxExploration}}}) {
    for (const double lambda : {kMinRegularisation, kMaxRegularisation}) {
      for (const double reward : {kMaxReward, -kMaxReward, 1e-300}) {
        Bandit bandit({.dim = 3, .policy = policy, .regularisation = lambda});
        for (ArmId id = 0; id < arms.size(); ++id) bandit.Add(id, arms[id]);
        for (int t = 0; t < 20; ++t) {
          const Decision decision = bandit.Choose();
          ASSERT_TRUE(std::isfinite(decision.score));
          bandit.Learn(decision, reward);
          ASSERT_TRUE(std::isfinite(bandit.Predict(arms[0])));
        }
      }
    }
  }
}

// With the extension, predictions are those of an ordinary regression with a
// free intercept, whatever the sign of the rewards.
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

// Rewards that come late, out of order, several times, or for arms that were
// removed leave the same state as the same rewards in any other order.
TEST(Bandit, TakesRewardsInAnyOrder) {
  const auto rows = testing::GaussianRows(6, 3, 1);
  const auto row = [&](std::size_t i) {
    return std::span(rows).subspan(i * 3, 3);
  };
  const auto make = [&] {
    Bandit bandit({.dim = 3});
    bandit.Add(testing::FirstIds(6), rows);
    return bandit;
  };
  Bandit prompt = make();
  Bandit late = make();
  for (const std::size_t arm : {0U, 3U, 3U, 5U, 1U}) {
    prompt.Observe(ArmId{arm}, 0.1 * static_cast<double>(arm));
  }
  for (int t = 0; t < 5; ++t) late.Choose();
  late.Observe(ArmId{1}, 0.1);
  late.Remove(5);
  late.Observe(row(5), 0.5);
  late.Observe(row(3), 0.3);
  late.Observe(ArmId{3}, 0.3);
  late.Observe(ArmId{0}, 0.0);
  const std::vector<float> probe = {1, -1, 0.5F};
  EXPECT_NEAR(prompt.Predict(probe), late.Predict(probe), 1e-12);
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

TEST(Bandit, LearnsADecisionOnceAndByTheFeaturesItWasMadeBy) {
  const std::vector<float> before = {1, 0};
  const std::vector<float> after = {0, 1};
  Bandit bandit({.dim = 2});
  bandit.Add(7, before);
  const Decision first = bandit.Choose();
  const Decision second = bandit.Choose();
  const Decision third = bandit.Choose();
  EXPECT_EQ(first.id, 1U);
  EXPECT_EQ(third.id, 3U);
  bandit.Update(std::vector<ArmId>{7},
                FeatureRows(after.data(), 1, 2, {.row = 2}));
  bandit.Learn(third, 1.0);
  bandit.Remove(7);
  bandit.Learn(first, 1.0);
  EXPECT_EQ(bandit.pending(), 1U);

  Bandit expected({.dim = 2});
  expected.Observe(before, 1.0);
  expected.Observe(before, 1.0);
  EXPECT_EQ(bandit.Predict(before), expected.Predict(before));
  EXPECT_EQ(bandit.Predict(after), expected.Predict(after));

  ExpectError(ErrorCode::kUnknownId, {"decision 1 ", "already"},
              [&] { bandit.Learn(first, 1.0); });
  ExpectError(ErrorCode::kUnknownId, {"decision 4 ", "not been made"},
              [&] { bandit.Learn(DecisionId{4}, 1.0); });
  ExpectError(ErrorCode::kUnknownId, {"decision 0 "},
              [&] { bandit.Learn(DecisionId{0}, 1.0); });
  ExpectError(ErrorCode::kInvalidArgument, {"reward is nan"},
              [&] { bandit.Learn(second, std::nan("")); });
  EXPECT_EQ(bandit.pending(), 1U);
  bandit.Dismiss(second.id);
  EXPECT_EQ(bandit.pending(), 0U);
  ExpectError(ErrorCode::kUnknownId, {"decision 2 "},
              [&] { bandit.Dismiss(second.id); });
}

TEST(Bandit, ForgetsTheOldestDecisionsBeyondItsLimit) {
  Bandit bandit({.dim = 1, .max_pending = 3});
  bandit.Add(1, std::vector<float>{1});
  for (int t = 0; t < 10; ++t) bandit.Choose();
  EXPECT_EQ(bandit.pending(), 3U);
  ExpectError(ErrorCode::kUnknownId, {"decision 7 ", "3 or more"},
              [&] { bandit.Learn(DecisionId{7}, 1.0); });
  for (const DecisionId decision : {9U, 8U, 10U}) bandit.Learn(decision, 1.0);
  EXPECT_EQ(bandit.pending(), 0U);
  EXPECT_EQ(bandit.Choose().id, 11U);
  ExpectError(ErrorCode::kInvalidArgument, {"is 4", "to 3"},
              [&] { bandit.ChooseBest(4); });
  ExpectError(ErrorCode::kInvalidArgument, {"pending decisions is 0"},
              [&] { Bandit none({.dim = 1, .max_pending = 0}); });
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
    // Nothing was drawn, and no number was given to a decision.
    const Decision decision = bandit.Choose();
    const Decision expected = twin.Choose();
    EXPECT_EQ(decision.arm, expected.arm);
    EXPECT_EQ(decision.id, expected.id);
    bandit.Learn(decision, 1.0);
    twin.Learn(expected, 1.0);
  }
}

TEST(Bandit, TakesBatchesWholeOrNotAtAll) {
  const auto rows = testing::GaussianRows(6, 3, 1);
  Bandit bandit({.dim = 3});
  bandit.Add(testing::FirstIds(6), rows);
  const std::vector<Decision> made = bandit.ChooseBest(3);
  const std::vector<ArmId> before = bandit.Ids();
  const std::vector<float> probe = {1, 2, 3};

  const auto learn = [&](std::vector<DecisionId> ids,
                         std::vector<double> rewards) {
    return [&bandit, ids = std::move(ids), rewards = std::move(rewards)] {
      bandit.Learn(ids, rewards);
    };
  };
  ExpectError(ErrorCode::kUnknownId, {"decision 9 "}, learn({1, 9}, {1, 1}));
  ExpectError(ErrorCode::kDuplicateId, {"decision 2 "},
              learn({2, 1, 2}, {1, 1, 1}));
  ExpectError(ErrorCode::kInvalidArgument, {"1 rewards", "2 decisions"},
              learn({1, 2}, {1}));
  ExpectError(ErrorCode::kInvalidArgument, {"reward is inf"},
              learn({1, 2}, {1, INFINITY}));
  ExpectError(ErrorCode::kUnknownId, {"arm 8;"}, [&] {
    bandit.Observe(std::vector<ArmId>{1, 8}, std::vector<double>{1, 1});
  });
  ExpectError(ErrorCode::kUnknownId, {"arm 8 "}, [&] {
    bandit.Remove(std::vector<ArmId>{1, 8});
  });
  ExpectError(ErrorCode::kDuplicateId, {"arm 1 "}, [&] {
    bandit.Remove(std::vector<ArmId>{1, 2, 1});
  });
  const std::vector<double> doubles = {1, 2, 3, 4, 5, std::nan("")};
  ExpectError(ErrorCode::kInvalidArgument, {"row 1 of 2", "nan"}, [&] {
    bandit.Update(std::vector<ArmId>{1, 2},
                  FeatureRows(doubles.data(), 2, 3, {.row = 3}));
  });
  ExpectError(ErrorCode::kUnknownId, {"arm 8 "}, [&] {
    bandit.Update(std::vector<ArmId>{8},
                  FeatureRows(doubles.data(), 1, 3, {.row = 3}));
  });
  ExpectError(ErrorCode::kNoArms, {"no arm is eligible"},
              [&] { bandit.Choose(std::span<const ArmId>()); });
  ExpectError(ErrorCode::kUnknownId, {"arm 8 "}, [&] {
    bandit.Choose(std::vector<ArmId>{1, 8});
  });
  constexpr bool kMask[] = {true, false};
  ExpectError(ErrorCode::kInvalidArgument, {"length 2", "6 arms"},
              [&] { bandit.Choose(std::span<const bool>(kMask)); });
  EXPECT_EQ(bandit.Ids(), before);
  EXPECT_EQ(bandit.pending(), 3U);
  EXPECT_EQ(bandit.Predict(probe), 0);

  bandit.Learn(std::vector<DecisionId>{made[2].id, made[0].id, made[1].id},
               std::vector<double>{1, 2, 3});
  EXPECT_EQ(bandit.pending(), 0U);
}

TEST(Bandit, NamesTheValueThatWasGiven) {
  Bandit bandit({.dim = 2});
  bandit.Add(0, std::vector<float>{1, 2});
  const std::vector<double> doubles = {1, 2, 3, -1e40};
  const std::vector<float> floats = {1, 2, 3, 3.3e38F};
  const std::vector<ArmId> ids = {1, 2};
  const FeatureRows columns(doubles.data(), 2, 2, {.row = 1, .column = 2});
  ExpectError(ErrorCode::kInvalidArgument,
              {"row 1 of 2", "feature 1 is -1e+40,", "1e+06"},
              [&] { bandit.Add(ids, columns); });
  ExpectError(ErrorCode::kInvalidArgument, {"row 1 of 2", "is -1e+40,"},
              [&] { bandit.Predict(columns); });
  ExpectError(ErrorCode::kInvalidArgument, {"feature 1 is -1e+40,"}, [&] {
    bandit.Update(std::vector<ArmId>{0}, FeatureRows(&doubles[2], 1, 2, {}));
  });
  const std::vector<double> digits = {1, 1234567890123};
  ExpectError(ErrorCode::kInvalidArgument, {"feature 1 is 1234567890123,"},
              [&] { bandit.Predict(FeatureRows(digits.data(), 1, 2, {})); });
  ExpectError(ErrorCode::kInvalidArgument, {"feature 1 is 3.3e+38,"},
              [&] { bandit.Add(ids, floats); });
  EXPECT_EQ(bandit.size(), 1U);
}

// Widths whose squares leave the range of float lose digits and then vanish
// (see kMaxFeature). Decisions must be correct nevertheless.
TEST(Bandit, DecidesByIdAmongArmsTooShortToTellApart) {
  const std::vector<PolicyOptions> policies = {
      ThompsonOptions{}, UcbOptions{},
      EliminationOptions{TheoryRadius{.horizon = 100}}};
  const std::vector<SearchOptions> searches = {
      ScanOptions{}, CertifiedOptions{.background = false}};
  for (const PolicyOptions& policy : policies) {
    for (const SearchOptions& search : searches) {
      for (const float size : {1e-19F, 1e-21F, 1e-24F, 1e-40F, 0.0F}) {
        SCOPED_TRACE(fmt::format("{} {} {}", PolicyName(policy),
                                 SearchName(search), size));
        Bandit bandit({.dim = 3, .policy = policy, .search = search});
        for (const ArmId id : {9U, 4U, 6U}) {
          bandit.Add(id, std::vector<float>{size, size, size});
        }
        for (int t = 0; t < 20; ++t) {
          const Decision decision = bandit.Choose();
          const std::vector<Decision> slate = bandit.ChooseBest(3);
          ASSERT_TRUE(std::isfinite(decision.score));
          ASSERT_EQ(slate.size(), 3U);
          // elim chooses at random among arms that are certain.
          const bool at_random = PolicyName(policy) == "elim";
          ASSERT_TRUE(at_random || decision.arm == 4U);
          ASSERT_EQ(slate[0].arm, 4U);
          ASSERT_EQ(slate[2].arm, 9U);
          bandit.Learn(decision, 1e9);
          ASSERT_TRUE(
              std::isfinite(bandit.Predict(std::vector<float>{1, 1, 1})));
        }
        // An arm that can be distinguished is more uncertain, or has a higher
        // score.
        bandit.Add(7, std::vector<float>{1, 0, 0});
        int chosen = 0;
        for (int t = 0; t < 20; ++t) {
          const Decision decision = bandit.Choose();
          chosen += decision.arm == 7 ? 1 : 0;
          bandit.Learn(decision, decision.arm == 7 ? 1 : 0);
        }
        EXPECT_GT(chosen, 10);
      }
    }
  }
}

TEST(Bandit, HasScoresOfUcbThatVanishOnlyWithTheSquares) {
  const auto score = [](float size) {
    Bandit bandit({.dim = 1, .policy = UcbOptions{2.0}});
    bandit.Add(0, std::vector<float>{size});
    return bandit.Choose().score / (2.0 * size);
  };
  EXPECT_NEAR(score(1e-18F), 1, 1e-6);
  EXPECT_NEAR(score(1e-20F), 1, 1e-4);
  EXPECT_EQ(score(1e-24F), 0);
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

// Masks have this order.
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

TEST(Bandit, RefusesTheDecisionOfAnother) {
  Bandit one({.dim = 1, .search = ScanOptions{}});
  Bandit other({.dim = 1, .search = ScanOptions{}});
  one.Add(1, std::vector<float>{1});
  other.Add(2, std::vector<float>{1});
  const Decision decision = one.Choose();
  other.Choose();
  ExpectError(ErrorCode::kUnknownId, {"decision 1 ", "another bandit's"},
              [&] { other.Learn(decision, 1.0); });
  EXPECT_EQ(other.pending(), 1U);
  one.Learn(decision, 1.0);
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

// An id that occurs twice is most often due to a mask of numbers.
TEST(Bandit, RefusesEligibleArmsThatAreThereTwice) {
  Bandit bandit({.dim = 1});
  bandit.Add(testing::FirstIds(3), testing::GaussianRows(3, 1, 1));
  const std::vector<ArmId> ids = {0, 1, 1};
  ExpectError(ErrorCode::kDuplicateId, {"arm 1 ", "mask"},
              [&] { bandit.Choose(ids); });
  EXPECT_EQ(bandit.pending(), 0U);
}

TEST(Bandit, SaysWhichDecisionsArePending) {
  Bandit bandit({.dim = 1});
  bandit.Add(testing::FirstIds(3), testing::GaussianRows(3, 1, 1));
  const Decision decision = bandit.Choose();
  bandit.CheckPending(decision);
  ExpectError(ErrorCode::kUnknownId, {"another bandit's"}, [&] {
    bandit.CheckPending({.id = decision.id, .arm = decision.arm + 1});
  });
  bandit.Learn(decision, 1.0);
  ExpectError(ErrorCode::kUnknownId, {"already"},
              [&] { bandit.CheckPending(decision); });
}

// Features, scores and uncertainties agree with what other methods return.
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
