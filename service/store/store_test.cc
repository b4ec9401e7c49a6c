#include "service/store/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "becomes.h"
#include "both_databases.h"
#include "manyarms/error.h"
#include "service/sql/database.h"
#include "service/store/old_rows.h"

namespace manyarms::service {
namespace {

using testing::Becomes;

class AStore : public testing::BothDatabases {
 protected:
  void Open() {
    store_.reset();
    if (place_.empty()) place_ = NewPlace();
    store_ = std::make_unique<Store>(StoreOptions{.place = place_});
  }

  /// Rows of a query, which counts them, as an analyst would see it.
  std::int64_t Count(const std::string& what) {
    const auto database = sql::Open(place_, sql::Database::Access::kRead);
    const auto query =
        database->Prepare(fmt::format("SELECT count(*) FROM {}", what));
    std::int64_t count = 0;
    while (query->Next()) count = query->IntegerAt(0);
    return count;
  }

  /// Waits until what was forgotten is deleted, too.
  bool WaitForDeletions() {
    return Becomes([this] { return Count("deletions") == 0; });
  }

  std::string place_;
  std::unique_ptr<Store> store_;
};

BanditCreated ABandit(BanditNumber number) {
  return {.bandit = number,
          .name = "bandit " + std::to_string(number),
          .settings = "{}",
          .time = 1e9};
}

DecisionRow ADecision(const std::string& learner) {
  DecisionRow row;
  row.bandit = 1;
  row.learner = learner;
  row.number = 1;
  row.arm = 7;
  row.features = {1, 2.5F, -3};
  row.time = 1e9;
  return row;
}

DecisionsMade ASlate(const std::string& learner, std::uint32_t slate) {
  DecisionsMade made;
  for (std::uint32_t rank = 0; rank < slate; ++rank) {
    DecisionRow row = ADecision(learner);
    row.rank = rank;
    row.slate = slate;
    row.arm = rank;
    made.decisions.push_back(row);
  }
  return made;
}

TEST_P(AStore, KnowsTheLargestNumberOfABanditAtOnceAndAfterItIsDeleted) {
  Open();
  EXPECT_EQ(store_->last_bandit(), 0);
  store_->Append(ABandit(1));
  store_->Append(ABandit(2));
  EXPECT_EQ(store_->last_bandit(), 2);
  store_->Wait(store_->Append(BanditDeleted{.bandit = 2}));
  EXPECT_EQ(store_->last_bandit(), 2);
  Open();
  EXPECT_EQ(store_->last_bandit(), 2);
}

TEST_P(AStore, NumbersChangesAndRowsOneAfterAnother) {
  Open();
  EXPECT_EQ(store_->last_appended(), 0);
  EXPECT_EQ(store_->Append(ABandit(1)), 1);
  EXPECT_EQ(store_->Append(ASlate("a", 3)), 2);
  EXPECT_EQ(store_->Append(ASlate("b", 1)), 5);
  EXPECT_EQ(store_->last_appended(), 5);
  Open();
  EXPECT_EQ(store_->last_appended(), 5);
  EXPECT_EQ(store_->Append(ASlate("a", 2)), 6);
  store_->Wait(7);
  const auto found = store_->FindDecisions(1, 2, 3);
  ASSERT_EQ(found.size(), 3);
  EXPECT_EQ(found[2].rank, 2);
  EXPECT_EQ(found[2].features, (std::vector<float>{1, 2.5F, -3}));
}

// Otherwise a number that somebody knows would become another's.
TEST_P(AStore, GivesNoNumberAgainThatWasToldEarly) {
  Open();
  store_->Append(ABandit(1));
  store_.reset();
  const auto was_killed = [&] {
    const auto database = sql::Open(place_, sql::Database::Access::kWrite);
    database->Run("UPDATE meta SET value = 1 WHERE name = 'told_early'");
  };
  was_killed();
  Open();
  EXPECT_EQ(store_->last_appended(), 1 + kNumbersLeftOut);
  store_.reset();
  was_killed();
  Open();
  EXPECT_EQ(store_->last_appended(), 1 + 2 * kNumbersLeftOut);
  EXPECT_EQ(store_->Append(ASlate("a", 1)), 2 + 2 * kNumbersLeftOut);
  Open();
  EXPECT_EQ(store_->last_appended(), 2 + 2 * kNumbersLeftOut);
}

// The deletion does not go through the numbers that were left out.
TEST_P(AStore, DeletesForgottenRowsOnBothSidesOfNumbersLeftOut) {
  for (int round = 0; round < 2; ++round) {
    Open();
    if (round == 0) store_->Append(ABandit(1));
    for (int i = 0; i < 3000; ++i) {
      store_->Append(ASlate(i % 3 == 0 ? "b" : "a", 1));
    }
    if (round == 0) {
      store_.reset();
      const auto database = sql::Open(place_, sql::Database::Access::kWrite);
      database->Run("UPDATE meta SET value = 1 WHERE name = 'told_early'");
    }
  }
  store_->Append(LearnerForgotten{.bandit = 1, .learner = "a"});
  store_->Wait(store_->last_appended());
  ASSERT_TRUE(WaitForDeletions());
  EXPECT_EQ(Count("decisions"), 2000);
}

TEST_P(AStore, DeletesAllRowsOfAForgottenLearnerInTheEnd) {
  Open();
  store_->Append(ABandit(1));
  for (int i = 0; i < 10; ++i) {
    store_->Append(ASlate("a", 2));
    store_->Append(RewardRow{.bandit = 1, .decision = 2, .learner = "a"});
    store_->Append(ASlate("b", 2));
  }
  store_->Append(LearnerForgotten{.bandit = 1, .learner = "a"});
  store_->Append(ASlate("a", 3));
  store_->Wait(store_->last_appended());
  ASSERT_TRUE(WaitForDeletions());
  EXPECT_EQ(Count("decisions WHERE learner = 'a'"), 3);
  EXPECT_EQ(Count("rewards"), 0);
  EXPECT_EQ(Count("decisions WHERE learner = 'b'"), 20);
}

TEST_P(AStore, DeletesAllRowsOfADeletedBanditInTheEnd) {
  Open();
  for (BanditNumber number : {1, 2}) {
    store_->Append(ABandit(number));
    ArmsPut put = {.bandit = number};
    for (std::uint32_t place = 0; place < 3000; ++place) {
      put.arms.push_back({.place = place, .arm = place, .features = {1}});
    }
    store_->Append(put);
    store_->Append(put);
    store_->Append(LearnerSaved{.bandit = number, .learner = "a"});
    store_->Append(SnapshotTaken{.bandit = number, .name = "s"});
    DecisionsMade made = ASlate("a", 2);
    for (DecisionRow& row : made.decisions) row.bandit = number;
    store_->Append(made);
  }
  store_->Append(BanditDeleted{1});
  store_->Wait(store_->last_appended());
  ASSERT_TRUE(WaitForDeletions());
  for (const char* table :
       {"bandits", "arms", "former_arms", "learners", "snapshots",
        "snapshot_arms", "snapshot_learners", "decisions"}) {
    EXPECT_EQ(Count(fmt::format("{} WHERE bandit = 1", table)), 0) << table;
    EXPECT_GT(Count(fmt::format("{} WHERE bandit = 2", table)), 0) << table;
  }
}

TEST_P(AStore, HasOneWriter) {
  Open();
  try {
    const Store second({.place = place_});
    ADD_FAILURE() << "two processes may write";
  } catch (const sql::Failure& failure) {
    EXPECT_EQ(failure.kind(), sql::FailureKind::kBusy);
    EXPECT_NE(std::string(failure.what()).find("another process writes"),
              std::string::npos);
  }
  // The first one is not disturbed.
  store_->Wait(store_->Append(ABandit(1)));
}

TEST_P(AStore, RefusesTablesOfALaterVersion) {
  Open();
  store_.reset();
  {
    const auto database = sql::Open(place_, sql::Database::Access::kWrite);
    database->Run("UPDATE meta SET value = 2 WHERE name = 'version'");
  }
  try {
    Open();
    ADD_FAILURE() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_NE(std::string(error.what()).find("version 2"), std::string::npos);
  }
  EXPECT_EQ(Count("meta WHERE name = 'version' AND value = 2"), 1);
}

TEST_P(AStore, KnowsTheLargestNumberOfABanditThatIsGone) {
  Open();
  EXPECT_EQ(store_->last_bandit(), 0);
  store_->Append(ABandit(1));
  store_->Append(ABandit(2));
  store_->Append(BanditDeleted{2});
  Open();
  EXPECT_EQ(store_->last_bandit(), 2);
  EXPECT_EQ(store_->Bandits().size(), 1U);
}

TEST_P(AStore, DeletesOldRowsUpToTheCheckpoint) {
  Open();
  store_->Append(ABandit(1));
  Time time = 1000;
  const auto add = [&](int changes) {
    for (; changes > 0; --changes, ++time) {
      DecisionsMade made = ASlate("a", 2);
      for (DecisionRow& row : made.decisions) row.time = time;
      const Sequence first = store_->Append(made);
      store_->Append(RewardRow{
          .bandit = 1, .decision = first, .learner = "a", .time = time});
    }
  };
  add(3000);
  store_->Append(Checkpoint{.bandit = 1, .as_of = store_->last_appended()});
  add(100);
  store_->Wait(store_->last_appended());
  // Of 3,000 changes before the checkpoint, 1,500 are old.
  EXPECT_EQ(store_->DeleteOlderThan(2500), 3 * 1500U);
  EXPECT_EQ(Count("decisions WHERE time < 2500"), 0);
  EXPECT_EQ(Count("decisions"), 2 * 1600);
  EXPECT_EQ(Count("rewards"), 1600);
  EXPECT_EQ(store_->DeleteOlderThan(2500), 0U);
  // All are old, and those after the checkpoint stay.
  EXPECT_EQ(store_->DeleteOlderThan(1e9), 3 * 1500U);
  EXPECT_EQ(Count("decisions"), 200);
  std::size_t slates = 0;
  store_->ReadEvents(1, 0, [&](Store::Event&& event) {
    if (const auto* made = std::get_if<DecisionsMade>(&event)) {
      slates += made->decisions.size() == 2 ? 1 : 0;
    }
  });
  EXPECT_EQ(slates, 100U);
}

TEST_P(AStore, DeletesOldRowsAfterSomeOfAClockThatWasAhead) {
  Open();
  store_->Append(ABandit(1));
  const auto add = [&](int changes, Time time) {
    for (; changes > 0; --changes) {
      DecisionsMade made = ASlate("a", 1);
      made.decisions[0].time = time;
      const Sequence decision = store_->Append(made);
      store_->Append(RewardRow{
          .bandit = 1, .decision = decision, .learner = "a", .time = time});
    }
  };
  add(4500, 5000);
  add(5000, 1000);
  add(2500, 5000);
  store_->Append(Checkpoint{.bandit = 1, .as_of = store_->last_appended()});
  store_->Wait(store_->last_appended());
  EXPECT_EQ(store_->DeleteOlderThan(2000), 2 * 5000U);
  EXPECT_EQ(Count("decisions"), 7000);
  EXPECT_EQ(Count("rewards"), 7000);
}

TEST_P(AStore, DeletesOldFormerArmsInSteps) {
  Open();
  for (BanditNumber number : {1, 2}) {
    store_->Append(ABandit(number));
    ArmsPut put = {.bandit = number, .time = 1000};
    for (std::uint32_t place = 0; place < 3000; ++place) {
      put.arms.push_back({.place = place, .arm = place, .features = {1}});
    }
    store_->Append(put);
    store_->Append(put);
    store_->Append(
        Checkpoint{.bandit = number, .as_of = store_->last_appended()});
    put.time = 5000;
    store_->Append(put);
  }
  store_.reset();
  const auto database = sql::Open(place_, sql::Database::Access::kWrite);
  OldRows old(2000);
  std::int64_t before = Count("former_arms");
  EXPECT_EQ(before, 12'000);
  for (bool is_more = true; is_more;) {
    is_more = old.DeleteSome(*database);
    const std::int64_t after = Count("former_arms");
    EXPECT_LE(before - after, 2000);
    before = after;
  }
  EXPECT_EQ(before, 6000);
  EXPECT_EQ(Count("former_arms WHERE removed_time < 2000"), 0);
}

TEST_P(AStore, ReadsEventsUpToANumber) {
  Open();
  store_->Append(ABandit(1));
  const Sequence first = store_->Append(ASlate("a", 2));
  const Sequence second = store_->Append(ASlate("a", 3));
  const Sequence reward =
      store_->Append(RewardRow{.bandit = 1, .decision = first, .learner = "a"});
  store_->Wait(reward);
  const auto count = [&](Sequence after, Sequence until) {
    int events = 0;
    store_->ReadEvents(
        1, after, [&](Store::Event&&) { ++events; }, until);
    return events;
  };
  EXPECT_EQ(count(0, 0), 3);
  EXPECT_EQ(count(first + 1, 0), 2);
  EXPECT_EQ(count(0, second - 1), 1);
  EXPECT_EQ(count(0, second + 2), 2);
  EXPECT_EQ(count(reward, 0), 0);
  // A slate that a limit cuts is left out.
  EXPECT_EQ(count(0, second), 1);
  EXPECT_EQ(count(first, 0), 2);
}

TEST_P(AStore, SaysThatADecisionIsMissing) {
  Open();
  store_->Append(ABandit(1));
  const Sequence slate = store_->Append(ASlate("a", 3));
  store_.reset();
  {
    const auto database = sql::Open(place_, sql::Database::Access::kWrite);
    database->Run(
        fmt::format("DELETE FROM decisions WHERE sequence = {}", slate + 1));
  }
  Open();
  try {
    store_->ReadEvents(1, slate - 1, [](Store::Event&&) {});
    ADD_FAILURE() << "a part of a slate was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  }
}

// A page of rows ends within a slate, the rest of which is deleted before the
// next page is read.
TEST_P(AStore, IsNotDamagedBecauseRowsAreDeletedWhileTheyAreRead) {
  for (const bool forgotten : {false, true}) {
    place_.clear();
    Open();
    store_->Append(ABandit(1));
    for (int i = 0; i < 3000; ++i) store_->Append(ASlate("a", 3));
    store_->Wait(store_->last_appended());
    bool is_first = true;
    const auto delete_all = [&](Store::Event&&) {
      if (!std::exchange(is_first, false)) return;
      const Sequence last = store_->last_appended();
      if (forgotten) {
        store_->Wait(
            store_->Append(LearnerForgotten{.bandit = 1, .learner = "a"}));
        return;
      }
      store_->Wait(store_->Append(Checkpoint{.bandit = 1, .as_of = last}));
      EXPECT_EQ(store_->DeleteOlderThan(2e9), 9000U);
    };
    EXPECT_NO_THROW(store_->ReadEvents(1, 0, delete_all));
    EXPECT_FALSE(is_first);
  }
}

TEST_P(AStore, IsCongestedWhileMoreWaitsThanItMay) {
  place_ = NewPlace();
  store_ =
      std::make_unique<Store>(StoreOptions{.place = place_, .most_waiting = 2});
  store_->Append(ABandit(1));
  bool was_congested = false;
  for (int i = 0; i < 10'000 && !was_congested; ++i) {
    store_->Append(ASlate("a", 1));
    was_congested = store_->congested();
  }
  EXPECT_TRUE(was_congested);
  store_->Wait(store_->last_appended());
  EXPECT_FALSE(store_->congested());
  const StoreStats stats = store_->stats();
  EXPECT_EQ(stats.waiting, 0U);
  EXPECT_EQ(stats.changes, store_->last_appended());
  EXPECT_GT(stats.commits, 0U);
  EXPECT_LE(stats.commits, stats.changes);
  EXPECT_GT(stats.bytes, 0U);
  store_->Check();
}

TEST_P(AStore, IsCongestedWhileFewChangesOfManyBytesWait) {
  place_ = NewPlace();
  store_ = std::make_unique<Store>(
      StoreOptions{.place = place_, .most_waiting_bytes = 2 << 20});
  store_->Append(ABandit(1));
  const LearnerSaved saved = {.bandit = 1,
                              .learner = "a",
                              .knowledge = std::vector<std::byte>(1 << 20)};
  const ArmsPut put = {
      .bandit = 1,
      .arms = {{.arm = 1, .features = std::vector<float>(1 << 18)}}};
  for (const Change& change : {Change(saved), Change(put)}) {
    EXPECT_FALSE(store_->congested());
    int appended = 0;
    while (!store_->congested() && appended < 1000) {
      store_->Append(change);
      ++appended;
    }
    EXPECT_LT(appended, 1000);
    store_->Wait(store_->last_appended());
  }
  EXPECT_FALSE(store_->congested());
}

TEST_P(AStore, ReadsWhileOthersWrite) {
  Open();
  store_->Append(ABandit(1));
  std::atomic<bool> is_over = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    // NOLINTNEXTLINE(performance-inefficient-vector-operation)
    readers.emplace_back([&] {
      while (!is_over) {
        Sequence last = 0;
        store_->ReadEvents(1, 0, [&](Store::Event&& event) {
          const auto& made = std::get<DecisionsMade>(event).decisions;
          const bool follows = last == 0 || made.front().sequence == last + 1;
          wrong += made.size() == 3 && follows ? 0 : 1;
          last = made.back().sequence;
        });
      }
    });
  }
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) {
    // NOLINTNEXTLINE(performance-inefficient-vector-operation)
    writers.emplace_back([&] {
      for (int change = 0; change < 100; ++change) {
        const Sequence first = store_->Append(ASlate("a", 3));
        if (change % 10 != 0) continue;
        store_->Wait(first);
        wrong += store_->FindDecisions(1, first, 3).size() == 3 ? 0 : 1;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Databases, AStore, testing::DatabaseNames(),
                         testing::NameOfDatabase);

class AFile : public AStore {};

TEST_P(AFile, IsCopiedWhileOthersWrite) {
  Open();
  store_->Wait(store_->Append(ABandit(1)));
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    while (!is_over) store_->Wait(store_->Append(ASlate("a", 3)));
  });
  std::vector<std::string> copies;
  for (int i = 0; i < 5; ++i) {
    copies.push_back((folder_ / fmt::format("copy {}.db", i)).string());
    store_->Backup(copies.back());
  }
  is_over = true;
  writer.join();
  EXPECT_THROW(store_->Backup(copies.back()), FileError);
  Sequence before = 0;
  for (const std::string& copy : copies) {
    Store store({.place = copy});
    EXPECT_GE(store.last_appended(), before);
    before = store.last_appended();
    Sequence next = 2;
    store.ReadEvents(1, 0, [&](Store::Event&& event) {
      const auto& made = std::get<DecisionsMade>(event).decisions;
      EXPECT_EQ(made.front().sequence, next);
      next += made.size();
    });
    EXPECT_EQ(next, before + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Databases, AFile, ::testing::Values("Sqlite"),
                         testing::NameOfDatabase);

TEST(PostgresStore, LeavesBackupsToPostgres) {
  Store store({.place = testing::PostgresServer::Shared().NewSchema()});
  try {
    store.Backup("/tmp/unused");
    ADD_FAILURE() << "a backup was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

}  // namespace
}  // namespace manyarms::service
