#include "service/engine/engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "becomes.h"
#include "in_a_folder.h"
#include "service/engine/bandit_fixture.h"
#include "service/sql/faulty_disk.h"
#include "testing.h"

namespace manyarms::service {
namespace {

using testing::Becomes;
using testing::ExpectError;

class EngineTest : public testing::InAFolder {
 protected:
  EngineTest() { Open(); }

  void Open(const EngineOptions& options = {}) {
    engine_.reset();
    store_.reset();
    store_ = std::make_unique<Store>(
        StoreOptions{.place = (folder_ / "store.db").string()});
    engine_ = std::make_unique<Engine>(*store_, options);
  }

  template <class Work>
  static void ExpectRefused(Refusal why, const Work& work) {
    try {
      work();
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.why(), why) << refused.what();
      return;
    }
    FAIL() << "nothing was refused";
  }

  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
};

const Settings& Some() {
  static const Settings settings = ParseSettings(R"({"dim":2})");
  return settings;
}

TEST_F(EngineTest, CreatesABanditOnce) {
  const Engine::Created created = engine_->Create("shop", Some());
  EXPECT_TRUE(created.is_new);
  store_->Wait(created.durable_at);
  const Engine::Created again = engine_->Create("shop", Some());
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.bandit, created.bandit);
  EXPECT_EQ(engine_->At("shop"), created.bandit);
  ExpectRefused(Refusal::kConflict, [&] {
    engine_->Create("shop", ParseSettings(R"({"dim":3})"));
  });
  ExpectRefused(Refusal::kNotFound, [&] { engine_->At("Shop"); });
}

TEST_F(EngineTest, LeavesChangedSemanticsAsTheyAre) {
  const Settings apprentice = ParseSettings(R"({"dim":2,"mode":"apprentice"})");
  const auto bandit = engine_->Create("shop", apprentice).bandit;
  bandit->Change([](const Settings& present) {
    return ParseChanges(R"({"mode":"serve","reward_wait":5})", present);
  });
  const Semantics changed = bandit->settings().semantics;
  for (int restart = 0; restart < 2; ++restart) {
    const Engine::Created again = engine_->Create("shop", apprentice);
    EXPECT_FALSE(again.is_new);
    EXPECT_EQ(again.bandit->settings().semantics, changed);
    for (const char* other :
         {R"({"dim":2,"seed":2})", R"({"dim":2,"arms":"numbers"})",
          R"({"dim":2,"policy":"ucb"})", R"({"dim":2,"max_pending":5})"}) {
      ExpectRefused(Refusal::kConflict,
                    [&] { engine_->Create("shop", ParseSettings(other)); });
    }
    Open();
  }
}

TEST_F(EngineTest, ChecksNames) {
  for (const std::string& name :
       std::vector<std::string>{"", ".", ".a", "a b", "a/b", "ä", "\xff",
                                std::string(65, 'a'), std::string("a\0", 2)}) {
    ExpectError(ErrorCode::kInvalidArgument, {"name"},
                [&] { engine_->Create(name, Some()); });
  }
  for (const std::string& name :
       std::vector<std::string>{"a", "A.b-c_9", std::string(64, 'a')}) {
    EXPECT_TRUE(engine_->Create(name, Some()).is_new);
  }
  EXPECT_EQ(engine_->Bandits().size(), 3U);
}

TEST_F(EngineTest, HasALimitOfBandits) {
  EngineOptions options;
  options.limits.bandits = 2;
  Open(options);
  engine_->Create("a", Some());
  engine_->Create("b", Some());
  ExpectRefused(Refusal::kTooMany, [&] { engine_->Create("c", Some()); });
  engine_->Create("a", Some());
  engine_->Delete("b");
  engine_->Create("c", Some());
}

