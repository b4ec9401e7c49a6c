#include "research/replay.h"

#include <fmt/format.h>

#include <fstream>
#include <span>
#include <string>

#include "in_a_folder.h"
#include "manyarms/log.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

class Replays : public testing::InAFolder {
 protected:
  PastEvents Events(const std::string& text) const {
    std::ofstream(path_) << text;
    return PastEvents(path_);
  }

  static Pupil WithArms(const BanditOptions& options, std::size_t arms) {
    Pupil pupil{.learner = Bandit(options), .names = {}};
    std::get<Bandit>(pupil.learner)
        .Add(testing::FirstIds(arms),
             testing::GaussianRows(arms, options.dim, 1));
    return pupil;
  }

  const std::filesystem::path path_ = folder_ / "events.jsonl";
};

// The slow way: the caller's own loop.
TEST_F(Replays, LearnAsACallersLoopDoes) {
  for (const auto rewards : {RewardModel::kLinear, RewardModel::kClicks}) {
    for (const double forgetting : {1.0, 0.99}) {
      const BanditOptions options{.dim = 3,
                                  .rewards = rewards,
                                  .forgetting = forgetting,
                                  .context_dim = 1};
      Bandit expected(options);
      expected.Add(testing::FirstIds(20), testing::GaussianRows(20, 3, 1));
      ProgressiveScore score(rewards == RewardModel::kClicks);
      RandomStream random(1, RandomStream::Role::kNoise, 0);
      std::string text;
      for (int i = 0; i < 200; ++i) {
        const ArmId arm = random.Below(20);
        const auto context = static_cast<float>(random.Below(8)) / 8;
        const auto reward = static_cast<double>(random.Below(2));
        text += fmt::format("{{\"arm\":{},\"context\":[{}],\"reward\":{}}}\n",
                            arm, context, reward);
        score.Add(expected.Predict(expected.Features({&arm, 1}), {&context, 1}),
                  reward);
        expected.Observe(arm, reward, {&context, 1});
      }
      PastEvents events = Events(text);
      Pupil pupil = WithArms(options, 20);
      const LearningResult result = LearnFrom(events, pupil);
      EXPECT_EQ(std::get<Bandit>(pupil.learner).Mean(), expected.Mean());
      EXPECT_EQ(result.score.events(), 200);
      EXPECT_EQ(result.score.Error(), score.Error());
      EXPECT_EQ(result.score.LogLoss(), score.LogLoss());
      EXPECT_GT(result.score.Error(), 0);
    }
  }
}

// What a bandit has learned can be learned again from its log, and its arms are
// those that the log has seen.
TEST_F(Replays, OfALogMakeTheBanditAgain) {
  const BanditOptions options{.dim = 3};
  Bandit bandit(options);
  Names names;
  const std::vector<float> rows = testing::GaussianRows(5, 3, 1);
  {
    LogWriter writer(path_, LogHeader::Of(options));
    for (ArmId arm = 0; arm < 5; ++arm) {
      const auto given = std::span(rows).subspan(3 * arm, 3);
      const std::vector<float> row(given.begin(), given.end());
      names.Add(fmt::format("arm {}", arm));
      bandit.Add(arm, row);
      writer.Write(LoggedArmChange{.arm = names.Name(arm), .features = row});
    }
    for (int i = 0; i < 50; ++i) {
      const Decision made = bandit.Choose();
      writer.Write(LoggedDecision{.id = made.id,
                                  .arm = names.Name(made.arm),
                                  .features = bandit.Features({{made.arm}}),
                                  .score = made.score});
      if (i % 5 == 0) continue;
      bandit.Learn(made, 0.1 * i);
      writer.Write(LoggedReward{.decision = made.id, .reward = 0.1 * i});
    }
    bandit.Remove(2);
    writer.Write(LoggedArmChange{.arm = "arm 2", .removed = true});
  }
  PastEvents events(path_);
  Pupil pupil{.learner = Bandit(options), .names = {}};
  const LearningResult result = LearnFrom(events, pupil);
  const auto& again = std::get<Bandit>(pupil.learner);
  EXPECT_EQ(again.Mean(), bandit.Mean());
  EXPECT_EQ(again.Ids(), bandit.Ids());
  EXPECT_EQ(pupil.names.Name(4), "arm 4");
  EXPECT_EQ(pupil.names.size(), 4);
  EXPECT_EQ(result.without_reward, 10);
  EXPECT_EQ(result.score.events(), 40);
  again.Save(folder_ / "saved", &pupil.names);
  EXPECT_EQ(Bandit::Load(folder_ / "saved").Mean(), bandit.Mean());
}

