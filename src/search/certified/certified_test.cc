#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ostream>
#include <string>

#include "kernels/arm_set.h"
#include "posterior/posterior.h"
#include "search/scan/scan.h"
#include "search/searcher.h"
#include "testing.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

constexpr double kRadius = 2;

// A certified search and a scan over the same arms, driven side by side
// through whatever can happen to them.
class SideBySide {
 public:
  SideBySide(Objective objective, const CertifiedOptions& options,
             std::size_t dim, double regularisation, std::uint64_t seed)
      : objective_(objective),
        random_(seed, Role::kChurn, dim),
        store_(dim),
        posterior_(dim, regularisation),
        certified_(std::make_unique<Searcher>(options, objective, store_, 1)),
        scan_(ScanOptions{}, objective, store_, 1) {}

  // Arms of one length, among them some zero and some equal to others.
  void Add(std::size_t count, float length) {
    std::vector<float> row(store_.dim());
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < count; ++i) {
      if (random_.Below(20) != 0) {
        RandomStream(random_.Bits(), Role::kArm, 0).Gaussians(row);
        for (float& value : row) value *= length;
      }
      if (random_.Below(50) == 0) std::ranges::fill(row, 0.0F);
      slots.push_back(store_.Add(random_.Bits(), row));
    }
    certified_->Add(slots);
    scan_.Add(slots);
    slots_.insert(slots_.end(), slots.begin(), slots.end());
  }

  void Remove(std::size_t count) {
    for (std::size_t i = 0; i < count && !slots_.empty(); ++i) {
      std::swap(slots_[random_.Below(slots_.size())], slots_.back());
      Forget(slots_.back());
      slots_.pop_back();
    }
  }

  // Removes the best arm so far: the search must find the next.
  void RemoveBest() {
    if (last_ == kNoSlot || std::erase(slots_, last_) == 0) return;
    Forget(last_);
    last_ = kNoSlot;
  }

  void Clear() {
    certified_->Clear();
    scan_.Clear();
    for (const Slot slot : slots_) store_.Remove(store_.id(slot));
    slots_.clear();
  }

  // A choice and its reward. With `far` the query has nothing to do with what
  // was learned.
  // Returns whether both searches gave the same answer.
  [[nodiscard]] bool Choose(bool far = false) {
    Eigen::VectorXd xi(static_cast<Eigen::Index>(store_.dim()));
    RandomStream(random_.Bits(), Role::kSample, 0)
        .Gaussians(std::span(xi.data(), store_.dim()));
    Eigen::VectorXd direction = posterior_.Mean();
    if (objective_ == Objective::kInnerProduct) {
      direction = posterior_.Sample(kRadius, {xi.data(), store_.dim()});
    }
    if (far) direction = 100 * xi;
    const RowMatrix factor = posterior_.InverseFactor();
    const Query query{.belief = &posterior_,
                      .direction = &direction,
                      .factor = &factor,
                      .exploration = kRadius};
    const std::optional<Hit> found = certified_->Best(query);
    const std::optional<Hit> expected = scan_.Best(query);
    if (found.has_value() != expected.has_value()) return false;
    if (!found) return true;
    if (found->score != expected->score || found->slot != expected->slot) {
      return false;
    }
    if (asks_for_top_ && !TopIsTheScans(query)) return false;
    last_ = found->slot;
    std::vector<float> features(store_.dim());
    store_.CopyFeatures(found->slot, features);
    posterior_.Update(features, 3 * features[0] + xi[0]);
    return true;
  }

  // Replaces the arm in a slot without telling the searches.
  void ChangeBehindTheSearchsBack(Slot slot, std::span<const float> features) {
    store_.Remove(store_.id(slot));
    ASSERT_EQ(store_.Add(12345, features), slot);
  }

  // The number of arms in the answer to a request for the `count` best arms by
  // the mean.
  std::size_t TopScored(std::size_t count) {
    const Eigen::VectorXd direction = posterior_.Mean();
    const RowMatrix factor = posterior_.InverseFactor();
    return certified_
        ->Top({.belief = &posterior_,
               .direction = &direction,
               .factor = &factor,
               .exploration = kRadius},
              {.count = count})
        .size();
  }

  void set_asks_for_top(bool asks) { asks_for_top_ = asks; }
  SearchStats stats() const { return certified_->stats(); }
  std::size_t memory_bytes() const {
    return certified_->finder().memory_bytes();
  }
  Slot last() const { return last_; }
  std::size_t size() const { return slots_.size(); }

 private:
  // The top k of all arms, or of few, many or most of them.
  bool TopIsTheScans(const Query& query) {
    ArmSet among;
    const std::uint64_t one_in =
        std::array<std::uint64_t, 5>{0, 0, 1, 3, 50}[random_.Below(5)];
    if (one_in > 0) {
      for (const Slot slot : slots_) {
        if (random_.Below(one_in) == 0) among.Add(slot);
      }
    }
    const TopRequest request{
        .count = std::array<std::size_t, 5>{1, 2, 10, 300,
                                            100'000}[random_.Below(5)],
        .among = one_in > 0 ? &among : nullptr};
    const std::vector<Hit> found = certified_->Top(query, request);
    const std::vector<Hit> expected = scan_.Top(query, request);
    return std::ranges::equal(found, expected, [](const Hit& a, const Hit& b) {
      return a.slot == b.slot && a.score == b.score;
    });
  }

  void Forget(Slot slot) {
    certified_->Remove(slot);
    scan_.Remove(slot);
    store_.Remove(store_.id(slot));
  }

  const Objective objective_;
  RandomStream random_;
  ArmStore store_;
  Posterior posterior_;
  std::unique_ptr<Searcher> certified_;
  Searcher scan_;
  std::vector<Slot> slots_;
  Slot last_ = kNoSlot;
  bool asks_for_top_ = false;  // with every choice
};