TEST_F(EngineTest, DeletesABanditWithAllThatItHad) {
  const auto bandit = engine_->Create("a", Some()).bandit;
  bandit->PutArms({{.arm = "x", .features = {1, 2}}}, true);
  const Sequence decision = bandit->Choose({.event = "e"}).first;
  engine_->Delete("a");
  ExpectRefused(Refusal::kNotFound, [&] { engine_->At("a"); });
  ExpectRefused(Refusal::kNotFound, [&] { engine_->Delete("a"); });
  ExpectRefused(Refusal::kNotFound, [&] { bandit->Choose({}); });
  const auto other = engine_->Create("a", Some()).bandit;
  EXPECT_NE(other->number(), bandit->number());
  for (int restart = 0; restart < 2; ++restart) {
    const auto now = engine_->At("a");
    EXPECT_EQ(now->arms(), 0U);
    EXPECT_TRUE(now->Recall(decision, 1).empty());
    ExpectRefused(Refusal::kNotFound,
                  [&] { now->Reward({.event = "e", .reward = 1}); });
    Open();
  }
}

TEST_F(EngineTest, BringsBackBanditsAndSaysHowFarItIs) {
  std::vector<std::string> digests;
  for (const char* name : {"b", "a"}) {
    const auto bandit = engine_->Create(name, Some()).bandit;
    bandit->PutArms(SomeArms(5, 2), true);
    for (int i = 0; i < 20; ++i) {
      const ChoiceAnswer answer =
          bandit->Choose({.learner = fmt::format("u{}", i % 4)});
      if (i % 2 == 0) bandit->Reward({.decision = answer.first, .reward = 1});
    }
  }
  for (const auto& bandit : engine_->Bandits()) {
    digests.push_back(bandit->name() + bandit->Digest());
  }
  engine_.reset();
  store_.reset();
  store_ = std::make_unique<Store>(
      StoreOptions{.place = (folder_ / "store.db").string()});
  // Everything was saved, so nothing needs to be replayed.
  for (const BanditRow& row : store_->Bandits()) {
    store_->ReadEvents(row.bandit, row.checkpoint,
                       [](const Store::Event&) { ADD_FAILURE(); });
  }
  std::vector<double> shares;
  engine_ = std::make_unique<Engine>(
      *store_, EngineOptions{},
      [&](const std::string&, double share) { shares.push_back(share); });
  EXPECT_EQ(shares, (std::vector<double>{0, 0.5, 1}));
  std::vector<std::string> restored;
  for (const auto& bandit : engine_->Bandits()) {
    restored.push_back(bandit->name() + bandit->Digest());
  }
  EXPECT_EQ(restored, digests);
}

TEST_F(EngineTest, LearnsDefaultRewardsByItself) {
  const auto bandit = engine_
                          ->Create("a", ParseSettings(
                                            R"({"dim":2,"reward_wait":0.05,
                                "default_reward":0.25})"))
                          .bandit;
  bandit->PutArms(SomeArms(5, 2), true);
  bandit->Choose({.learner = "u"});
  EXPECT_TRUE(Becomes([&] { return bandit->stats().default_rewards == 1; }));
  EXPECT_EQ(bandit->FindLearner("u").info.rewards, 1U);
}

TEST_F(EngineTest, DeletesWhatIsTooOld) {
  double now = 1'790'000'000;
  EngineOptions options;
  options.clock = [&now] { return now; };
  Open(options);
  const auto bandit = engine_->Create("a", Some()).bandit;
  bandit->PutArms(SomeArms(5, 2), true);
  const Sequence decision = bandit->Choose({.learner = "u"}).first;
  bandit->Reward({.decision = decision, .reward = 1});
  const std::string digest = bandit->Digest();
  engine_.reset();
  now += 10 * 86400;
  options.retention_days = 9;
  Open(options);
  EXPECT_TRUE(
      Becomes([&] { return engine_->At("a")->Recall(decision, 1).empty(); }));
  EXPECT_EQ(engine_->At("a")->Digest(), digest);
  Open(options);
  EXPECT_EQ(engine_->At("a")->Digest(), digest);
}

