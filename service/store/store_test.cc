#include "service/store/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "both_databases.h"
#include "service/sql/database.h"

namespace manyarms::service {
namespace {

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
    for (int tries = 0; tries < 500; ++tries) {
      if (Count("deletions") == 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
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

INSTANTIATE_TEST_SUITE_P(Databases, AStore, testing::kBothDatabases,
                         testing::NameOfDatabase);

}  // namespace
}  // namespace manyarms::service
