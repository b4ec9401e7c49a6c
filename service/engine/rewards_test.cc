// What comes for decisions of a served bandit.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/engine/bandit_fixture.h"
#include "testing.h"

namespace manyarms::service {
namespace {

using testing::ExpectError;

std::uint64_t RewardsOf(World& world, const std::string& learner) {
  return world->FindLearner(learner).info.rewards;
}

TEST_F(ServedBanditTest, FirstRewardCountsAndOthersAreLate) {
  World& world = Make();
  const Sequence decision = world->Choose({.event = "e"}).first;
  EXPECT_TRUE(world->Reward({.event = "e", .reward = 1, .id = "r"}).learned);
  const RewardAnswer retry =
      world->Reward({.decision = decision, .reward = 1, .id = "r"});
  EXPECT_FALSE(retry.learned);
  EXPECT_EQ(retry.reason, "repeated");
  EXPECT_GT(retry.durable_at, 0U);
  const RewardAnswer late = world->Reward({.decision = decision, .reward = 3});
  EXPECT_EQ(late.reason, "late");
  EXPECT_EQ(late.decision, decision);
  EXPECT_EQ(RewardsOf(world, ""), 1U);
  world.KillAndRestart();
  EXPECT_EQ(world->Reward({.event = "e", .reward = 1, .id = "r"}).reason,
            "repeated");
  EXPECT_EQ(RewardsOf(world, ""), 1U);
  const auto rewards = world.store().FindRewards(1, decision);
  ASSERT_EQ(rewards.size(), 2U);
  EXPECT_EQ(rewards[0].kind, RewardKind::kLearned);
  EXPECT_EQ(rewards[1].kind, RewardKind::kLate);
}

TEST_F(ServedBanditTest, KnowsInMemoryWhetherADecisionIsOpen) {
  World& world = Make(R"(,"reward_wait":100)");
  const Sequence one = world->Choose({.event = "one"}).first;
  const Sequence other = world->Choose({.event = "other"}).first;
  EXPECT_TRUE(world->IsOpen(one, ""));
  EXPECT_TRUE(world->IsOpen(0, "other"));
  EXPECT_FALSE(world->IsOpen(0, "unknown"));
  EXPECT_FALSE(world->IsOpen(0, ""));
  EXPECT_FALSE(world->IsOpen(999, ""));
  world->Reward({.decision = one, .reward = 1});
  EXPECT_FALSE(world->IsOpen(one, ""));
  EXPECT_FALSE(world->IsOpen(0, "one"));
  world.Advance(101);  // nobody has closed it yet
  EXPECT_FALSE(world->IsOpen(other, ""));
}

TEST_F(ServedBanditTest, IdsOfRewardsBelongToDecisions) {
  World& world = Make();
  const Sequence one = world->Choose({}).first;
  const Sequence other = world->Choose({}).first;
  EXPECT_TRUE(world->Reward({.decision = one, .id = "click"}).learned);
  EXPECT_TRUE(world->Reward({.decision = other, .id = "click"}).learned);
}

// The first copy is still being learned when the second one comes: it closed
// the decision, but has no number yet.
TEST_F(ServedBanditTest, ARewardIsNotRepeatedBeforeTheFirstIsWritten) {
  World& world = Make();
  const Sequence decision = world->Choose({}).first;
  const RewardRequest request{.decision = decision, .reward = 1, .id = "r"};
  std::atomic<int> looks = 0;
  std::future<RewardAnswer> second;
  world.OnClock([&] {
    if (++looks != 2) return;
    second =
        std::async(std::launch::async, [&] { return world->Reward(request); });
    second.wait_for(std::chrono::milliseconds(100));
  });
  const RewardAnswer first = world->Reward(request);
  ASSERT_TRUE(second.valid());
  const RewardAnswer repeated = second.get();
  world.OnClock({});
  EXPECT_TRUE(first.learned);
  EXPECT_EQ(repeated.reason, "repeated");
  EXPECT_EQ(repeated.durable_at, first.durable_at);
}

TEST_F(ServedBanditTest, RefusesRewardsThatCannotBe) {
  World& world = Make(R"(,"rewards":"clicks")");
  const Sequence decision = world->Choose({.event = "e"}).first;
  world->Choose({.count = 2, .slate = true, .event = "slate"});
  const std::string digest = world->Digest();
  const ErrorCode invalid = ErrorCode::kInvalidArgument;
  ExpectError(invalid, {"2"},
              [&] { world->Reward({.decision = decision, .reward = 2}); });
  ExpectError(invalid, {"missing"}, [&] { world->Reward({.reward = 1}); });
  ExpectError(invalid, {"2 decisions"},
              [&] { world->Reward({.event = "slate", .reward = 1}); });
  ExpectRefused(Refusal::kNotFound, "decision 999",
                [&] { world->Reward({.decision = 999, .reward = 1}); });
  // A number that is not one of a decision.
  ExpectRefused(Refusal::kNotFound, "decision 1",
                [&] { world->Reward({.decision = 1, .reward = 1}); });
  ExpectRefused(Refusal::kNotFound, "\"f\"",
                [&] { world->Reward({.event = "f", .reward = 1}); });
  EXPECT_EQ(world->Digest(), digest);
}

TEST_F(ServedBanditTest, DefaultRewardsComeWhenTheWaitIsOver) {
  World& world = Make(R"(,"reward_wait":10,"default_reward":0.5)");
  const Sequence first = world->Choose({.learner = "u"}).first;
  const Sequence inactive =
      world->Choose({.learner = "v", .active = false}).first;
  const Sequence activated =
      world->Choose({.learner = "w", .active = false}).first;
  EXPECT_EQ(world->Activate(activated, "").reason, "activated");
  EXPECT_EQ(world->Activate(activated, "").reason, "repeated");
  world.Advance(5);
  const Sequence second = world->Choose({.learner = "u"}).first;
  world->Expire(world.now());
  EXPECT_EQ(world->stats().open_decisions, 4U);
  world.Advance(5);
  // Nothing is learned any more, even before it expires.
  EXPECT_EQ(world->Reward({.decision = first, .reward = 1}).reason, "late");
  EXPECT_EQ(world->Activate(inactive, "").reason, "late");
  EXPECT_EQ(world->Dismiss(first, "").reason, "late");
  world->Expire(world.now());
  EXPECT_EQ(RewardsOf(world, "u"), 1U);
  EXPECT_EQ(RewardsOf(world, "v"), 0U);
  EXPECT_EQ(RewardsOf(world, "w"), 1U);
  EXPECT_EQ(world->stats().default_rewards, 2U);
  EXPECT_EQ(world->stats().late_rewards, 1U);
  EXPECT_EQ(world->stats().open_decisions, 1U);
  EXPECT_TRUE(world->Reward({.decision = second, .reward = 1}).learned);
  world.WaitForStore();
  const auto rows = world.store().FindRewards(1, activated);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].kind, RewardKind::kDefault);
  EXPECT_EQ(rows[1].reward, 0.5);
}

