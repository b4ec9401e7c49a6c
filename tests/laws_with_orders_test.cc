#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>

#include "policy_laws.h"

namespace manyarms {
namespace {

// Laws of certified search once it has an order of the arms, without which it
// is a scan: each begins with a survey that has been installed and is in use.
// (elim has no orders.)
class LawsWithOrders : public PolicyLaws {
 protected:
  static constexpr ArmId kArms = 3000;

  LawsWithOrders()
      : bandit_(MakeBandit()),
        scan_({.dim = kDim,
               .policy = GetParam().policy,
               .search = ScanOptions{},
               .seed = 1}) {
    AddArms(bandit_, 0, kArms);
    AddArms(scan_, 0, kArms);
  }

  static bool in_background() {
    return std::get<CertifiedOptions>(GetParam().search).background;
  }

  // Steps until `done` holds. In the foreground that depends on the number of
  // steps alone. In the background, when a survey is ready depends on the
  // machine; a minute is far more than any needs.
  template <class Work, class Done>
  static void StepUntil(const Work& step, const Done& done) {
    constexpr int kMostSteps = 3000;
    const auto give_up =
        std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (int t = 0; !done(); ++t) {
      if (in_background()) {
        ASSERT_TRUE(std::chrono::steady_clock::now() < give_up)
            << "no survey was installed";
      } else {
        ASSERT_LT(t, kMostSteps) << "no survey was installed";
      }
      ASSERT_NO_FATAL_FAILURE(step());
    }
  }

  // The same choice by both bandits, and its reward.
  void Choose(const Eligible& eligible = {}) {
    const Decision decision = bandit_.Choose(eligible);
    const Decision expected = scan_.Choose(eligible);
    ASSERT_EQ(decision.id, expected.id);
    ASSERT_EQ(decision.arm, expected.arm);
    ASSERT_EQ(decision.score, expected.score);
    bandit_.Learn(decision, Mean(decision.arm));
    scan_.Learn(expected, Mean(expected.arm));
    last_ = decision.arm;
  }

  // Chooses until there is an order and a choice has scored far fewer arms than
  // there are.
  void ChooseUntilAnOrderIsInUse() {
    bool in_use = false;
    const auto choose = [&] {
      const std::uint64_t scored = bandit_.stats().arms_scored;
      ASSERT_NO_FATAL_FAILURE(Choose());
      in_use = bandit_.stats().arms_scored - scored < bandit_.size() / 2;
    };
    ASSERT_NO_FATAL_FAILURE(StepUntil(choose, [&] { return in_use; }));
    ASSERT_GE(bandit_.stats().snapshots, 1U);
  }

  void Remove(ArmId id) {
    bandit_.Remove(id);
    scan_.Remove(id);
  }
  void Add(ArmId id) {
    bandit_.Add(id, Row(id));
    scan_.Add(id, Row(id));
  }

