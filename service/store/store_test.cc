#include "service/store/store.h"

#include <gtest/gtest.h>

#include "in_a_folder.h"

namespace manyarms::service {
namespace {

class StoreFile : public testing::InAFolder {
 protected:
  StoreOptions Options() const {
    return {.place = (folder_ / "store.db").string()};
  }
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

TEST_F(StoreFile, NumbersChangesAndRowsOneAfterAnother) {
  {
    Store store(Options());
    EXPECT_EQ(store.last_appended(), 0);
    EXPECT_EQ(store.Append(ABandit(1)), 1);
    EXPECT_EQ(store.Append(ASlate("a", 3)), 2);
    EXPECT_EQ(store.Append(ASlate("b", 1)), 5);
    EXPECT_EQ(store.last_appended(), 5);
  }
  Store store(Options());
  EXPECT_EQ(store.last_appended(), 5);
  EXPECT_EQ(store.Append(ASlate("a", 2)), 6);
  store.Wait(7);
  const auto found = store.FindDecisions(1, 2, 3);
  ASSERT_EQ(found.size(), 3);
  EXPECT_EQ(found[2].rank, 2);
  EXPECT_EQ(found[2].features, (std::vector<float>{1, 2.5F, -3}));
}

}  // namespace
}  // namespace manyarms::service
