// How a served bandit chooses.

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

std::uint64_t RewardsOf(World& world, const std::string& learner) {
  return world->FindLearner(learner).info.rewards;
}

TEST_F(ServedBanditTest, SaysWhichChoicesAreShort) {
  World& world = Make();
  EXPECT_TRUE(world->IsShort({}));
  EXPECT_TRUE(world->IsShort({.count = 10, .arms = {"a0", "a1"}}));
  EXPECT_FALSE(world->IsShort({.count = 1'000}));
  EXPECT_FALSE(
      world->IsShort({.arms = std::vector<ArmName>(2'000, ArmName("a0"))}));
  Semantics semantics = world->settings().semantics;
  semantics.probability_draws = 10;
  world->Change([&](const Settings&) { return semantics; });
  EXPECT_FALSE(world->IsShort({}));
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
  for (const ArmInfo& arm : SomeArms(20, ServedBanditTest::kDim)) {
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
  world->PutArms({{.arm = "a0",
                   .features = FeaturesOf(0, ServedBanditTest::kDim),
                   .tags = {"red"}}},
                 false);
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
    for (std::size_t i = 0; i < 2; ++i) {
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
    EXPECT_EQ(row.features, FeaturesOf(static_cast<std::size_t>(i) % 3,
                                       ServedBanditTest::kDim));
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
    population.Observe(
        "u",
        FeaturesOf(static_cast<std::size_t>(i) % 3, ServedBanditTest::kDim),
        i % 3 == 1 ? 1.0 : 0.0);
  }
  EXPECT_EQ(
      world->PredictFeatures("u", {FeaturesOf(1, ServedBanditTest::kDim)}, {})
          .front(),
      population.Predict("u", FeaturesOf(1, ServedBanditTest::kDim)));
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

TEST_F(ServedBanditTest, MessagesNameWhatTheClientSent) {
  World& world = Make();
  ExpectError(ErrorCode::kDuplicateId, {"arm \"a3\" is given twice"}, [&] {
    world->Choose({.arms = {"a3", "a1", "a3"}});
  });
  ExpectError(ErrorCode::kDuplicateId, {"arm \"a3\" is given twice"}, [&] {
    world->RemoveArms({"a3", "a1", "a3"});
  });
  EXPECT_EQ(world->arms(), 20U);
  ExpectError(ErrorCode::kInvalidArgument, {"dim is 0"},
              [] { ParseSettings(R"({"dim":0})"); });
}

void ExpectThatTheCallersArmMustBeEligible(World& world) {
  const std::string digest = world->Digest();
  for (const ChoiceRequest& request :
       std::vector<ChoiceRequest>{{.arms = {"a1", "a2"}, .own_arm = "a0"},
                                  {.tags = "odd", .own_arm = "a0"},
                                  {.tags = "odd", .own_arm = "a2"}}) {
    ExpectError(ErrorCode::kInvalidArgument, {"own_arm is \"a", "eligible"},
                [&] { world->Choose(request); });
  }
  ExpectError(ErrorCode::kUnknownId, {"\"none\""},
              [&] { world->Choose({.own_arm = "none"}); });
  EXPECT_EQ(world->Digest(), digest);
  EXPECT_EQ(world->stats().compared, 0U);
  EXPECT_NO_THROW(world->Choose({.arms = {"a1", "a2"}, .own_arm = "a2"}));
  EXPECT_NO_THROW(world->Choose({.tags = "odd", .own_arm = "a1"}));
  EXPECT_NO_THROW(world->Choose({.own_arm = "a0"}));
}

TEST_F(ServedBanditTest, TheCallersArmMustBeEligibleForAnApprentice) {
  ExpectThatTheCallersArmMustBeEligible(Make(R"(,"mode":"apprentice")"));
}

TEST_F(ServedBanditTest, TheCallersArmMustBeEligibleForOneWhoServes) {
  ExpectThatTheCallersArmMustBeEligible(Make(R"(,"mode":"serve")"));
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
  for (const ArmInfo& arm : SomeArms(20, ServedBanditTest::kDim)) {
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

}  // namespace
}  // namespace manyarms::service
