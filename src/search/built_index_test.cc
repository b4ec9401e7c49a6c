// Graphs and trees that follow the arms of a store, while other threads ask and
// between the store's change and the moment at which the index is told.

#include "search/built_index.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <thread>

#include "manyarms/random.h"
#include "search/scan/scan.h"
#include "testing.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

constexpr std::size_t kDim = 4;
constexpr std::size_t kArms = 400;
constexpr std::size_t kFewest = 40;

// Sanitizers make all of this slower by ten times or more.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kSteps = 200;
#else
constexpr int kSteps = 500;
#endif

struct Case {
  std::string name;
  SearchOptions search;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.name;
  }
};

Eigen::VectorXd Direction(std::uint64_t number) {
  Eigen::VectorXd direction(kDim);
  RandomStream(5, Role::kTheta, number)
      .Gaussians(std::span(direction.data(), kDim));
  return direction;
}

class Built : public ::testing::TestWithParam<Case> {
 protected:
  Built()
      : index_(MakeIndex(GetParam().search, Objective::kInnerProduct, store_,
                         Scope::kAllArms, 1)),
        finder_(index_->MakeFinder()),
        scan_(*index_) {
    index_->Add(AddToStore(kArms));
  }

  const BuiltIndex& built() const {
    return dynamic_cast<const BuiltIndex&>(*index_);
  }

  std::vector<float> NewRows(std::size_t count) {
    std::vector<float> rows = testing::GaussianRows(count, kDim, ++batches_);
    // Longer ones now and then, for which graphs are built anew.
    if (batches_ % 40 == 0) {
      longest_ *= 1.2F;
      for (float& value : rows) value *= longest_;
    }
    return rows;
  }

  std::vector<Slot> AddToStore(std::size_t count) {
    std::vector<ArmId> ids(count);
    for (ArmId& id : ids) id = next_id_++;
    return store_.Add(ids, NewRows(count));
  }

  std::vector<Slot> RemoveFromStore(std::size_t count) {
    const std::vector<Slot> slots = SomeArms(count);
    store_.Remove(slots);
    return slots;
  }

  std::vector<Slot> ReplaceInStore(std::size_t count) {
    const std::vector<Slot> slots = SomeArms(count);
    store_.Replace(slots, NewRows(count));
    return slots;
  }

  std::vector<Slot> SomeArms(std::size_t count) {
    std::vector<Slot> slots = store_.Slots();
    RandomStream random(6, Role::kChurn, ++batches_);
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(slots[i], slots[i + random.Below(slots.size() - i)]);
    }
    slots.resize(count);
    return slots;
  }

  // Whether answers are arms of the store, each once, with their scores.
  [[nodiscard]] bool AnswersAreArms(Finder& finder,
                                    std::uint64_t number) const {
    const Eigen::VectorXd direction = Direction(number);
    const Query query{.direction = &direction};
    std::vector<Hit> hits = finder.Top(query, {.count = 5});
    if (hits.size() != 5) return false;
    std::set<Slot> distinct;
    for (const Hit& hit : hits) distinct.insert(hit.slot);
    if (distinct.size() != 5) return false;
    const std::optional<Hit> best = finder.Best(query);
    if (!best) return false;
    hits.push_back(*best);
    return std::ranges::all_of(hits, [&](const Hit& hit) {
      if (!store_.members().Contains(hit.slot)) return false;
      std::array<float, kDim> row{};
      store_.CopyFeatures(hit.slot, row);
      double score = 0;
      for (std::size_t j = 0; j < kDim; ++j) {
        score += direction[static_cast<Eigen::Index>(j)] * row[j];
      }
      return std::abs(hit.score - score) < 1e-4 * (1 + std::abs(score));
    });
  }

  // Asks between the store's change and the moment at which the index is told.
  void ExpectScansAnswers() {
    for (std::uint64_t i = 0; i < 10; ++i) {
      const Eigen::VectorXd direction = Direction(i);
      const std::optional<Hit> found = finder_->Best({.direction = &direction});
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->slot, scan_.Best({.direction = &direction})->slot);
      EXPECT_TRUE(AnswersAreArms(*finder_, i));
    }
  }

  void ExpectToHaveAllArms() {
    for (std::uint64_t i = 0; i < 10; ++i) {
      EXPECT_TRUE(AnswersAreArms(*finder_, i));
    }
    EXPECT_EQ(built().BuiltArms(), store_.Slots());
  }

  ArmStore store_{kDim};
  std::unique_ptr<Index> index_;
  std::unique_ptr<Finder> finder_;
  ScanFinder scan_;
  ArmId next_id_ = 0;
  std::uint64_t batches_ = 0;
  float longest_ = 1;
};

