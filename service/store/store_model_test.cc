// Random changes in a store and in a model, which must have the same rows.

#include "service/store/store_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "both_databases.h"
#include "service/store/all_rows.h"
#include "service/store/random_changes.h"

namespace manyarms::service {
namespace {

class RandomStore : public testing::BothDatabases {
 protected:
  void Open() {
    store_ = std::make_unique<Store>(StoreOptions{.place = place_});
  }

  void Reopen() {
    store_.reset();
    Open();
  }

  void Change(RandomChanges& changes) {
    const auto change = changes.Next(store_->last_appended());
    model_.Apply(change, store_->Append(change));
  }

  void Compare() {
    store_->Wait(store_->last_appended());
    const auto expected = AllRows(model_);
    const auto rows = AllRows(*store_);
    const auto [a, b] = std::ranges::mismatch(expected, rows);
    if (a != expected.end() || b != rows.end()) {
      ADD_FAILURE() << "expected: " << (a == expected.end() ? "nothing" : *a)
                    << "\nbut is:   " << (b == rows.end() ? "nothing" : *b);
    }
    for (const auto& [number, bandit] : model_.bandits) CompareFinds(bandit);
  }

  void CompareFinds(const StoreModel::Bandit& bandit) {
    const BanditNumber number = bandit.row.bandit;
    std::vector<std::string> events;
    std::vector<std::string> recent;
    std::vector<std::string> ids;
    std::size_t count = 0;
    for (const auto& [sequence, row] : bandit.decisions) {
      if (row.event.empty() || row.rank != 0) continue;
      recent.insert(recent.begin(),
                    fmt::format("{} {} {} {}", row.event, sequence, row.slate,
                                row.learner));
    }
    for (const auto& event : store_->RecentEvents(number, 1000)) {
      events.push_back(fmt::format("{} {} {} {}", event.event, event.first,
                                   event.count, event.learner));
    }
    EXPECT_EQ(events, recent);
    for (const auto& [sequence, row] : bandit.rewards) {
      if (row.id.empty()) continue;
      ids.insert(ids.begin(), fmt::format("{} {} {} {}", row.id, row.decision,
                                          sequence, row.learner));
    }
    std::vector<std::string> found;
    for (const auto& reward : store_->RecentRewards(number, 1000)) {
      found.push_back(fmt::format("{} {} {} {}", reward.id, reward.decision,
                                  reward.sequence, reward.learner));
    }
    EXPECT_EQ(found, ids);
    for (const auto& [sequence, row] : bandit.decisions) {
      if (++count % 10 == 0) CompareFinds(bandit, row);
    }
  }

  void CompareFinds(const StoreModel::Bandit& bandit, const DecisionRow& row) {
    const BanditNumber number = bandit.row.bandit;
    const auto found = store_->FindDecisions(number, row.sequence, 1);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(Line(found[0]), Line(row));
    const auto rewards = store_->FindRewards(number, row.sequence);
    for (const RewardRow& reward : rewards) {
      EXPECT_EQ(Line(reward), Line(bandit.rewards.at(reward.sequence)));
    }
    EXPECT_EQ(rewards.size(),
              std::ranges::count_if(bandit.rewards, [&](const auto& reward) {
                return reward.second.decision == row.sequence;
              }));
    if (row.event.empty()) return;
    EXPECT_EQ(store_->FindEvent(number, row.event).size(),
              std::ranges::count_if(bandit.decisions, [&](const auto& other) {
                return other.second.event == row.event;
              }));
  }

  std::string place_;
  std::unique_ptr<Store> store_;
  StoreModel model_;
};

TEST_P(RandomStore, HasTheRowsOfTheModel) {
  const std::uint64_t seeds = IsPostgres() ? 1 : 3;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    model_ = {};
    place_ = NewPlace();
    Open();
    RandomChanges changes(seed, model_);
    for (int round = 0; round < 8; ++round) {
      for (int i = 0; i < 100; ++i) Change(changes);
      if (changes.OneIn(2)) {
        const Time before = changes.time() - 50;
        store_->Wait(store_->last_appended());
        store_->DeleteOlderThan(before);
        model_.DeleteOlderThan(before);
      }
      if (changes.OneIn(2)) Reopen();
      Compare();
      if (HasFailure()) return;
      EXPECT_EQ(store_->last_bandit() <= model_.last_bandit, true);
    }
    Reopen();
    EXPECT_EQ(store_->last_bandit(), model_.last_bandit);
    store_.reset();
  }
}

INSTANTIATE_TEST_SUITE_P(Databases, RandomStore, testing::DatabaseNames(),
                         testing::NameOfDatabase);

}  // namespace
}  // namespace manyarms::service