// A client that repeats its choice must find it.
TEST_F(EngineTest, KeepsDecisionsThatWaitLongerThanRowsAreKept) {
  double now = 1'790'000'000;
  EngineOptions options;
  options.clock = [&now] { return now; };
  Open(options);
  const auto bandit =
      engine_->Create("a", ParseSettings(R"({"dim":2,"reward_wait":864000})"))
          .bandit;
  bandit->PutArms(SomeArms(5, 2), true);
  const Sequence closed = bandit->Choose({.learner = "u"}).first;
  bandit->Reward({.decision = closed, .reward = 1});
  now += 10;
  const Sequence open = bandit->Choose({.learner = "u", .event = "e"}).first;
  engine_.reset();
  now += 5 * 86400;
  options.retention_days = 1;
  Open(options);
  const auto again = engine_->At("a");
  EXPECT_TRUE(Becomes([&] { return again->Recall(closed, 1).empty(); }));
  EXPECT_EQ(again->Recall(open, 1).size(), 1U);
  EXPECT_EQ(again->Choose({.learner = "u", .event = "e"}).first, open);
  EXPECT_NO_THROW(again->Reward({.decision = open, .reward = 1}));
}

// Few events come, so that learners are saved for this alone.
TEST_F(EngineTest, DeletesWhatIsTooOldOfQuietBandits) {
  EngineOptions options;
  options.retention_days = 0.3 / 86400;
  options.save_seconds = 0.02;
  Open(options);
  const auto bandit = engine_->Create("a", Some()).bandit;
  bandit->PutArms(SomeArms(5, 2), true);
  const Sequence decision = bandit->Choose({.learner = "u"}).first;
  bandit->Reward({.decision = decision, .reward = 1});
  store_->Wait(store_->last_appended());
  EXPECT_TRUE(Becomes([&] { return bandit->Recall(decision, 1).empty(); }));
  const std::string digest = bandit->Digest();
  Open();
  EXPECT_EQ(engine_->At("a")->Digest(), digest);
}

class EngineOnAFaultyDisk : public EngineTest {
 protected:
  EngineOnAFaultyDisk() { Open(); }
  // Its files must be closed before the disk is gone.
  ~EngineOnAFaultyDisk() override {
    disk_.Heal();
    engine_.reset();
    store_.reset();
  }

  sql::FaultyDisk disk_;
};

TEST_F(EngineOnAFaultyDisk, RefusesNewWorkWhileNothingCanBeWritten) {
  const auto bandit = engine_->Create("a", Some()).bandit;
  bandit->PutArms(SomeArms(5, 2), true);
  const ChoiceAnswer answer = bandit->Choose({.learner = "u", .event = "e"});
  bandit->TakeSnapshot("s");
  store_->Wait(store_->last_appended());
  const std::string digest = bandit->Digest();
  disk_.Fail(sql::FaultyDisk::Fault::kFull, 0);
  // This one is waiting for the disk.
  bandit->Choose({.learner = "v"});
  ASSERT_TRUE(Becomes([&] { return !store_->failure().empty(); }));
  const std::string waiting = bandit->Digest();
  EXPECT_NE(waiting, digest);
  const auto refuses = [&](const auto& work) {
    ExpectRefused(Refusal::kUnavailable, work);
  };
  refuses([&] { bandit->Choose({.learner = "u"}); });
  refuses([&] { bandit->Reward({.decision = answer.first, .reward = 1}); });
  refuses([&] { bandit->PutArms(SomeArms(6, 2), false); });
  refuses([&] { bandit->RemoveArms({"a0"}); });
  refuses([&] { bandit->Observe("u", "a0", {}, {}, 1); });
  refuses([&] { bandit->ForgetLearner("u"); });
  refuses([&] { bandit->Dismiss(answer.first, ""); });
  refuses([&] { bandit->TakeSnapshot("t"); });
  refuses([&] { bandit->RestoreSnapshot("s"); });
  refuses(
      [&] { bandit->Change([](const Settings& s) { return s.semantics; }); });
  refuses([&] { engine_->Create("b", Some()); });
  refuses([&] { engine_->Delete("a"); });
  // What was answered before is answered again.
  EXPECT_TRUE(bandit->Choose({.learner = "u", .event = "e"}).repeated);
  EXPECT_EQ(bandit->Digest(), waiting);
  disk_.Heal();
  ASSERT_TRUE(Becomes([&] { return store_->failure().empty(); }));
  EXPECT_TRUE(bandit->Reward({.decision = answer.first, .reward = 1}).learned);
  const std::string after = bandit->Digest();
  Open();
  EXPECT_EQ(engine_->At("a")->Digest(), after);
}

