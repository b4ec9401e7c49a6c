#include "service/engine/log_export.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "in_a_folder.h"
#include "manyarms/choice_reader.h"
#include "manyarms/evaluation_log.h"
#include "manyarms/log.h"
#include "service/engine/settings.h"
#include "service/store/store.h"
#include "testing.h"

namespace manyarms::service {
namespace {

constexpr const char* kSettings =
    R"({"dim":2,"explore_uniform":0.1,"seed":5,"policy":"ucb"})";

class LogExport : public testing::InAFolder {
 protected:
  LogExport() { Make("shop", kSettings); }

  std::string Place() const { return (folder_ / "store.db").string(); }

  // Bandits get the numbers 1, 2, ...
  void Make(const std::string& name, const char* settings) {
    store_->Append(BanditCreated{.bandit = ++bandits_,
                                 .name = name,
                                 .settings = ToJson(ParseSettings(settings)),
                                 .time = 1});
  }

  void PutArm(std::uint32_t place, const std::string& name,
              std::vector<float> features) {
    ArmRow arm{.place = place, .arm = place, .name = name};
    arm.features = std::move(features);
    store_->Append(ArmsPut{.bandit = 1, .arms = {arm}, .time = 2});
  }

  void RemoveArm(std::uint32_t place) {
    store_->Append(ArmsRemoved{
        .bandit = 1, .arms = {{.place = place, .freed = ++freed_}}, .time = 3});
  }

  static DecisionRow ADecision(const std::string& learner,
                               const std::string& arm, Time time) {
    DecisionRow row;
    row.bandit = 1;
    row.learner = learner;
    row.number = 1;
    row.arm = 0;
    row.arm_name = arm;
    row.features = {1, 0.5F};
    row.score = 0.25;
    row.eligible = 2;
    row.probability = 0.75;
    row.time = time;
    return row;
  }

  Sequence Decide(const DecisionRow& row) {
    return store_->Append(DecisionsMade{.decisions = {row}});
  }

  void Reward(Sequence decision, const std::string& learner, double reward,
              RewardKind kind = RewardKind::kLearned, Time time = 20) {
    store_->Append(RewardRow{.bandit = 1,
                             .kind = kind,
                             .decision = decision,
                             .learner = learner,
                             .reward = reward,
                             .time = time});
  }

  LogExportOptions Options() const {
    return {.place = Place(), .bandit = "shop"};
  }

  // While the store goes on being open.
  std::string Export(const LogExportOptions& options) {
    store_->Wait(store_->last_appended());
    std::ostringstream out;
    counts_ = ExportLog(options, out);
    return out.str();
  }

  // The lines after the first one.
  std::vector<std::string> Lines(const LogExportOptions& options) {
    std::istringstream in(Export(options));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    lines.erase(lines.begin());
    return lines;
  }

