#include "service/engine/served_bandit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/engine/bandit_fixture.h"
#include "testing.h"

namespace manyarms::service {
namespace {

using testing::ExpectError;

constexpr std::size_t kDim = 4;

template <class Work>
void ExpectRefused(Refusal why, const std::string& part, const Work& work) {
  try {
    work();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.why(), why) << refused.what();
    EXPECT_NE(std::string(refused.what()).find(part), std::string::npos)
        << refused.what();
    return;
  }
  FAIL() << "nothing was refused";
}

class ServedBanditTest : public testing::InAFolder {
 protected:
  World& Make(const std::string& fields = "", const Limits& limits = {}) {
    world_.emplace(folder_, ParseSettings("{\"dim\":4" + fields + "}"), limits);
    (*world_)->PutArms(SomeArms(20, kDim), true);
    return *world_;
  }

  std::optional<World> world_;
};

std::uint64_t RewardsOf(World& world, const std::string& learner) {
  return world->FindLearner(learner).info.rewards;
}

TEST_F(ServedBanditTest, ChoosesAndLearns) {
  World& world = Make();
  const ChoiceAnswer answer = world->Choose({.learner = "u"});
  ASSERT_EQ(answer.decisions.size(), 1U);
  const DecisionRow& row = answer.decisions.front();
  EXPECT_EQ(row.sequence, answer.first);
  EXPECT_EQ(answer.durable_at, answer.first);
  EXPECT_EQ(row.learner, "u");
  EXPECT_EQ(row.number, 1U);
  EXPECT_EQ(row.eligible, 20U);
  EXPECT_EQ(row.time, world.now());
  EXPECT_EQ(row.features, world->FindArm(ServedBandit::NameOf(row)).features);
  EXPECT_EQ(world->FindLearner("u").open, 1U);
  const RewardAnswer learned =
      world->Reward({.decision = answer.first, .reward = 2});
  EXPECT_TRUE(learned.learned);
  EXPECT_GT(learned.durable_at, answer.durable_at);
  EXPECT_EQ(world->FindLearner("u").open, 0U);
  EXPECT_EQ(RewardsOf(world, "u"), 1U);
  const BanditStats stats = world->stats();
  EXPECT_EQ(stats.choices, 1U);
  EXPECT_EQ(stats.rewards, 1U);
  EXPECT_EQ(stats.arms, 20U);
  EXPECT_EQ(stats.learners, 1U);
  EXPECT_EQ(stats.policy.count, 1U);
  EXPECT_EQ(stats.policy.sum, 2);
}

// The population decides as one that is asked directly.
TEST_F(ServedBanditTest, DecidesAsItsPopulation) {
  World& world = Make();
  Population population(world->settings().population);
  for (const ArmInfo& arm : SomeArms(20, kDim)) {
    population.Add(population.size() + 1, arm.features);
  }
  for (int i = 0; i < 100; ++i) {
    const std::string learner = fmt::format("u{}", i % 3);
    const ChoiceAnswer answer = world->Choose({.learner = learner});
    const Decision decision = population.Choose(learner);
    ASSERT_EQ(answer.decisions.front().arm, decision.arm);
    ASSERT_EQ(answer.decisions.front().score, decision.score);
    world->Reward({.decision = answer.first, .reward = i * 0.1});
    population.Learn(learner, decision.id, i * 0.1);
  }
}

TEST_F(ServedBanditTest, ChoosesAmongSomeArms) {
  World& world = Make();
  for (int i = 0; i < 10; ++i) {
    const DecisionRow one =
        world->Choose({.arms = {"a3", "a4"}}).decisions.front();
    EXPECT_EQ(one.eligible, 2U);
    EXPECT_TRUE(one.arm_name == "a3" || one.arm_name == "a4");
    const DecisionRow odd =
        world->Choose({.tags = "odd and not even"}).decisions.front();
    EXPECT_EQ(odd.eligible, 10U);
    EXPECT_EQ(world->FindArm(odd.arm_name).tags.front(), "odd");
  }
  ExpectError(ErrorCode::kNoArms, {}, [&] { world->Choose({.tags = "red"}); });
  ExpectError(ErrorCode::kUnknownId, {"\"b\""}, [&] {
    world->Choose({.arms = {"a1", "b"}});
  });
  ExpectError(ErrorCode::kInvalidArgument, {"arms and tags"},
              [&] { world->Choose({.arms = {"a1"}, .tags = "odd"}); });
  // Tags that change count at once.
  world->PutArms(
      {{.arm = "a0", .features = FeaturesOf(0, kDim), .tags = {"red"}}}, false);
  EXPECT_EQ(world->Choose({.tags = "red"}).decisions.front().arm_name, "a0");
  EXPECT_EQ(world->stats().open_decisions, 21U);
}

TEST_F(ServedBanditTest, SlatesAreDecisionsOfTheirOwn) {
  World& world = Make();
  const ChoiceAnswer answer =
      world->Choose({.learner = "u", .count = 5, .slate = true});
  ASSERT_EQ(answer.decisions.size(), 5U);
  EXPECT_EQ(answer.durable_at, answer.first + 4);
  std::set<std::string> arms;
  for (std::uint32_t i = 0; i < 5; ++i) {
    const DecisionRow& row = answer.decisions[i];
    EXPECT_EQ(row.sequence, answer.first + i);
    EXPECT_EQ(row.rank, i);
    EXPECT_EQ(row.slate, 5U);
    arms.insert(row.arm_name);
  }
  EXPECT_EQ(arms.size(), 5U);
  EXPECT_TRUE(world->Reward({.decision = answer.first + 3}).learned);
  EXPECT_EQ(world->FindLearner("u").open, 4U);
  EXPECT_EQ(world->Choose({.count = 99, .slate = true}).decisions.size(), 20U);
  EXPECT_EQ(world->FindLearner("u").info.choices, 1U);
}

TEST_F(ServedBanditTest, AnEventIsAnsweredOnce) {
  World& world = Make();
  const ChoiceAnswer answer =
      world->Choose({.learner = "u", .count = 2, .slate = true, .event = "e"});
  for (int restart = 0; restart < 2; ++restart) {
    const ChoiceAnswer again = world->Choose(
        {.learner = "u", .count = 2, .slate = true, .event = "e"});
    EXPECT_TRUE(again.repeated);
    EXPECT_EQ(again.first, answer.first);
    EXPECT_EQ(again.count, 2U);
    EXPECT_EQ(again.durable_at, answer.durable_at);
    world.WaitForStore();
    const std::vector<DecisionRow> rows =
        world->Recall(again.first, again.count);
    ASSERT_EQ(rows.size(), 2U);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(rows[i].arm_name, answer.decisions[i].arm_name);
      EXPECT_EQ(rows[i].score, answer.decisions[i].score);
    }
    ExpectRefused(Refusal::kConflict, "\"e\"",
                  [&] { world->Choose({.learner = "v", .event = "e"}); });
    EXPECT_EQ(world->FindLearner("u").info.choices, 1U);
    world.KillAndRestart();
  }
}