TEST_F(ServedBanditTest, WithoutADefaultNothingIsLearned) {
  World& world = Make(R"(,"reward_wait":10)");
  const Sequence decision = world->Choose({.learner = "u"}).first;
  const Sequence last = world.store().last_appended();
  world.Advance(10);
  world->Expire(world.now());
  EXPECT_EQ(world->FindLearner("u").info.pending, 0U);
  EXPECT_EQ(world->FindLearner("u").info.rewards, 0U);
  EXPECT_EQ(world.store().last_appended(), last);
  EXPECT_EQ(world->Reward({.decision = decision}).reason, "late");
}

// A decision was closed without a trace. It must stay closed if settings change
// so that it would have got a default reward, or would wait still.
TEST_F(ServedBanditTest, ChangesOfSettingsDoNotOpenDecisionsAgain) {
  World& world = Make(R"(,"reward_wait":10)");
  const Sequence decision = world->Choose({.learner = "u"}).first;
  world.Advance(10);
  world->Expire(world.now());
  Semantics semantics = world->settings().semantics;
  semantics.reward_wait = 1000;
  semantics.default_reward = 1;
  world->Change([&](const Settings&) { return semantics; });
  world.KillAndRestart();
  EXPECT_EQ(world->settings().semantics, semantics);
  world->Expire(world.now() + 5000);
  EXPECT_EQ(RewardsOf(world, "u"), 0U);
  EXPECT_EQ(world->Reward({.decision = decision}).reason, "late");
}

