// What a bandit refuses, after which it is what it was before.

#include <cmath>
#include <limits>

#include "manyarms/bandit.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

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

// Most of all what was meant for a mask.
TEST(Bandit, RefusesEligibleArmsThatAreThereTwice) {
  Bandit bandit({.dim = 1});
  bandit.Add(testing::FirstIds(3), testing::GaussianRows(3, 1, 1));
  const std::vector<ArmId> ids = {0, 1, 1};
  ExpectError(ErrorCode::kDuplicateId, {"arm 1 ", "mask"},
              [&] { bandit.Choose(ids); });
  EXPECT_EQ(bandit.pending(), 0U);
}

}  // namespace
}  // namespace manyarms