struct Case {
  const char* name;
  Objective objective;
  bool background;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.name;
  }
};

class Certified : public ::testing::TestWithParam<Case> {
 protected:
  static SideBySide Make(std::size_t dim, double regularisation = 1,
                         std::uint64_t seed = 1) {
    return {GetParam().objective,
            {.background = GetParam().background},
            dim,
            regularisation,
            seed};
  }
};

// Tests that count the arms that all choices score. In the background it
// depends on the machine when a survey is ready, and so does that count.
class CertifiedInForeground : public Certified {};

// Tests of surveys that are taken on another thread.
class CertifiedInBackground : public Certified {};

// Tests of the order, which a quadratic form does not have.
class CertifiedOrder : public Certified {};

constexpr Case kProduct = {"Product", Objective::kInnerProduct, true};
constexpr Case kForm = {"Form", Objective::kQuadraticForm, true};
constexpr Case kOptimism = {"Optimism", Objective::kOptimism, true};
constexpr Case kQuadratic = {"QuadraticOptimism", Objective::kQuadraticOptimism,
                             true};
constexpr Case kProductInForeground = {"ProductInForeground",
                                       Objective::kInnerProduct, false};
constexpr Case kFormInForeground = {"FormInForeground",
                                    Objective::kQuadraticForm, false};
constexpr Case kOptimismInForeground = {"OptimismInForeground",
                                        Objective::kOptimism, false};
constexpr Case kQuadraticInForeground = {"QuadraticOptimismInForeground",
                                         Objective::kQuadraticOptimism, false};

std::string NameOf(const ::testing::TestParamInfo<Case>& c) {
  return c.param.name;
}

INSTANTIATE_TEST_SUITE_P(EveryObjective, Certified,
                         ::testing::Values(kProduct, kForm, kOptimism,
                                           kQuadratic, kProductInForeground,
                                           kFormInForeground,
                                           kOptimismInForeground,
                                           kQuadraticInForeground),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(EveryObjective, CertifiedInForeground,
                         ::testing::Values(kProductInForeground,
                                           kFormInForeground,
                                           kOptimismInForeground,
                                           kQuadraticInForeground),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(EveryObjective, CertifiedInBackground,
                         ::testing::Values(kProduct, kOptimism, kQuadratic),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(EveryObjective, CertifiedOrder,
                         ::testing::Values(kProduct, kOptimism, kQuadratic,
                                           kProductInForeground,
                                           kOptimismInForeground,
                                           kQuadraticInForeground),
                         NameOf);

TEST_P(Certified, AnswersAsAScanDoesWhateverHappens) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const std::size_t dim = *rc::gen::element<std::size_t>(1, 2, 5, 16, 33);
    const double regularisation = *rc::gen::element(1.0, 1e-6, 1e4);
    SideBySide both = Make(dim, regularisation, seed);
    both.set_asks_for_top(seed % 2 == 0);
    both.Add(5000, 1);
    const auto events =
        *rc::gen::container<std::vector<int>>(60, rc::gen::inRange(0, 12));
    for (const int event : events) {
      switch (event) {
        case 0:
          both.Add(300, 1);
          break;
        case 1:
          both.Add(40, *rc::gen::element(1e-30F, 1e-3F, 30.0F, 1e4F));
          break;
        case 2:
          both.Remove(200);
          break;
        case 3:
          for (int i = 0; i < 30; ++i) {
            both.RemoveBest();
            RC_ASSERT(both.Choose());
          }
          break;
        case 4:
          RC_ASSERT(both.Choose(/*far=*/true));
          break;
        case 5:
          if (seed % 4 == 0) both.Clear();
          break;
        default:
          for (int i = 0; i < 20; ++i) {
            RC_ASSERT(both.Choose());
          }
      }
    }
  }));
}