  std::unique_ptr<Store> store_ =
      std::make_unique<Store>(StoreOptions{.place = Place()});
  BanditNumber bandits_ = 0;
  std::uint64_t freed_ = 0;
  ExportedEvents counts_;
};

TEST_F(LogExport, BeginsWithTheOptionsOfTheBandit) {
  std::istringstream in(Export(Options()));
  LogReader reader(in);
  EXPECT_EQ(reader.header(),
            LogHeader::Of(ParseSettings(kSettings).population));
  EXPECT_TRUE(reader.header().population);
  LogEvent event;
  EXPECT_FALSE(reader.Next(event));
}

TEST_F(LogExport, WritesEverythingInTheOrderInWhichItHappened) {
  PutArm(0, "blue", {1, 0.5F});
  PutArm(1, "red", {0, 1});
  const Sequence first = Decide(ADecision("anna", "blue", 10));
  const Sequence second = Decide(ADecision("ben", "blue", 11));
  Reward(second, "ben", 0.5);
  PutArm(0, "blue", {1, 1});
  RemoveArm(1);
  Reward(first, "anna", 1, RewardKind::kDefault);
  RewardRow seen{.bandit = 1,
                 .kind = RewardKind::kObserved,
                 .learner = "anna",
                 .reward = 2};
  seen.arm = 0;
  seen.arm_name = "blue";
  seen.features = {1, 1};
  seen.time = 21;
  store_->Append(seen);
  const std::vector<std::string> expected = {
      R"({"event":"arm","arm":"blue","features":[1,0.5]})",
      R"({"event":"arm","arm":"red","features":[0,1]})",
      R"({"event":"decision","id":4,"learner":"anna","arm":"blue","features":[1,0.5],"score":0.25,"eligible":2,"probability":0.75,"time":10})",
      R"({"event":"decision","id":5,"learner":"ben","arm":"blue","features":[1,0.5],"score":0.25,"eligible":2,"probability":0.75,"time":11})",
      R"({"event":"reward","decision":5,"learner":"ben","reward":0.5,"time":20})",
      R"({"event":"arm","arm":"blue","features":[1,1]})",
      R"({"event":"arm removed","arm":"red"})",
      R"({"event":"reward","decision":4,"learner":"anna","reward":1,"time":20})",
      R"({"event":"observation","learner":"anna","arm":"blue","features":[1,1],"reward":2,"time":21})"};
  EXPECT_EQ(Lines(Options()), expected);
  EXPECT_EQ(counts_.decisions, 2U);
  EXPECT_EQ(counts_.rewards, 2U);
  EXPECT_EQ(counts_.observations, 1U);
  EXPECT_EQ(counts_.arm_changes, 4U);
}

TEST_F(LogExport, LeavesOutRewardsThatWereNotLearned) {
  const Sequence decision = Decide(ADecision("anna", "blue", 10));
  Reward(decision, "anna", 0.5, RewardKind::kPart);
  Reward(decision, "anna", 0, RewardKind::kActivated);
  Reward(decision, "anna", 1.5, RewardKind::kLearned);
  Reward(decision, "anna", 3, RewardKind::kLate);
  Reward(Decide(ADecision("ben", "blue", 11)), "ben", 0,
         RewardKind::kDismissed);
  std::istringstream in(Export(Options()));
  const std::vector<LoggedChoice> choices =
      ReadChoices(in, {.default_reward = -1}).choices;
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].reward, 1.5);
  EXPECT_EQ(choices[1].reward, -1);
}

TEST_F(LogExport, HasOneRewardOfADecisionThatWasOpenAgain) {
  const Sequence decision = Decide(ADecision("anna", "blue", 10));
  Reward(decision, "anna", 1);
  Reward(decision, "anna", 2);
  std::istringstream in(Export(Options()));
  const auto choices = ReadChoices(in).choices;
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].reward, 1);
}

TEST_F(LogExport, HasDecisionsOfATimeWithTheirRewardsWheneverTheyCame) {
  PutArm(0, "blue", {1, 0.5F});
  PutArm(1, "gone", {1, 0.5F});
  const Sequence early = Decide(ADecision("anna", "blue", 10));
  RemoveArm(1);
  const Sequence middle = Decide(ADecision("anna", "blue", 20));
  const Sequence late = Decide(ADecision("anna", "blue", 30));
  Reward(early, "anna", 1, RewardKind::kLearned, 25);
  Reward(middle, "anna", 2, RewardKind::kLearned, 100);
  Reward(late, "anna", 3, RewardKind::kLearned, 100);
  PutArm(2, "new", {0, 0});
  LogExportOptions options = Options();
  options.since = 20;
  options.until = 30;
  const std::vector<std::string> lines = Lines(options);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_NE(lines[0].find("blue"), std::string::npos);
  EXPECT_NE(lines[1].find("\"time\":20"), std::string::npos);
  EXPECT_NE(lines[2].find("\"reward\":2"), std::string::npos);
}