TEST_F(ServedBanditTest, AddsUpRewardsOrTakesTheLast) {
  for (const std::string aggregation : {"sum", "last"}) {
    World world(folder_ / aggregation,
                ParseSettings(fmt::format(
                    R"({{"dim":4,"reward_wait":10,"default_reward":0,
                         "aggregation":"{}"}})",
                    aggregation)));
    world->PutArms(SomeArms(3, ServedBanditTest::kDim), true);
    const ChoiceAnswer answer = world->Choose({.learner = "u"});
    const Sequence decision = answer.first;
    for (const double reward : {1.0, 2.0, 0.5}) {
      EXPECT_EQ(world->Reward({.decision = decision, .reward = reward}).reason,
                "waiting");
    }
    world.KillAndRestart();
    EXPECT_EQ(RewardsOf(world, "u"), 0U);
    world.Advance(10);
    world->Expire(world.now());
    EXPECT_EQ(RewardsOf(world, "u"), 1U);
    world.WaitForStore();
    const auto rows = world.store().FindRewards(1, decision);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[3].kind, RewardKind::kLearned);
    EXPECT_EQ(rows[3].reward, aggregation == "sum" ? 3.5 : 0.5);
    // What was learned is that.
    Population population(world->settings().population);
    population.Observe("u", answer.decisions.front().features, rows[3].reward);
    EXPECT_EQ(
        world->PredictFeatures("u", {FeaturesOf(7, ServedBanditTest::kDim)}, {})
            .front(),
        population.Predict("u", FeaturesOf(7, ServedBanditTest::kDim)));
  }
}

TEST_F(ServedBanditTest, SumsOfClicksStayWithinTheirBounds) {
  World& world =
      Make(R"(,"rewards":"clicks","aggregation":"sum","reward_wait":10)");
  const Sequence decision = world->Choose({.learner = "u"}).first;
  for (int i = 0; i < 3; ++i) {
    world->Reward({.decision = decision, .reward = 1});
  }
  world.Advance(10);
  world->Expire(world.now());
  EXPECT_EQ(RewardsOf(world, "u"), 1U);
  EXPECT_EQ(world->stats().policy.sum, 1);
}

TEST_F(ServedBanditTest, DismissesDecisions) {
  World& world = Make();
  const Sequence decision = world->Choose({.event = "e"}).first;
  EXPECT_EQ(world->Dismiss(0, "e").reason, "dismissed");
  EXPECT_EQ(world->FindLearner("").info.pending, 0U);
  EXPECT_EQ(world->Dismiss(decision, "").reason, "late");
  EXPECT_EQ(world->Reward({.decision = decision, .reward = 1}).reason, "late");
  EXPECT_EQ(world->stats().dismissed, 1U);
  ExpectRefused(Refusal::kNotFound, "999", [&] { world->Dismiss(999, ""); });
  ExpectRefused(Refusal::kNotFound, "999", [&] { world->Activate(999, ""); });
}