// What is compared above must not come from scans alone. In the background it
// depends on the machine when a survey is ready; a minute is far more than a
// survey needs.
TEST_P(CertifiedOrder, FindsTheTopByItsOrder) {
  constexpr std::size_t kArms = 20000;
  constexpr std::uint64_t kTops = 200;
  SideBySide both = Make(4);
  both.Add(kArms, 1);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(both.Choose());
  const auto scored_by_tops = [&] {
    const std::uint64_t before = both.stats().arms_scored;
    for (std::uint64_t i = 0; i < kTops; ++i) {
      EXPECT_EQ(both.TopScored(20), 20U);
    }
    return both.stats().arms_scored - before;
  };
  const auto give_up =
      std::chrono::steady_clock::now() + std::chrono::minutes(1);
  std::uint64_t scored = scored_by_tops();
  while (GetParam().background && scored >= kTops * kArms / 10 &&
         std::chrono::steady_clock::now() < give_up) {
    ASSERT_TRUE(both.Choose());
    scored = scored_by_tops();
  }
  EXPECT_GE(both.stats().snapshots, 1U);
  EXPECT_LT(scored, kTops * kArms / 10);
}

// The search must not be exact only because it scores all arms.
TEST_P(CertifiedInForeground, LooksAtFewArms) {
  SideBySide both = Make(8);
  both.Add(40000, 1);
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(both.Choose());
  EXPECT_GE(both.stats().snapshots, 1U);
  EXPECT_LT(both.stats().arms_scored, 3000U * 40000U / 20);
}

// With many features the first order is of little use. Others must follow it.
TEST_P(CertifiedInForeground, LooksAtFewArmsOfManyFeatures) {
  SideBySide both = Make(32);
  both.Add(20000, 1);
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(both.Choose());
  EXPECT_LT(both.stats().arms_scored, 1500U * 20000U / 2);
}

// A small order must be walked as well, not given up before its first block.
TEST_P(CertifiedInForeground, LooksAtFewOfFewArms) {
  for (const std::size_t arms : {300U, 1000U, 3000U}) {
    SideBySide both = Make(4);
    both.Add(arms, 1);
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(both.Choose());
    const std::uint64_t before = both.stats().arms_scored;
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(both.Choose());
    EXPECT_LT(both.stats().arms_scored - before, 1000U * arms / 2) << arms;
  }
}

// If nearly all arms are equal, they must not all become contenders.
TEST_P(CertifiedInForeground, BearsManyEqualArms) {
  SideBySide both = Make(4);
  both.Add(3000, 1);
  both.Add(60000, 0);
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(both.Choose());
  EXPECT_LT(both.stats().arms_scored, 500U * 63000U / 4);
}

TEST_P(CertifiedInForeground, TakesNewArmsInWithoutScoringThemForEver) {
  SideBySide both = Make(8);
  both.Add(20000, 1);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(both.Choose());
  for (int i = 0; i < 300; ++i) {
    both.Add(20, 1);
    ASSERT_TRUE(both.Choose());
  }
  const std::uint64_t before = both.stats().arms_scored;
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(both.Choose());
  // If every choice scored all of the 6,000 new arms, this would be more.
  EXPECT_LT(both.stats().arms_scored - before, 300U * 3000U);
}

