#include "search/lsh/lsh.h"

#include <cmath>
#include <set>

#include "recall.h"
#include "search/searcher.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::Recall;

constexpr LshOptions kTrees = {.min_depth = 1};

// Planned for 0.9; a scan would have 1. Queries share a tree, so that no tail
// bound for independent ones applies: 0.8 is the requirement.
TEST(LshSearch, FindsNearlyAlwaysTheBestOfFiveThousandArms) {
  ArmStore store(16);
  const auto slots =
      store.Add(testing::FirstIds(5000), testing::GaussianRows(5000, 16, 1));
  const double recall = Recall(store, slots, kTrees);
  EXPECT_GE(recall, 0.8);
  EXPECT_LT(recall, 1) << "this was a scan";
}

// With this reduction all points and all queries have a half of their first
// coordinate in common, so that a small tree as a whole is good or bad. Ten
// trees are averaged: over twenty, with 40 to 5,000 arms, the shares found were
// 0.85 to 0.92. 0.7 leaves room for two or three bad trees among the ten.
TEST(LshSearch, FindsThemWithThePapersReductionToo) {
  ArmStore store(6);
  const auto slots =
      store.Add(testing::FirstIds(200), testing::GaussianRows(200, 6, 1));
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    sum += Recall(store, slots,
                  LshOptions{.reduction = Reduction::kPaper, .min_depth = 1},
                  seed);
  }
  EXPECT_GE(sum / 10, 0.7);
}

// Arms, trees over them, and directions to ask for.
class ForcedTrees {
 public:
  static constexpr std::size_t kFeatures = 8;

  explicit ForcedTrees(const SearchTask& task = Objective::kInnerProduct)
      : store(kFeatures), search(kTrees, task, store, 1) {}

  std::vector<Slot> Add(std::size_t count, std::uint64_t seed) {
    std::vector<ArmId> ids(count);
    for (std::size_t i = 0; i < count; ++i) ids[i] = seed * 1'000'000 + i;
    auto slots = store.Add(ids, testing::GaussianRows(count, kFeatures, seed));
    search.Add(slots);
    return slots;
  }
  Hit Ask(std::uint64_t index) {
    Eigen::VectorXd q = Direction(index);
    return search.Best({.direction = &q}).value();
  }
  std::size_t bytes() {
    return dynamic_cast<LshIndex&>(search.index()).bytes();
  }
  static Eigen::VectorXd Direction(std::uint64_t index) {
    Eigen::VectorXd q(static_cast<Eigen::Index>(kFeatures));
    RandomStream(4, RandomStream::Role::kTheta, index)
        .Gaussians(std::span(q.data(), kFeatures));
    return q;
  }

  ArmStore store;
  Searcher search;
};