// So a batch of rewards waits for one commit, and not for one after the other.
TEST_F(EngineOnAFaultyDisk, LooksUpEventsAmongWhatTheStoreHadByThen) {
  const auto bandit = engine_->Create("a", Some()).bandit;
  bandit->PutArms(SomeArms(5, 2), true);
  const Sequence as_of = store_->last_appended();
  store_->Wait(as_of);
  disk_.Fail(sql::FaultyDisk::Fault::kFull, 0);
  // This one is waiting for the disk.
  bandit->Choose({.learner = "v"});
  const auto reward = [&](Sequence by) {
    bandit->Reward({.event = "unknown", .reward = 1, .as_of = by});
  };
  ExpectRefused(Refusal::kNotFound, [&] { reward(as_of); });
  ExpectRefused(Refusal::kUnavailable, [&] { reward(0); });
  disk_.Heal();
  ASSERT_TRUE(Becomes([&] { return store_->failure().empty(); }));
  ExpectRefused(Refusal::kNotFound, [&] { reward(0); });
}

// The disk may have something of a learner that is not in memory.
TEST_F(EngineOnAFaultyDisk, SaysThatALearnerIsGoneOnlyOnceItIs) {
  const auto bandit = engine_->Create("a", Some()).bandit;
  store_->Wait(store_->last_appended());
  disk_.Fail(sql::FaultyDisk::Fault::kFull, 0);
  ExpectRefused(Refusal::kUnavailable, [&] { bandit->ForgetLearner("u"); });
  disk_.Heal();
  ASSERT_TRUE(Becomes([&] { return store_->failure().empty(); }));
  ExpectError(ErrorCode::kUnknownId, {"u"},
              [&] { bandit->ForgetLearner("u"); });
}

// The store cannot say whether a snapshot is restored, so nothing is served
// until it can.
TEST_F(EngineOnAFaultyDisk, FinishesRestoringASnapshotWhenTheStoreWritesAgain) {
  const auto bandit = engine_->Create("a", Some()).bandit;
  bandit->PutArms(SomeArms(5, 2), true);
  bandit->Observe("u", "a0", {}, {}, 1);
  store_->Wait(bandit->TakeSnapshot("s"));
  const std::string digest = bandit->Digest();
  bandit->Observe("u", "a0", {}, {}, 1);
  store_->Wait(store_->last_appended());
  disk_.Fail(sql::FaultyDisk::Fault::kFull, 0);
  ExpectRefused(Refusal::kUnavailable, [&] { bandit->RestoreSnapshot("s"); });
  ExpectRefused(Refusal::kUnavailable,
                [&] { bandit->Choose({.learner = "u"}); });
  ExpectRefused(Refusal::kUnavailable, [&] { bandit->FindArm("a0"); });
  ExpectRefused(Refusal::kUnavailable, [&] { bandit->FindLearner("u"); });
  ExpectRefused(Refusal::kUnavailable, [&] { bandit->ListLearners("", 9); });
  disk_.Heal();
  EXPECT_TRUE(Becomes([&] { return bandit->Digest() == digest; }));
  EXPECT_EQ(bandit->Choose({.learner = "u"}).count, 1U);
}

}  // namespace
}  // namespace manyarms::service
