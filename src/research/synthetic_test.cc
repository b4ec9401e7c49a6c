#include <algorithm>
#include <cmath>
#include <set>

#include "manyarms/research/environment.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

TEST(Synthetic, AddsAndRemovesArmsAtItsIntervals) {
  const auto world =
      MakeSynthetic({.arms = 10, .add = 3, .remove = 2, .every = 5});
  std::set<ArmId> live;
  for (ArmId arm = 0; arm < world->arms_at_start(); ++arm) live.insert(arm);
  for (std::uint64_t step = 1; step <= 100; ++step) {
    const Change change = world->Advance(step);
    EXPECT_EQ(change.added.size(), step % 5 == 0 ? 3U : 0U);
    EXPECT_EQ(change.removed.size(), step % 5 == 0 ? 2U : 0U);
    for (const ArmId arm : change.removed) EXPECT_EQ(live.erase(arm), 1U);
    for (const ArmId arm : change.added) EXPECT_TRUE(live.insert(arm).second);
  }
  EXPECT_EQ(live.size(), 10U + 20U);
}

// The regret of an arm that is present is never negative, and 0 for the best.
TEST(Synthetic, KnowsTheBestArmAfterEachChange) {
  const auto world = MakeSynthetic(
      {.arms = 20, .dim = 3, .add = 2, .remove = 2, .every = 1, .seed = 4});
  std::set<ArmId> live;
  for (ArmId arm = 0; arm < 20; ++arm) live.insert(arm);
  for (std::uint64_t step = 1; step <= 300; ++step) {
    const Change change = world->Advance(step);
    for (const ArmId arm : change.removed) live.erase(arm);
    live.insert(change.added.begin(), change.added.end());
    double least = 1e300;
    for (const ArmId arm : live) least = std::min(least, world->Regret(arm));
    ASSERT_EQ(least, 0.0) << "step " << step;
  }
}

// More arms than one thread draws at a time.
TEST(Synthetic, DrawsManyArmsAsItDrawsOne) {
  constexpr std::size_t kArms = 5000;
  const auto world = MakeSynthetic({.arms = kArms, .dim = 3, .seed = 5});
  std::vector<float> rows(kArms * 3);
  world->FillFeatures(testing::FirstIds(kArms), rows);
  std::vector<float> row(3);
  double least = 1e300;
  for (ArmId arm = 0; arm < kArms; ++arm) {
    world->Features(arm, row);
    ASSERT_TRUE(std::equal(row.begin(), row.end(), &rows[arm * 3]));
    least = std::min(least, world->Regret(arm));
  }
  EXPECT_EQ(least, 0.0);
}

TEST(Synthetic, RewardsAreMeansPlusNoiseThatDependsOnTheStepAlone) {
  const auto world = MakeSynthetic({.arms = 5, .noise = 2.0});
  const double difference = world->Regret(1) - world->Regret(0);
  for (std::uint64_t step = 1; step < 20; ++step) {
    EXPECT_NEAR(world->Reward(0, step) - world->Reward(1, step), difference,
                1e-12);
  }
  const auto silent = MakeSynthetic({.arms = 5, .noise = 0});
  EXPECT_EQ(silent->Reward(0, 1), silent->Reward(0, 2));
}

// Without noise a reward is <theta*, x>, which depends on both seeds.
TEST(Synthetic, DrawsThetaAndArmsFromSeparateSeeds) {
  const auto expect_theta = [](std::uint64_t seed, std::uint64_t theta_seed) {
    const auto world = MakeSynthetic(
        {.arms = 3, .noise = 0, .seed = seed, .theta_seed = theta_seed});
    std::vector<double> theta(16);
    std::vector<float> x(16);
    RandomStream(theta_seed, RandomStream::Role::kTheta, 0).Gaussians(theta);
    RandomStream(seed, RandomStream::Role::kArm, 2).Gaussians(x);
    double expected = 0;
    for (std::size_t j = 0; j < 16; ++j) expected += theta[j] * x[j];
    EXPECT_NEAR(world->Reward(2, 1), expected, 1e-12);
  };
  expect_theta(1, 9);
  expect_theta(2, 9);
  expect_theta(1, 8);
}

TEST(Synthetic, RefusesOptionsOutOfBounds) {
  const auto make = [](const SyntheticOptions& options) {
    return [options] { MakeSynthetic(options); };
  };
  ExpectError(ErrorCode::kInvalidArgument, {"arms is 0"}, make({.arms = 0}));
  ExpectError(ErrorCode::kInvalidArgument, {"every is 0"}, make({.every = 0}));
  ExpectError(ErrorCode::kInvalidArgument, {"noise is -1"},
              make({.noise = -1}));
  ExpectError(ErrorCode::kInvalidArgument, {"dimension is 0"},
              make({.dim = 0}));
  ExpectError(ErrorCode::kInvalidArgument, {"remove is 3", "arms, 2"},
              make({.arms = 2, .add = 5, .remove = 3}));
}

}  // namespace
}  // namespace manyarms