// Before the first question, and when a quarter of a graph is dead, the next
// question would build graphs and trees.
TEST_P(Built, ScansUntilToldOfNewArms) {
  for (int round = 0; round < 3; ++round) {
    const std::vector<Slot> slots = AddToStore(150);
    ExpectScansAnswers();
    index_->Add(slots);
    ExpectToHaveAllArms();
    index_->Remove(RemoveFromStore(200));
  }
  ExpectToHaveAllArms();
}

TEST_P(Built, ScansUntilToldOfArmsThatAreGone) {
  for (int round = 0; round < 3; ++round) {
    const std::vector<Slot> slots = RemoveFromStore(150);
    ExpectScansAnswers();
    index_->Remove(slots);
    ExpectToHaveAllArms();
    index_->Add(AddToStore(150));
  }
  ExpectToHaveAllArms();
}

TEST_P(Built, ScansUntilToldOfOtherFeatures) {
  for (int round = 0; round < 3; ++round) {
    const std::vector<Slot> slots = ReplaceInStore(150);
    ExpectScansAnswers();
    index_->Replace(slots);
    ExpectToHaveAllArms();
  }
}

TEST_P(Built, IsAskedByTwoThreadsWhileAThirdChangesArms) {
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> asked = 0;
  std::atomic<std::uint64_t> wrong = 0;
  const auto ask = [&](std::uint64_t number) {
    const auto finder = index_->MakeFinder();
    for (; !done; number += 2, ++asked) {
      const auto lock = store_.ReadLock();
      if (!AnswersAreArms(*finder, number)) ++wrong;
    }
  };
  std::thread odd(ask, 1);
  std::thread even(ask, 0);
  // Now many arms, now few, so that graphs and trees are built anew.
  bool fewer = true;
  for (int step = 0; step < kSteps; ++step) {
    const std::uint64_t before = asked;
    if (store_.size() >= kArms) fewer = true;
    if (store_.size() <= kFewest) fewer = false;
    if (fewer) {
      index_->Remove(RemoveFromStore(10));
    } else {
      index_->Add(AddToStore(10));
    }
    if (step % 10 == 0) index_->Replace(ReplaceInStore(5));
    while (asked < before + 2) std::this_thread::yield();
  }
  done = true;
  odd.join();
  even.join();
  EXPECT_EQ(wrong, 0U);
  ExpectToHaveAllArms();
  // If an arm were in a graph twice, it would be found after its removal.
  while (store_.size() > kFewest) {
    index_->Remove(RemoveFromStore(10));
    EXPECT_TRUE(AnswersAreArms(*finder_, store_.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    EverySearch, Built,
    ::testing::Values(
        Case{"Hnsw", HnswOptions{.shortlist = 10, .build_effort = 20}},
        Case{"HnswRaw",
             HnswOptions{.shortlist = 10,
                         .metric = HnswOptions::Metric::kInnerProduct,
                         .build_effort = 20}},
        Case{"LshTrees", LshOptions{.min_depth = 1}},
        Case{"LshTheory", LshTheoryOptions{.accuracy = 1, .copies = 2}}),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace manyarms