TEST_F(LogExport, HasOneLearnerIfItIsAsked) {
  Reward(Decide(ADecision("anna", "blue", 10)), "anna", 1);
  Reward(Decide(ADecision("", "blue", 10)), "", 2);
  LogExportOptions options = Options();
  options.learner = "";
  const std::vector<std::string> lines = Lines(options);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].find(R"("learner":"")"), std::string::npos);
  options.learner = "nobody";
  EXPECT_TRUE(Lines(options).empty());
}

TEST_F(LogExport, LeavesArmsAndOtherBanditsOut) {
  PutArm(0, "blue", {1, 0.5F});
  Make("other", kSettings);
  DecisionRow row = ADecision("anna", "blue", 10);
  row.bandit = 2;
  Decide(row);
  LogExportOptions options = Options();
  options.arms = false;
  EXPECT_TRUE(Lines(options).empty());
  options.bandit = "other";
  EXPECT_EQ(Lines(options).size(), 1U);
}

TEST_F(LogExport, NamesTheCallerWhereItChose) {
  DecisionRow row = ADecision("anna", "blue", 10);
  row.policy_arm = 1;
  row.policy_arm_name = "red";
  Decide(row);
  EXPECT_NE(Lines(Options()).at(0).find(R"("policy":"caller")"),
            std::string::npos);
}

TEST_F(LogExport, ForgottenLearnersAreNotThere) {
  Reward(Decide(ADecision("anna", "blue", 10)), "anna", 1);
  store_->Append(LearnerForgotten{.bandit = 1, .learner = "anna"});
  EXPECT_TRUE(Lines(Options()).empty());
}

TEST_F(LogExport, PagesFollowOneAnother) {
  constexpr int kDecisions = 10'500;
  PutArm(0, "blue", {1, 0.5F});
  for (int i = 0; i < kDecisions; ++i) {
    const auto learner = "user-" + std::to_string(i % 7);
    Reward(Decide(ADecision(learner, "blue", 10)), learner, i);
  }
  std::istringstream in(Export(Options()));
  const auto choices = ReadChoices(in).choices;
  ASSERT_EQ(choices.size(), static_cast<std::size_t>(kDecisions));
  for (int i = 0; i < kDecisions; ++i) {
    EXPECT_EQ(choices[static_cast<std::size_t>(i)].reward, i);
  }
}

TEST_F(LogExport, CanBeEvaluated) {
  PutArm(0, "blue", {1, 0.5F});
  PutArm(1, "red", {0, 1});
  for (int i = 0; i < 200; ++i) {
    DecisionRow row = ADecision("anna", i % 2 == 0 ? "blue" : "red", 10);
    row.features =
        i % 2 == 0 ? std::vector<float>{1, 0.5F} : std::vector<float>{0, 1};
    row.probability = 0.5;
    Reward(Decide(row), "anna", i % 2);
  }
  std::istringstream in(Export(Options()));
  const EvaluationLog log = ReadEvaluationLog(in);
  EXPECT_EQ(log.choices, 200U);
  const Evaluation result =
      Evaluate(log, {}, {.policy = PopulationOptions{.dim = 2}});
  EXPECT_GT(result.doubly_robust.value, 0.7);
}

TEST_F(LogExport, SaysWhatIsWrong) {
  LogExportOptions options = Options();
  options.bandit = "cafe";
  std::ostringstream out;
  store_->Wait(store_->last_appended());
  testing::ExpectError(ErrorCode::kUnknownId, {"cafe"},
                       [&] { ExportLog(options, out); });
  options.place = (folder_ / "nothing.db").string();
  testing::ExpectError(ErrorCode::kIo, {"nothing.db", "No such file"},
                       [&] { ExportLog(options, out); });
  options.place = (folder_ / "text.db").string();
  std::ofstream(options.place) << "this is no database, but a text of a length";
  testing::ExpectError(ErrorCode::kCorrupt, {"text.db"},
                       [&] { ExportLog(options, out); });
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace manyarms::service