TEST_F(ServedBanditTest, OldDecisionsOfALearnerAreDropped) {
  World& world = Make(R"(,"max_pending":3,"reward_wait":10)");
  std::vector<Sequence> decisions;
  for (int i = 0; i < 5; ++i) {
    // NOLINTNEXTLINE(performance-inefficient-vector-operation)
    decisions.push_back(world->Choose({.learner = "u"}).first);
  }
  EXPECT_EQ(world->FindLearner("u").open, 3U);
  EXPECT_EQ(world->FindLearner("u").info.pending, 3U);
  EXPECT_EQ(world->Reward({.decision = decisions[1]}).reason, "late");
  EXPECT_TRUE(world->Reward({.decision = decisions[2]}).learned);
  world.Advance(10);
  world->Expire(world.now());
  EXPECT_EQ(RewardsOf(world, "u"), 1U);
}

// What came for decisions that newer ones push out is learned, and so are
// default rewards, also by a process that has to replay it or that began with a
// learner that was saved.
TEST_F(ServedBanditTest, DecisionsThatArePushedOutAreSettled) {
  World& world = Make(
      R"(,"max_pending":2,"reward_wait":10,"default_reward":0.25,
          "aggregation":"sum")");
  std::vector<Sequence> decisions;
  const auto choose = [&] {
    // NOLINTNEXTLINE(performance-inefficient-vector-operation)
    decisions.push_back(world->Choose({.learner = "u"}).first);
  };
  choose();
  choose();
  for (const double part : {1.0, 2.0}) {
    world->Reward({.decision = decisions[0], .reward = part});
  }
  choose();  // pushes the first one out
  EXPECT_EQ(RewardsOf(world, "u"), 1U);
  std::string digest = world->Digest();
  world.KillAndRestart();
  EXPECT_EQ(world->Digest(), digest);
  world.Restart();
  choose();  // the second one, without a reward
  EXPECT_EQ(RewardsOf(world, "u"), 2U);
  world->Reward({.decision = decisions[2], .reward = 3});
  // A slate of two pushes out both that are left.
  world->Choose({.learner = "u", .count = 2, .slate = true, .tags = "even"});
  EXPECT_EQ(RewardsOf(world, "u"), 4U);
  EXPECT_EQ(world->FindLearner("u").open, 2U);
  digest = world->Digest();
  world.KillAndRestart();
  EXPECT_EQ(world->Digest(), digest);
  std::vector<double> learned;
  for (const Sequence decision : decisions) {
    for (const RewardRow& row : world.store().FindRewards(1, decision)) {
      if (row.kind != RewardKind::kPart) learned.push_back(row.reward);
    }
  }
  EXPECT_EQ(learned, (std::vector<double>{3, 0.25, 3, 0.25}));
}

TEST_F(ServedBanditTest, AFailedChoicePushesNothingOut) {
  World& world = Make(R"(,"max_pending":2,"default_reward":0,"context_dim":1)");
  for (int i = 0; i < 2; ++i) {
    world->Choose({.learner = "u", .context = {1}});
  }
  const std::string digest = world->Digest();
  const std::vector<ChoiceRequest> bad = {
      {.learner = "u"},
      {.learner = "u", .context = {1}, .count = 3, .slate = true},
      {.learner = "u", .context = {1}, .tags = "no"}};
  for (const ChoiceRequest& request : bad) {
    EXPECT_THROW(world->Choose(request), Error);
  }
  EXPECT_EQ(world->Digest(), digest);
}

// They count as made when it is noticed, and keep no others waiting.
TEST_F(ServedBanditTest, DecisionsOfAClockThatWasAheadExpire) {
  World& world = Make(R"(,"reward_wait":10,"default_reward":0)");
  world.Advance(5000);
  for (int i = 0; i < 3; ++i) world->Choose({.learner = "ahead"});
  world.Advance(-5000);
  world->Choose({.learner = "u"});
  world.Advance(9);
  world->Expire(world.now());
  EXPECT_EQ(world->stats().open_decisions, 4U);
  world.Advance(1);
  world->Expire(world.now());
  EXPECT_EQ(RewardsOf(world, "u"), 1U);
  EXPECT_EQ(world->stats().open_decisions, 3U);
  world.Advance(9);
  world->Expire(world.now());
  EXPECT_EQ(RewardsOf(world, "ahead"), 3U);
}

}  // namespace
}  // namespace manyarms::service
