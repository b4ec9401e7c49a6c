// Decisions that wait for their rewards, and rewards in any order.

#include <cmath>

#include "manyarms/bandit.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

// Rewards that come late, out of order, several times, or for arms that are
// gone leave the same state as the same rewards in any other order.
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

}  // namespace
}  // namespace manyarms
