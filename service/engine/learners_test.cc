// Learners and snapshots of a served bandit.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/engine/bandit_fixture.h"
#include "service/engine/learner_bytes.h"
#include "testing.h"

namespace manyarms::service {
namespace {

using testing::ExpectError;

std::uint64_t RewardsOf(World& world, const std::string& learner) {
  return world->FindLearner(learner).info.rewards;
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

TEST_F(ServedBanditTest, LearnsAnObservationWithAnIdOnce) {
  World& world = Make();
  const auto observe = [&](const std::string& id) {
    return world->Observe("u", "a3", {}, {}, 1, id);
  };
  ExpectError(ErrorCode::kUnknownId, {},
              [&] { world->Observe("u", "b", {}, {}, 1, "one"); });
  EXPECT_TRUE(observe("one").learned);
  EXPECT_TRUE(observe("").learned);
  EXPECT_TRUE(observe("").learned);
  const RewardAnswer again = observe("one");
  EXPECT_FALSE(again.learned);
  EXPECT_EQ(again.reason, "repeated");
  EXPECT_GT(again.durable_at, 0U);
  EXPECT_EQ(RewardsOf(world, "u"), 3U);
  world.KillAndRestart();
  EXPECT_FALSE(observe("one").learned);
  EXPECT_TRUE(observe("two").learned);
  EXPECT_EQ(RewardsOf(world, "u"), 4U);
}

TEST_F(ServedBanditTest, RefusesAnObservationWithAnotherLearnersId) {
  World& world = Make();
  EXPECT_TRUE(world->Observe("u", "a3", {}, {}, 1, "one").learned);
  for (int restart = 0; restart < 2; ++restart) {
    const std::string digest = world->Digest();
    ExpectRefused(Refusal::kConflict, "\"one\"",
                  [&] { world->Observe("v", "a3", {}, {}, 1, "one"); });
    EXPECT_EQ(world->Digest(), digest);
    EXPECT_EQ(world->Observe("u", "a3", {}, {}, 1, "one").reason, "repeated");
    world.KillAndRestart();
  }
  world->ForgetLearner("u");
  EXPECT_TRUE(world->Observe("v", "a3", {}, {}, 1, "one").learned);
}

TEST_F(ServedBanditTest, HasALimitOfBytesOfLearners) {
  const std::string fields = R"(,"seed":3)";
  PopulationOptions options;
  options.dim = ServedBanditTest::kDim;
  const std::uint64_t bytes = LearnerBytes(options);
  World& world = Make(fields, {.learner_bytes = 3 * bytes - 1});
  world->Choose({.learner = "u"});
  world->Observe("v", "a3", {}, {}, 1);
  const std::string bound = fmt::format("{}", 3 * bytes - 1);
  const std::string digest = world->Digest();
  for (int restart = 0; restart < 2; ++restart) {
    ExpectRefused(Refusal::kTooMany, bound,
                  [&] { world->Choose({.learner = "w"}); });
    ExpectRefused(Refusal::kTooMany, fmt::format("{} bytes", bytes),
                  [&] { world->Observe("w", "a3", {}, {}, 1); });
    EXPECT_EQ(world->Digest(), digest);
    world.KillAndRestart();
  }
  world->Choose({.learner = "v"});
  world->ForgetLearner("u");
  world->Choose({.learner = "w"});
}

TEST(LearnerBytes, AreThoseThatAPopulationHas) {
  for (const char* fields :
       {R"({"dim":8})", R"({"dim":64})", R"({"dim":64,"policy":"ucb"})",
        R"({"dim":64,"rewards":"clicks","forgetting":0.9})",
        R"({"dim":40,"policy":"gloc-ts"})", R"({"dim":40,"policy":"qgloc"})",
        R"({"dim":16,"context_dim":5})",
        R"({"dim":16,"context_dim":5,"context_constants":false})"}) {
    const PopulationOptions options = ParseSettings(fields).population;
    Population population(options);
    const std::vector<float> features(options.dim, 0.5F);
    const std::vector<float> context(options.context_dim, 0.5F);
    population.Observe("u", features, 1, context);
    const std::uint64_t actual = population.stats().learner_bytes;
    EXPECT_GE(LearnerBytes(options), actual) << fields;
    EXPECT_LE(LearnerBytes(options), 2 * actual + 512) << fields;
  }
  EXPECT_GT(HalfOfMemory(), std::uint64_t{1} << 26);
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
  EXPECT_EQ(
      one.expected,
      world->PredictFeatures("u", {FeaturesOf(7, ServedBanditTest::kDim)}, {})
          .front());
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
    return world
        ->PredictFeatures("u", {FeaturesOf(1, ServedBanditTest::kDim)}, {})
        .front();
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
    EXPECT_EQ(world->FindArm("a5").features,
              FeaturesOf(5, ServedBanditTest::kDim));
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