// Rewards that come after their arm was updated or removed are learned with the
// features of their decisions, and leave the arms as they are.
TEST_F(Replays, OfLateRewardsChangeNoArm) {
  const BanditOptions options{.dim = 2};
  for (const bool named : {false, true}) {
    const auto arm = [&](ArmId id) {
      return named ? LoggedArm(fmt::format("arm {}", id)) : LoggedArm(id);
    };
    std::filesystem::remove(path_);
    {
      LogWriter log(path_, LogHeader::Of(options));
      log.Write(LoggedArmChange{.arm = arm(0), .features = {1, 0}});
      log.Write(LoggedArmChange{.arm = arm(1), .features = {0, 1}});
      log.Write(LoggedDecision{.id = 1, .arm = arm(0), .features = {1, 0}});
      log.Write(LoggedDecision{.id = 2, .arm = arm(1), .features = {0, 1}});
      log.Write(LoggedArmChange{.arm = arm(0), .features = {2, 2}});
      log.Write(LoggedArmChange{.arm = arm(1), .removed = true});
      log.Write(LoggedReward{.decision = 1, .reward = 3});
      log.Write(LoggedReward{.decision = 2, .reward = 4});
    }
    PastEvents events(path_);
    Pupil pupil{.learner = Bandit(options), .names = {}};
    LearnFrom(events, pupil);
    const auto& taught = std::get<Bandit>(pupil.learner);
    EXPECT_EQ(taught.Ids(), std::vector<ArmId>{0});
    EXPECT_EQ(taught.Features({{0}}), (std::vector<float>{2, 2}));
    EXPECT_EQ(pupil.names.size(), named ? 1 : 0);
    Bandit expected(options);
    expected.Observe(std::vector<float>{1, 0}, 3);
    expected.Observe(std::vector<float>{0, 1}, 4);
    EXPECT_EQ(taught.Mean(), expected.Mean());
  }
}

// Without events of arms, an arm is as in the last decision that has a reward.
TEST_F(Replays, TakeArmsFromTheLastDecision) {
  const BanditOptions options{.dim = 1};
  {
    LogWriter log(path_, LogHeader::Of(options));
    log.Write(LoggedArmChange{.arm = ArmId{9}, .removed = true});
    log.Write(LoggedDecision{.id = 1, .arm = ArmId{5}, .features = {1}});
    log.Write(LoggedDecision{.id = 2, .arm = ArmId{5}, .features = {2}});
    log.Write(LoggedReward{.decision = 2, .reward = 3});
    log.Write(LoggedReward{.decision = 1, .reward = 4});
  }
  PastEvents events(path_);
  Pupil pupil{.learner = Bandit(options), .names = {}};
  LearnFrom(events, pupil);
  const auto& taught = std::get<Bandit>(pupil.learner);
  EXPECT_EQ(taught.Ids(), std::vector<ArmId>{5});
  EXPECT_EQ(taught.Features({{5}}), std::vector<float>{2});
}