  Bandit bandit_;
  Bandit scan_;  // decides the same
  ArmId last_ = 0;
};

INSTANTIATE_TEST_SUITE_P(
    Certified, LawsWithOrders,
    ::testing::ValuesIn(CombinationsWhere([](const Combination& c) {
      return Has<CertifiedOptions>(c.search) &&
             !Has<EliminationOptions>(c.policy);
    })),
    NameOf);

// Saved with an order in use, which is not saved: the loaded bandit goes on
// without, and takes a survey of its own.
TEST_P(LawsWithOrders, GoesOnAfterLoadingAsItWouldHaveWithout) {
  ASSERT_NO_FATAL_FAILURE(ChooseUntilAnOrderIsInUse());
  std::vector<Decision> waiting = bandit_.ChooseDraws(10);
  ArmId next = kArms;
  const auto churn = [&](Bandit& one) {
    one.Remove(one.Ids()[next % one.size()]);
    one.Add(next, Row(next));
  };
  for (int i = 0; i < 100; ++i, ++next) churn(bandit_);

  std::stringstream file;
  bandit_.Save(file);
  Bandit loaded = Bandit::Load(file);
  EXPECT_EQ(loaded.Ids(), bandit_.Ids());
  EXPECT_EQ(loaded.pending(), 10U);
  EXPECT_EQ(loaded.stats().snapshots, 0U);
  for (const Decision& decision : waiting) {
    bandit_.Learn(decision, 0.5);
    loaded.Learn(decision, 0.5);
  }
  const auto live = [&] {
    const Decision expected = bandit_.Choose();
    const Decision decision = loaded.Choose();
    ASSERT_EQ(decision.id, expected.id);
    ASSERT_EQ(decision.arm, expected.arm);
    ASSERT_EQ(decision.score, expected.score);
    bandit_.Learn(expected, Mean(expected.arm));
    loaded.Learn(decision, Mean(decision.arm));
    if (decision.id % 10 == 0) {
      churn(bandit_);
      churn(loaded);
      ++next;
    }
  };
  ASSERT_NO_FATAL_FAILURE(
      StepUntil(live, [&] { return loaded.stats().snapshots >= 1; }));
  for (int t = 0; t < 200; ++t) ASSERT_NO_FATAL_FAILURE(live());
}

// The order's best contenders leave one after another.
TEST_P(LawsWithOrders, NeverChoosesARemovedArm) {
  ASSERT_NO_FATAL_FAILURE(ChooseUntilAnOrderIsInUse());
  const std::uint64_t scored = bandit_.stats().arms_scored;
  std::set<ArmId> removed;
  for (int t = 0; t < 500; ++t) {
    ASSERT_NO_FATAL_FAILURE(Choose());
    ASSERT_TRUE(removed.insert(last_).second);
    Remove(last_);
  }
  EXPECT_EQ(bandit_.size(), kArms - 500);
  // A scan would have scored all that were left, 2,750 on average.
  EXPECT_LT(bandit_.stats().arms_scored - scored, 500U * 2750);
}

// An order is of all arms; of those that are eligible it must find the best.
TEST_P(LawsWithOrders, ChoosesEligibleArmsAndSlatesAsAScanDoes) {
  ASSERT_NO_FATAL_FAILURE(ChooseUntilAnOrderIsInUse());
  const std::vector<ArmId> all = bandit_.Ids();
  ASSERT_EQ(all, scan_.Ids());
  const auto mask = std::make_unique<bool[]>(all.size());
  const std::span<const bool> some(mask.get(), all.size());
  const auto expect_same = [](const std::vector<Decision>& found,
                              const std::vector<Decision>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].id, expected[i].id);
      ASSERT_EQ(found[i].arm, expected[i].arm);
      ASSERT_EQ(found[i].score, expected[i].score);
    }
  };
  std::uint64_t scored_for_slates = 0;
  std::uint64_t scored_for_eligible = 0;
  for (ArmId t = 0; t < 100; ++t) {
    for (std::size_t i = 0; i < all.size(); ++i) mask[i] = all[i] % 3 != t % 3;
    const std::uint64_t before = bandit_.stats().arms_scored;
    ASSERT_NO_FATAL_FAILURE(
        expect_same(bandit_.ChooseBest(5), scan_.ChooseBest(5)));
    const std::uint64_t between = bandit_.stats().arms_scored;
    ASSERT_NO_FATAL_FAILURE(Choose(some));
    ASSERT_NE(last_ % 3, t % 3);
    scored_for_slates += between - before;
    scored_for_eligible += bandit_.stats().arms_scored - between;

    ASSERT_NO_FATAL_FAILURE(
        expect_same(bandit_.ChooseBest(20, some), scan_.ChooseBest(20, some)));
    ASSERT_NO_FATAL_FAILURE(
        expect_same(bandit_.ChooseDraws(2, some), scan_.ChooseDraws(2, some)));
    const std::vector<ArmId> few = {t, t + 1000, t + 2000};
    ASSERT_NO_FATAL_FAILURE(Choose(few));
    ASSERT_TRUE(std::ranges::count(few, last_) > 0);
  }
  // Scans would have scored 3,000 and 2,000 arms each time.
  EXPECT_LT(scored_for_slates, 100 * kArms / 2);
  EXPECT_LT(scored_for_eligible, 100 * kArms * 2 / 3 / 2);
}

TEST_P(LawsWithOrders, TakesUpABetterArmThatArrivesLate) {
  ASSERT_NO_FATAL_FAILURE(ChooseUntilAnOrderIsInUse());
  const std::vector<float> better(kDim, 50.0F);
  bandit_.Add(kArms, better);
  scan_.Add(kArms, better);
  int taken = 0;
  for (int t = 0; t < 100; ++t) {
    const Decision decision = bandit_.Choose();
    ASSERT_EQ(decision.arm, scan_.Choose().arm);
    taken += decision.arm == kArms ? 1 : 0;
    const double reward = decision.arm == kArms ? 200 : Mean(decision.arm);
    bandit_.Learn(decision, reward);
    scan_.Learn(decision, reward);
  }
  EXPECT_GT(taken, 90);
}

// Arms that come and go for a long time while orders are used. (An order may
// stay good for all of it: new arms join its rest.)
TEST_P(LawsWithOrders, TakesNoMoreMemoryHoweverManyArmsCameAndWent) {
  ASSERT_NO_FATAL_FAILURE(ChooseUntilAnOrderIsInUse());
  ArmId next = kArms;
  const auto churn = [&](int rounds) {
    for (int round = 0; round < rounds; ++round, ++next) {
      Remove(next - kArms);
      Add(next);
      if (round % 10 != 0) continue;
      ASSERT_NO_FATAL_FAILURE(Choose());
    }
  };
  ASSERT_NO_FATAL_FAILURE(churn(10'000));
  const std::size_t before = HeapBytes();
  const std::uint64_t scored = bandit_.stats().arms_scored;
  ASSERT_NO_FATAL_FAILURE(churn(30'000));
  // Of 3,000 choices, some without an order: scans would score 9 million arms.
  EXPECT_LT(bandit_.stats().arms_scored - scored, 3'000'000U);
  // 30,000 arms forgotten would take 30,000 times some 100 bytes at least; an
  // order of all 3,000 arms has some 150,000.
  EXPECT_LT(HeapBytes(), before + 500'000);
}

}  // namespace
}  // namespace manyarms