TEST_P(Certified, CanBeClearedAndDestroyedAtAnyMoment) {
  for (int round = 0; round < 20; ++round) {
    SideBySide both = Make(16);
    for (int fill = 0; fill < 2; ++fill) {
      both.Add(40000, 1);
      for (int i = 0; i < 1 + round; ++i) ASSERT_TRUE(both.Choose());
      if (fill == 0) both.Clear();
    }
  }
}

// A survey that is under way is given up when the arms are cleared or the
// search is destroyed. It depends on the machine whether a survey is still
// under way then, so the test is repeated until this was so five times for
// each.
TEST_P(CertifiedInBackground, CanBeClearedAndDestroyedDuringASurvey) {
  constexpr int kMostRounds = 200;
  int cleared = 0;
  int destroyed = 0;
  // Adds arms and chooses until a survey has begun. Returns whether it has not
  // been installed since.
  const auto survey_is_under_way = [](SideBySide& both) {
    const SearchStats before = both.stats();
    both.Add(100000, 1);
    for (int i = 0;
         i < 1000 && both.stats().arms_bounded == before.arms_bounded; ++i) {
      EXPECT_TRUE(both.Choose());
    }
    return both.stats().arms_bounded > before.arms_bounded &&
           both.stats().snapshots == before.snapshots;
  };
  for (int round = 0; round < kMostRounds && (cleared < 5 || destroyed < 5);
       ++round) {
    SideBySide both = Make(16, 1, static_cast<std::uint64_t>(round));
    if (round % 2 == 0) {
      cleared += survey_is_under_way(both) ? 1 : 0;
      both.Clear();
      both.Add(1000, 1);
      for (int i = 0; i < 20; ++i) ASSERT_TRUE(both.Choose());
    } else {
      destroyed += survey_is_under_way(both) ? 1 : 0;
    }
  }
  EXPECT_GE(cleared, 5) << "no survey was under way";
  EXPECT_GE(destroyed, 5) << "no survey was under way";
}

// Fresh arms take eight bytes for each block in which there are any. If a tenth
// of the arms, all over the catalogue, is replaced by longer ones, order and
// fresh arms together exceed the limit, although fresh arms are few.
TEST(CertifiedSearch, DropsItsOrderWhenFreshArmsExceedTheMemory) {
  constexpr std::size_t kArms = 100'000;
  constexpr std::size_t kReplaced = kArms / 10;
  constexpr std::size_t kMaxBytes = 32'000;
  for (const Objective objective :
       {Objective::kInnerProduct, Objective::kOptimism}) {
    // The arms that the first choice after the replacement scores.
    const auto scored_afterwards = [&](std::size_t max_bytes) {
      SideBySide both(objective, {.background = false, .max_bytes = max_bytes},
                      4, 1, 1);
      both.Add(kArms, 1);
      const auto choose = [&] {
        const std::uint64_t before = both.stats().arms_scored;
        EXPECT_TRUE(both.Choose());
        if (max_bytes > 0) {
          EXPECT_LE(both.memory_bytes(), max_bytes);
        }
        return both.stats().arms_scored - before;
      };
      // Until an order is in use and no other is about to be made.
      int settled = 0;
      for (int i = 0; i < 2000 && settled < 100; ++i) {
        settled = choose() < kArms / 10 ? settled + 1 : 0;
      }
      EXPECT_EQ(settled, 100) << "no order was in use";
      both.Remove(kReplaced);
      both.Add(kReplaced, 10);
      const std::uint64_t scored = choose();
      for (int i = 0; i < 300; ++i) choose();
      return scored;
    };
    EXPECT_EQ(scored_afterwards(kMaxBytes), kArms);
    // Without a limit the order stays.
    EXPECT_LT(scored_afterwards(0), kArms / 2);
  }
}

TEST(CertifiedSearch, ReportsAWrongAnswer) {
  SideBySide both(Objective::kInnerProduct,
                  {.background = false, .check_every = 10}, 4, 1, 1);
  both.Add(40000, 1);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(both.Choose());
  EXPECT_EQ(both.stats().checks, 30U);
  both.ChangeBehindTheSearchsBack(both.last(), std::vector<float>(4, 1000.0F));
  testing::ExpectError(ErrorCode::kWrongAnswer,
                       {"arm 12345", "answer 310", "40000"}, [&] {
                         for (int i = 0; i < 10; ++i) (void)both.Choose();
                       });
}

}  // namespace
}  // namespace manyarms