TEST_F(Replays, LetEachLearnerLearnForItself) {
  Population expected({.dim = 3});
  expected.Add(testing::FirstIds(5), testing::GaussianRows(5, 3, 1));
  Pupil pupil{.learner = Population({.dim = 3}), .names = {}};
  std::get<Population>(pupil.learner)
      .Add(testing::FirstIds(5), testing::GaussianRows(5, 3, 1));
  PastEvents events = Events(
      "{\"arm\":1,\"learner\":7,\"reward\":1}\n"
      "{\"arm\":2,\"learner\":\"7\",\"reward\":2}\n"
      "{\"arm\":3,\"learner\":7,\"reward\":3}\n");
  const LearningResult result = LearnFrom(events, pupil);
  expected.Observe(7, 1, 1);
  expected.Observe("7", 2, 2);
  expected.Observe(7, 3, 3);
  EXPECT_EQ(result.learners, 2);
  for (const LearnerKey& key : {LearnerKey(7), LearnerKey("7")}) {
    EXPECT_EQ(std::get<Population>(pupil.learner).Mean(key),
              expected.Mean(key));
  }
  EXPECT_TRUE(BestArms(pupil, 3).empty());
}

TEST_F(Replays, NameTheLineOfAnEventThatCannotBeLearned) {
  const std::string good = "{\"arm\":1,\"reward\":0.5}\n";
  const auto refuses = [&](const std::string& line, ErrorCode code,
                           const std::string& part, bool clicks = false) {
    PastEvents events = Events(good + line + "\n");
    Pupil pupil = WithArms(
        {.dim = 2,
         .rewards = clicks ? RewardModel::kClicks : RewardModel::kLinear},
        3);
    ExpectError(code, {"events.jsonl, line 2: ", part},
                [&] { LearnFrom(events, pupil); });
  };
  refuses(R"({"arm":99,"reward":1})", ErrorCode::kUnknownId, "99");
  refuses(R"({"arm":"x","reward":1})", ErrorCode::kInvalidArgument,
          "arms have numbers");
  refuses(R"({"arm":1,"reward":1e10})", ErrorCode::kInvalidArgument, "reward");
  refuses(R"({"arm":1,"reward":2})", ErrorCode::kInvalidArgument, "from 0 to 1",
          true);
  refuses(R"({"arm":1,"context":[1],"reward":1})", ErrorCode::kInvalidArgument,
          "context");
  refuses(R"({"arm":1,"features":[1],"reward":1})", ErrorCode::kInvalidArgument,
          "1 features");
  refuses(R"({"arm":1,"learner":1,"reward":1})", ErrorCode::kInvalidArgument,
          "a single bandit learns");
}

TEST_F(Replays, FindTheArmsOfWhichMostIsExpected) {
  Pupil pupil{.learner = Bandit({.dim = 1}), .names = {}};
  PastEvents events = Events(
      "{\"arm\":1,\"features\":[1],\"reward\":1}\n"
      "{\"arm\":2,\"features\":[3],\"reward\":3}\n"
      "{\"arm\":3,\"features\":[2],\"reward\":2}\n"
      "{\"arm\":0,\"features\":[3],\"reward\":3}\n");
  LearnFrom(events, pupil);
  const std::vector<ExpectedReward> best = BestArms(pupil, 3);
  ASSERT_EQ(best.size(), 3);
  EXPECT_EQ(best[0].arm, 0);
  EXPECT_EQ(best[1].arm, 2);
  EXPECT_EQ(best[2].arm, 3);
  EXPECT_EQ(best[0].reward, std::get<Bandit>(pupil.learner).Predict({{3.0F}}));
  EXPECT_EQ(BestArms(pupil, 99).size(), 4);
  EXPECT_TRUE(BestArms(pupil, 0).empty());
}

TEST_F(Replays, SayHowFarTheyAre) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "{\"arm\":1,\"reward\":0.5}\n";
  PastEvents events = Events(text);
  Pupil pupil = WithArms({.dim = 2}, 3);
  std::vector<double> shares;
  LearnFrom(events, pupil, [&](double share) { shares.push_back(share); });
  ASSERT_EQ(shares.size(), 4);
  EXPECT_NEAR(shares[0], 1024.0 / 5000, 1e-9);
  EXPECT_NEAR(shares[3], 4096.0 / 5000, 1e-9);
}

}  // namespace
}  // namespace manyarms
