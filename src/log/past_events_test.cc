#include "log/past_events.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "in_a_folder.h"
#include "manyarms/log.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

class PastEventFiles : public testing::InAFolder {
 protected:
  PastEvents Events(const std::string& text) const {
    std::ofstream(path_) << text;
    return PastEvents(path_);
  }

  void ExpectCorrupt(const std::string& text,
                     const std::vector<std::string>& parts) const {
    PastEvents events = Events(text);
    ExpectError(ErrorCode::kCorrupt, parts, [&] {
      for (PastEvent event; events.Next(event);) continue;
    });
  }

  const std::filesystem::path path_ = folder_ / "events.jsonl";
};

TEST_F(PastEventFiles, MayBeSomebodyElses) {
  PastEvents events = Events(
      "{\"arm\":7,\"reward\":0.5,\"probability\":0.1,\"price\":[1]}\n"
      "\r\n"
      "{\"arm\":\"a\",\"learner\":\"x\",\"context\":[1,2],\"reward\":1}\n"
      "{\"features\":[3],\"reward\":-1}");  // no end of the line
  EXPECT_FALSE(events.header().has_value());
  PastEvent event;
  ASSERT_NE(events.Peek(), nullptr);
  EXPECT_EQ(events.Peek()->reward, 0.5);
  ASSERT_TRUE(events.Next(event));
  EXPECT_EQ(event.arm, LoggedArm(ArmId{7}));
  EXPECT_FALSE(event.learner.has_value());
  ASSERT_TRUE(events.Next(event));
  EXPECT_EQ(event.arm, LoggedArm("a"));
  EXPECT_EQ(event.learner, LearnerKey("x"));
  EXPECT_EQ(event.context, (std::vector<float>{1, 2}));
  ASSERT_TRUE(events.Next(event));
  EXPECT_FALSE(event.arm.has_value());
  EXPECT_FALSE(event.learner.has_value());
  EXPECT_EQ(event.features, std::vector<float>{3});
  EXPECT_TRUE(event.context.empty());
  EXPECT_EQ(event.reward, -1);
  EXPECT_FALSE(events.Next(event));
  EXPECT_EQ(events.Peek(), nullptr);
}

// They may mean something else by names that fields of logs have.
TEST_F(PastEventFiles, MayHaveOtherFieldsOfAnyType) {
  const std::string wanted = R"({"arm":0,"features":[1,2],"reward":1)";
  for (const std::string name : {"event", "id", "decision", "score", "eligible",
                                 "uniform", "probability", "policy", "time"}) {
    for (const std::string value :
         {R"("2020-01-01T00:00:00Z")", "[1]", "-1.5", "{}", "true"}) {
      const std::string field = fmt::format(R"(,"{}":{})", name, value);
      PastEvents events = Events(fmt::format("{0}{1}{1}}}\n", wanted, field));
      PastEvent event;
      ASSERT_TRUE(events.Next(event)) << field;
      EXPECT_EQ(event.arm, LoggedArm(ArmId{0}));
      EXPECT_EQ(event.features, (std::vector<float>{1, 2}));
      EXPECT_EQ(event.reward, 1);
    }
  }
}

TEST_F(PastEventFiles, NameTheLineOfWhatIsWrong) {
  const std::string good = R"({"arm":1,"reward":0})"
                           "\n";
  ExpectCorrupt(good + R"({"arm":1})"
                       "\n",
                {"events.jsonl, line 2", "reward"});
  ExpectCorrupt(good + R"({"reward":1})"
                       "\n",
                {"line 2", "\"arm\" is missing"});
  ExpectCorrupt(good + R"({"arm":1,"reward")", {"line 2"});
  ExpectCorrupt(good + R"({"arm":1,"features":[],"reward":1})"
                       "\n",
                {"line 2", "\"features\" has no values"});
  ExpectCorrupt("\xef\xbb\xbf" + good, {"line 1", "byte order mark (BOM)"});
  ExpectCorrupt(good + "{\"arm\":\"\xff\",\"reward\":1}\n",
                {"line 2", "UTF-8"});
  ExpectCorrupt(good + std::string(kMaxLogLine + 5, ' ') + "\n",
                {"line 2", "longer"});
  PastEvents events = Events(good);
  PastEvent event;
  events.Next(event);
  ExpectError(
      ErrorCode::kUnknownId, {"events.jsonl, line 1: there is no"}, [&] {
        events.Named(
            [] { throw Error(ErrorCode::kUnknownId, "there is no arm"); });
      });
}

TEST_F(PastEventFiles, MayBeALog) {
  {
    LogWriter writer(path_, {.dim = 1});
    writer.Write(LoggedArmChange{.arm = ArmId{1}, .features = {4}});
    for (const DecisionId id : {1U, 2U, 3U}) {
      writer.Write(LoggedDecision{
          .id = id, .arm = ArmId{1}, .features = {static_cast<float>(id)}});
    }
    writer.Write(LoggedReward{.decision = 3, .reward = 0.25});
    writer.Write(LoggedObservation{.features = {9}, .reward = 2});
    writer.Write(LoggedArmChange{.arm = ArmId{1}, .removed = true});
    writer.Write(LoggedReward{.decision = 1, .reward = 0.5});
  }
  PastEvents events(path_);
  EXPECT_EQ(events.header()->dim, 1);
  std::vector<PastEvent> all;
  for (PastEvent event; events.Next(event);) all.push_back(event);
  ASSERT_EQ(all.size(), 5);
  EXPECT_EQ(all[0].kind, PastEvent::Kind::kArm);
  EXPECT_EQ(all[1].features, std::vector<float>{3});
  EXPECT_EQ(all[1].reward, 0.25);
  EXPECT_EQ(all[2].features, std::vector<float>{9});
  EXPECT_FALSE(all[2].arm.has_value());
  EXPECT_EQ(all[3].kind, PastEvent::Kind::kArmRemoved);
  EXPECT_EQ(all[4].reward, 0.5);
  EXPECT_EQ(events.without_reward(), 1);
}

TEST_F(PastEventFiles, MayBeALogThatSomebodyIsWriting) {
  LogWriter(path_, {.dim = 1})
      .Write(LoggedObservation{.features = {9}, .reward = 2});
  std::ofstream(path_, std::ios::app) << R"({"event":"obs)";
  PastEvent event;
  PastEvents strict(path_);
  EXPECT_TRUE(strict.Next(event));
  ExpectError(ErrorCode::kCorrupt, {"line 3", "has no end"},
              [&] { strict.Next(event); });
  PastEvents patient(path_, {.ignore_torn_tail = true});
  EXPECT_TRUE(patient.Next(event));
  EXPECT_FALSE(patient.Next(event));
}

}  // namespace
}  // namespace manyarms