TEST_F(ServedBanditTest, AFailedChoiceLeavesNothing) {
  World& world = Make();
  const std::string digest = world->Digest();
  const Sequence last = world.store().last_appended();
  for (const ChoiceRequest& request : std::vector<ChoiceRequest>{
           {.learner = "u", .tags = "red", .event = "e"},
           {.learner = "u", .arms = {"b"}, .event = "e"},
           {.learner = "u", .context = {1}, .event = "e"},
           {.learner = "u", .count = 1001, .slate = true, .event = "e"},
           {.learner = "u", .count = 0, .slate = true, .event = "e"},
           {.learner = "u", .event = std::string(257, 'e')},
           {.learner = std::string(257, 'u')},
           {.learner = "\xff"},
           {.learner = std::string(1, '\0')}}) {
    EXPECT_THROW(world->Choose(request), Error);
  }
  EXPECT_EQ(world->Digest(), digest);
  EXPECT_EQ(world.store().last_appended(), last);
  EXPECT_EQ(world->stats().learners, 0U);
  EXPECT_FALSE(world->Choose({.learner = "v", .event = "e"}).repeated);
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

TEST_F(ServedBanditTest, IdsOfRewardsBelongToDecisions) {
  World& world = Make();
  const Sequence one = world->Choose({}).first;
  const Sequence other = world->Choose({}).first;
  EXPECT_TRUE(world->Reward({.decision = one, .id = "click"}).learned);
  EXPECT_TRUE(world->Reward({.decision = other, .id = "click"}).learned);
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
  world->Change(semantics);
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
    world->PutArms(SomeArms(3, kDim), true);
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
    EXPECT_EQ(world->PredictFeatures("u", {FeaturesOf(7, kDim)}, {}).front(),
              population.Predict("u", FeaturesOf(7, kDim)));
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

TEST_F(ServedBanditTest, ObservesRewardsWithoutDecisions) {
  World& world = Make();
  world->Observe("u", "a3", {}, {}, 1);
  world->Observe("u", std::nullopt, {1, 0, 0, 0}, {}, 2);
  EXPECT_EQ(RewardsOf(world, "u"), 2U);
  EXPECT_EQ(world->stats().observed, 2U);
  const std::string digest = world->Digest();
  const ErrorCode invalid = ErrorCode::kInvalidArgument;
  ExpectError(invalid, {"either"},
              [&] { world->Observe("v", std::nullopt, {}, {}, 1); });
  ExpectError(invalid, {"either"}, [&] {
    world->Observe("v", "a3", {1, 0, 0, 0}, {}, 1);
  });
  ExpectError(invalid, {}, [&] {
    world->Observe("v", std::nullopt, {1, 0}, {}, 1);
  });
  ExpectError(invalid, {}, [&] { world->Observe("v", "a3", {}, {}, 1e10); });
  ExpectError(ErrorCode::kUnknownId, {},
              [&] { world->Observe("v", "b", {}, {}, 1); });
  EXPECT_EQ(world->Digest(), digest);
  world.KillAndRestart();
  EXPECT_EQ(world->Digest(), digest);
}

TEST_F(ServedBanditTest, ApprenticesLearnFromTheCallersArms) {
  World& world = Make(R"(,"mode":"apprentice")");
  int agreed = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string own = fmt::format("a{}", i % 3);
    const ChoiceAnswer answer = world->Choose(
        {.learner = "u", .arms = {"a0", "a1", "a2"}, .own_arm = own});
    ASSERT_EQ(answer.decisions.size(), 1U);
    const DecisionRow& row = answer.decisions.front();
    EXPECT_EQ(row.arm_name, own);
    EXPECT_EQ(row.features, FeaturesOf(i % 3, kDim));
    ASSERT_TRUE(row.policy_arm.has_value());
    if (row.policy_arm_name == own) ++agreed;
    world->Reward({.decision = answer.first, .reward = i % 3 == 1 ? 1.0 : 0.0});
  }
  const BanditStats stats = world->stats();
  EXPECT_EQ(stats.compared, 40U);
  EXPECT_EQ(stats.agreed, agreed);
  EXPECT_EQ(stats.policy.count, 0U);
  Population population(world->settings().population);
  for (int i = 0; i < 40; ++i) {
    population.Observe("u", FeaturesOf(i % 3, kDim), i % 3 == 1 ? 1.0 : 0.0);
  }
  EXPECT_EQ(world->PredictFeatures("u", {FeaturesOf(1, kDim)}, {}).front(),
            population.Predict("u", FeaturesOf(1, kDim)));
  const std::string digest = world->Digest();
  world.KillAndRestart();
  EXPECT_EQ(world->Digest(), digest);
  ExpectError(ErrorCode::kInvalidArgument, {"own_arm"},
              [&] { world->Choose({.learner = "u"}); });
  ExpectError(ErrorCode::kInvalidArgument, {"count is 2"}, [&] {
    world->Choose({.count = 2, .slate = true, .own_arm = "a0"});
  });
  EXPECT_EQ(world->Digest(), digest);
}

TEST_F(ServedBanditTest, UniformDecisionsHaveExactProbabilities) {
  World& world = Make(R"(,"explore_uniform":0.5)");
  int uniform = 0;
  for (int i = 0; i < 60; ++i) {
    const ChoiceAnswer answer = world->Choose({.tags = "odd"});
    const DecisionRow& row = answer.decisions.front();
    if (!row.uniform) {
      EXPECT_EQ(row.probability, std::nullopt);
      continue;
    }
    ++uniform;
    EXPECT_EQ(row.probability, 0.1);
    world->Reward({.decision = answer.first, .reward = 1});
  }
  // 0 or 60 would have the probability 2^-59.
  EXPECT_GT(uniform, 0);
  EXPECT_LT(uniform, 60);
  EXPECT_EQ(world->stats().uniform.count, uniform);
  EXPECT_EQ(world->stats().policy.count, 0U);
}

TEST_F(ServedBanditTest, ProbabilitiesAreThoseOfLogs) {
  World& world = Make(R"(,"explore_uniform":0.2,"probability_draws":50)");
  Population population(world->settings().population);
  for (const ArmInfo& arm : SomeArms(20, kDim)) {
    population.Add(population.size() + 1, arm.features);
  }
  for (int i = 0; i < 20; ++i) {
    const DecisionRow row = world->Choose({}).decisions.front();
    const Decision decision = population.Choose("");
    EXPECT_EQ(row.probability,
              population.LoggingProbability("", decision.id, 50));
  }
  const ChoiceAnswer slate = world->Choose({.count = 3, .slate = true});
  EXPECT_TRUE(slate.decisions[0].probability.has_value());
  EXPECT_FALSE(slate.decisions[1].probability.has_value());
}

TEST_F(ServedBanditTest, OldDecisionsOfALearnerAreDropped) {
  World& world =
      Make(R"(,"max_pending":3,"reward_wait":10,"default_reward":0)");
  std::vector<Sequence> decisions;
  for (int i = 0; i < 5; ++i) {
    decisions.push_back(world->Choose({.learner = "u"}).first);
  }
  EXPECT_EQ(world->FindLearner("u").open, 3U);
  EXPECT_EQ(world->FindLearner("u").info.pending, 3U);
  EXPECT_EQ(world->Reward({.decision = decisions[1]}).reason, "late");
  EXPECT_TRUE(world->Reward({.decision = decisions[2]}).learned);
  world.Advance(10);
  world->Expire(world.now());
  EXPECT_EQ(RewardsOf(world, "u"), 3U);
}

TEST_F(ServedBanditTest, HasLimits) {
  Limits limits;
  limits.arms = 21;
  limits.learners = 2;
  limits.open_decisions = 4;
  World& world = Make("", limits);
  ExpectRefused(Refusal::kTooMany, "there would be 22 arms, at most 21", [&] {
    world->PutArms({{.arm = "x", .features = {1, 1, 1, 1}},
                    {.arm = "y", .features = {1, 1, 1, 1}}},
                   true);
  });
  EXPECT_EQ(world->arms(), 20U);
  world->Choose({.learner = "u"});
  const Sequence decision = world->Choose({.learner = "v"}).first;
  ExpectRefused(Refusal::kTooMany, "2 learners, at most 2",
                [&] { world->Choose({.learner = "w"}); });
  ExpectRefused(Refusal::kTooMany, "2 learners, at most 2",
                [&] { world->Observe("w", "a1", {}, {}, 1); });
  ExpectRefused(Refusal::kTooMany, "2 decisions wait", [&] {
    world->Choose({.learner = "u", .count = 3, .slate = true});
  });
  world->Choose({.learner = "u", .count = 2, .slate = true});
  ExpectRefused(Refusal::kTooMany, "the 4 that are allowed",
                [&] { world->Choose({.learner = "u"}); });
  world->Reward({.decision = decision});
  world->Choose({.learner = "u"});
}

TEST_F(ServedBanditTest, RemembersSomeEvents) {
  Limits limits;
  limits.events = 2;
  World& world = Make("", limits);
  const Sequence first = world->Choose({.event = "a"}).first;
  world->Choose({.event = "b"});
  world->Choose({.event = "c"});
  // The store still knows what the event's decision was.
  EXPECT_EQ(world->Reward({.event = "a"}).decision, first);
  EXPECT_TRUE(world->Choose({.event = "b"}).repeated);
  EXPECT_FALSE(world->Choose({.event = "a"}).repeated);
}

TEST_F(ServedBanditTest, ForgetsALearner) {
  World& world = Make();
  const Sequence decision = world->Choose({.learner = "u", .event = "e"}).first;
  const Sequence closed = world->Choose({.learner = "u"}).first;
  world->Reward({.decision = closed, .id = "r"});
  world->Choose({.learner = "v", .event = "f"});
  world->TakeSnapshot("s");
  world->ForgetLearner("u");
  for (int restart = 0; restart < 2; ++restart) {
    ExpectRefused(Refusal::kNotFound, "decision",
                  [&] { world->Reward({.decision = decision}); });
    ExpectRefused(Refusal::kNotFound, "decision",
                  [&] { world->Reward({.decision = closed}); });
    ExpectRefused(Refusal::kNotFound, "event",
                  [&] { world->Reward({.event = "e"}); });
    ExpectError(ErrorCode::kUnknownId, {"u"}, [&] { world->FindLearner("u"); });
    ExpectError(ErrorCode::kUnknownId, {"u"},
                [&] { world->ForgetLearner("u"); });
    EXPECT_TRUE(world->Recall(decision, 1).empty());
    EXPECT_EQ(world->FindLearner("v").open, 1U);
    EXPECT_EQ(world->stats().learners, 1U);
    world.KillAndRestart();
  }
  // Nor is it in snapshots.
  world->RestoreSnapshot("s");
  EXPECT_EQ(world->ListLearners(std::nullopt, 10),
            std::vector<std::string>{"v"});
  // It begins anew, and its event is a new one.
  const ChoiceAnswer anew = world->Choose({.learner = "u", .event = "e"});
  EXPECT_FALSE(anew.repeated);
  EXPECT_EQ(anew.decisions.front().number, 1U);
}

TEST_F(ServedBanditTest, ListsLearners) {
  World& world = Make();
  for (const char* learner : {"d", "", "b", "a", "c"}) {
    world->Choose({.learner = learner});
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(world->ListLearners(std::nullopt, 10),
            (Names{"", "a", "b", "c", "d"}));
  EXPECT_EQ(world->ListLearners("", 2), (Names{"a", "b"}));
  EXPECT_EQ(world->ListLearners("b", 1), Names{"c"});
  EXPECT_EQ(world->ListLearners("d", 1), Names{});
}

TEST_F(ServedBanditTest, PredictsWhatArmsAreWorth) {
  World& world = Make();
  world->Observe("u", "a7", {}, {}, 5);
  world->Observe("u", "a7", {}, {}, 5);
  const std::vector<ArmView> all = world->Predict("u", {}, 20, {});
  ASSERT_EQ(all.size(), 20U);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_GE(all[i - 1].expected, all[i].expected);
  }
  const std::vector<ArmView> best = world->Predict("u", {}, 3, {});
  ASSERT_EQ(best.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(best[i].arm, all[i].arm);
  const ArmView one = world->Predict("u", {"a7"}, 0, {}).front();
  EXPECT_GT(one.expected, 1);
  EXPECT_GT(one.uncertainty, 0);
  EXPECT_EQ(one.expected,
            world->PredictFeatures("u", {FeaturesOf(7, kDim)}, {}).front());
  EXPECT_EQ(world->Predict("nobody", {"a7"}, 0, {}).front().expected, 0);
  ExpectError(ErrorCode::kInvalidArgument, {}, [&] {
    world->PredictFeatures("u", {{1, 2}}, {});
  });
}

TEST_F(ServedBanditTest, GoesBackToASnapshot) {
  World& world = Make();
  world->Observe("u", "a1", {}, {}, 1);
  const Sequence open = world->Choose({.learner = "u"}).first;
  world->TakeSnapshot("good");
  world.WaitForStore();
  const auto prediction = [&] {
    return world->PredictFeatures("u", {FeaturesOf(1, kDim)}, {}).front();
  };
  const double before = prediction();
  world->RemoveArms({"a0", "a5"});
  world->PutArms({{.arm = "bad", .features = {1, 1, 1, 1}}}, true);
  world->Observe("u", "a1", {}, {}, -9);
  const ChoiceAnswer later = world->Choose({.learner = "new", .event = "e"});
  EXPECT_NE(prediction(), before);

  EXPECT_GT(world->RestoreSnapshot("good"), later.first);
  for (int restart = 0; restart < 2; ++restart) {
    EXPECT_EQ(prediction(), before);
    EXPECT_EQ(world->arms(), 20U);
    EXPECT_EQ(world->FindArm("a5").features, FeaturesOf(5, kDim));
    ExpectError(ErrorCode::kUnknownId, {}, [&] { world->FindArm("bad"); });
    // Decisions are closed, but are in the log.
    EXPECT_EQ(world->stats().open_decisions, 0U);
    EXPECT_EQ(world->FindLearner("u").info.pending, 0U);
    EXPECT_EQ(world->Reward({.decision = open}).reason, "late");
    EXPECT_EQ(world->Reward({.decision = later.first}).reason, "late");
    EXPECT_EQ(world->Recall(later.first, 1).size(), 1U);
    EXPECT_TRUE(world->Choose({.learner = "new", .event = "e"}).repeated);
    const std::string digest = world->Digest();
    world.KillAndRestart();
    EXPECT_EQ(world->Digest(), digest);
  }
  EXPECT_EQ(world->Choose({.learner = "u"}).decisions.front().number, 2U);
}

TEST_F(ServedBanditTest, SnapshotsHaveNames) {
  World& world = Make();
  world->TakeSnapshot("a");
  ExpectRefused(Refusal::kConflict, "\"a\"", [&] { world->TakeSnapshot("a"); });
  ExpectRefused(Refusal::kNotFound, "\"b\"",
                [&] { world->RestoreSnapshot("b"); });
  ExpectRefused(Refusal::kNotFound, "\"b\"",
                [&] { world->DeleteSnapshot("b"); });
  ExpectError(ErrorCode::kInvalidArgument, {"empty"},
              [&] { world->TakeSnapshot(""); });
  world.WaitForStore();
  ASSERT_EQ(world->Snapshots().size(), 1U);
  EXPECT_EQ(world->Snapshots().front().arms, 20U);
  world->DeleteSnapshot("a");
  world->TakeSnapshot("a");
  world.WaitForStore();
  EXPECT_EQ(world->Snapshots().size(), 1U);
}

TEST_F(ServedBanditTest, RefusesEverythingOnceItIsDeleted) {
  World& world = Make();
  const Sequence decision = world->Choose({}).first;
  world->Delete();
  const std::string none = "no bandit b";
  ExpectRefused(Refusal::kNotFound, none, [&] { world->Choose({}); });
  ExpectRefused(Refusal::kNotFound, none,
                [&] { world->Reward({.decision = decision}); });
  ExpectRefused(Refusal::kNotFound, none, [&] { world->RemoveArms({"a0"}); });
  ExpectRefused(Refusal::kNotFound, none, [&] { world->ForgetLearner(""); });
  ExpectRefused(Refusal::kNotFound, none, [&] { world->TakeSnapshot("s"); });
  const Sequence last = world.store().last_appended();
  world->Expire(world.now() + 1e6);
  world->SaveLearners(true);
  EXPECT_EQ(world.store().last_appended(), last);
}

}  // namespace
}  // namespace manyarms::service