TEST(LshSearch, LooksAtFewerArmsThanAScan) {
  ForcedTrees trees;
  trees.Add(20'000, 1);
  trees.Ask(0);
  const std::uint64_t before = trees.search.stats().arms_scored;
  EXPECT_EQ(before, 20'000U);
  for (std::uint64_t i = 1; i <= 50; ++i) trees.Ask(i);
  const SearchStats stats = trees.search.stats();
  EXPECT_GT(stats.directions, 0U);
  EXPECT_LT(stats.arms_scored - before, 50U * 20'000U / 3);
}

// Of two answers in turn one is removed, so that the other is there to be
// beaten by what trees find.
TEST(LshSearch, NeverBringsBackARemovedArm) {
  ForcedTrees trees;
  trees.Add(1000, 1);
  std::set<Slot> removed;
  for (std::uint64_t i = 0; i < 500; ++i) {
    trees.Ask(100 + i);
    const Slot slot = trees.Ask(i % 7).slot;
    ASSERT_FALSE(removed.contains(slot));
    removed.insert(slot);
    trees.search.Remove(slot);
  }
  EXPECT_EQ(trees.search.size(), 500U);
  EXPECT_LT(trees.search.stats().scans, 250U) << "trees were hardly asked";
}

// With all answers gone there is nothing to beat, and still an arm to find.
TEST(LshSearch, FindsAnArmAfterAllItsAnswersWereRemoved) {
  ForcedTrees trees;
  trees.Add(60, 1);
  for (std::uint64_t i = 0; i < 59; ++i) {
    const Slot slot = trees.Ask(i).slot;
    ASSERT_NE(slot, kNoSlot);
    trees.search.Remove(slot);
    trees.store.Remove(trees.store.id(slot));
  }
  EXPECT_EQ(trees.search.size(), 1U);
}

TEST(LshSearch, IsPlannedAnewWhenItHasFourTimesAsManyArms) {
  ForcedTrees trees;
  trees.Add(300, 1);
  trees.Ask(0);
  EXPECT_GT(trees.bytes(), 0U);
  trees.Add(900, 2);
  EXPECT_GT(trees.bytes(), 0U);
  trees.Add(1, 3);
  EXPECT_EQ(trees.bytes(), 0U);
  const std::uint64_t scans = trees.search.stats().scans;
  trees.Ask(2);
  EXPECT_GT(trees.bytes(), 0U);
  EXPECT_EQ(trees.search.stats().scans, scans + 1);
}

// In a range of lengths that has no trees yet.
TEST(LshSearch, FindsAMuchLongerArmThatArrivesLate) {
  ForcedTrees trees;
  trees.Add(500, 1);
  trees.Ask(0);
  int found = 0;
  for (std::uint64_t i = 1; i <= 16; ++i) {
    const Eigen::VectorXd q = ForcedTrees::Direction(i);
    std::vector<float> arm(ForcedTrees::kFeatures);
    for (std::size_t j = 0; j < arm.size(); ++j) {
      arm[j] = static_cast<float>(std::exp2(static_cast<double>(i)) *
                                  q[static_cast<Eigen::Index>(j)]);
    }
    const Slot slot = trees.store.Add(i, arm);
    trees.search.Add(std::span(&slot, 1));
    found += trees.Ask(i).slot == slot ? 1 : 0;
    trees.search.Remove(slot);
  }
  EXPECT_LT(trees.search.stats().scans, 8U);
  // Sixteen trees that find it with 0.9 at least: fewer than ten have
  // probability 6e-4, fewer than nine 7e-5.
  EXPECT_GE(found, 9);
}

// Below the sought score nothing need be found: the higher it is, the less is
// looked at, and beyond all reach nothing but the last answers.
TEST(LshSearch, LooksOnlyForWhatReachesTheSoughtScore) {
  const RowMatrix factor =
      Eigen::MatrixXd::Identity(ForcedTrees::kFeatures, ForcedTrees::kFeatures);
  const Query query{.factor = &factor, .exploration = 1};
  const auto looked_at = [&](double sought) {
    SearchTask task = Objective::kQuadraticForm;
    task.sought = Sought{.score = sought};
    ForcedTrees trees(task);
    trees.Add(1000, 1);
    trees.search.Best(query);
    const std::uint64_t before = trees.search.stats().arms_scored;
    EXPECT_TRUE(trees.search.Best(query).has_value());
    return trees.search.stats().arms_scored - before;
  };
  EXPECT_GT(looked_at(0), 1U);
  EXPECT_EQ(looked_at(1e6), 1U);
}

TEST(LshSearch, FindsFormsThatReachTheSoughtScore) {
  SearchTask task = Objective::kQuadraticForm;
  constexpr double kSoughtScore = 12;
  task.sought = Sought{.score = kSoughtScore};
  ForcedTrees trees(task);
  const auto slots = trees.Add(2000, 1);
  std::set<Slot> members(slots.begin(), slots.end());
  int there = 0;
  int found = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const RowMatrix factor =
        Eigen::MatrixXd::Identity(8, 8) * (0.3 + 0.7 * std::abs(std::sin(i)));
    const Hit hit =
        trees.search.Best({.factor = &factor, .exploration = 1}).value();
    ASSERT_TRUE(members.contains(hit.slot));
    double best = 0;
    for (const Slot slot : members) {
      std::vector<float> x(8);
      trees.store.CopyFeatures(slot, x);
      const Eigen::VectorXd v =
          Eigen::Map<const Eigen::VectorXf>(x.data(), 8).cast<double>();
      best = std::max(best, (factor * v).squaredNorm());
    }
    there += best >= kSoughtScore * 1.0001 ? 1 : 0;
    found += hit.score >= kSoughtScore ? 1 : 0;
    if (best < kSoughtScore * 0.9999) {
      EXPECT_LT(hit.score, kSoughtScore);
    }
    trees.search.Remove(hit.slot);
    members.erase(hit.slot);
  }
  EXPECT_GT(there, 50);
  EXPECT_GE(found, there * 8 / 10);
}

// A tree that does not fit is no reason to lose an arm.
TEST(LshSearch, TakesArmsWhoseTreesDoNotFit) {
  ArmStore store(200);
  Searcher search(LshOptions{.min_depth = 1, .max_bytes = 1e6},
                  Objective::kInnerProduct, store, 1);
  const auto slots =
      store.Add(testing::FirstIds(300), testing::GaussianRows(300, 200, 1));
  search.Add(slots);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(200);
  EXPECT_TRUE(search.Best({.direction = &q}).has_value());
  const Slot longer = store.Add(999, std::vector<float>(200, 100.0F));
  search.Add(std::span(&longer, 1));
  EXPECT_EQ(search.Best({.direction = &q})->slot, longer);
  search.Remove(longer);
  EXPECT_NE(search.Best({.direction = &q})->slot, longer);
}

}  // namespace
}  // namespace manyarms
