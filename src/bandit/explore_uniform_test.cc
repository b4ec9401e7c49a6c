// Choices that are drawn uniformly among the eligible arms.

#include <algorithm>
#include <cmath>
#include <set>

#include "manyarms/bandit.h"
#include "saved_bytes.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::FirstIds;
using testing::GaussianRows;

constexpr std::size_t kDim = 4;

Bandit MakeBandit(const BanditOptions& given, std::size_t arms) {
  BanditOptions options = given;
  options.dim = kDim;
  Bandit bandit(options);
  bandit.Add(FirstIds(arms), GaussianRows(arms, kDim, 1));
  return bandit;
}

double Reward(ArmId arm) { return static_cast<double>(arm % 13) / 13; }

// The 1 - 10^-6 quantile of chi-squared, by Wilson and Hilferty's cube, which
// is right to a percent for 8 degrees of freedom and more.
double ChiSquaredBound(double degrees) {
  const double z = 4.7534;
  const double c = 2 / (9 * degrees);
  return degrees * std::pow(1 - c + z * std::sqrt(c), 3);
}

double ChiSquared(const std::vector<int>& counts, double expected) {
  double sum = 0;
  for (const int count : counts) {
    sum += (count - expected) * (count - expected) / expected;
  }
  return sum;
}

// Of 20,000 choices, a share of 0.3 is uniform: 6,000 with a standard deviation
// of 65, so that 325 away has a probability below 10^-6. Arms that were removed
// leave holes among the slots, which must not show.
TEST(ExploreUniform, IsItsShareAndUniform) {
  for (const std::size_t left : {50U, 9U}) {
    Bandit bandit = MakeBandit({.explore_uniform = 0.3}, 300);
    for (ArmId id = left; id < 300; ++id) bandit.Remove(id);
    std::vector<int> counts(left);
    int uniform = 0;
    for (int t = 0; t < 20'000; ++t) {
      const Decision decision = bandit.Choose();
      EXPECT_EQ(decision.eligible, left);
      if (!decision.uniform) continue;
      ++uniform;
      ++counts[decision.arm];
      EXPECT_EQ(decision.score, 0);
    }
    EXPECT_NEAR(uniform, 6'000, 325);
    EXPECT_LT(ChiSquared(counts, static_cast<double>(uniform) /
                                     static_cast<double>(left)),
              ChiSquaredBound(static_cast<double>(left) - 1));
  }
}

// Among some arms, by ids or by a mask, in whatever order they are named.
TEST(ExploreUniform, IsUniformAmongEligibleArms) {
  Bandit by_ids = MakeBandit({.explore_uniform = 1}, 100);
  Bandit by_mask = MakeBandit({.explore_uniform = 1}, 100);
  std::vector<ArmId> ids;
  bool mask[100] = {};
  for (ArmId id = 90; id >= 3; id -= 3) {
    ids.push_back(id);
    mask[id] = true;
  }
  std::vector<int> counts(100);
  for (int t = 0; t < 30'000; ++t) {
    const Decision decision = by_ids.Choose(std::span<const ArmId>(ids));
    ASSERT_EQ(decision.arm, by_mask.Choose(std::span<const bool>(mask)).arm);
    ASSERT_EQ(decision.eligible, ids.size());
    ++counts[decision.arm];
  }
  std::vector<int> eligible;
  eligible.reserve(ids.size());
  for (const ArmId id : ids) eligible.push_back(counts[id]);
  EXPECT_EQ(ids.size(), 30U);
  EXPECT_LT(ChiSquared(eligible, 1'000), ChiSquaredBound(29));
}

// Every arm is in every place of a uniform slate equally often, and none twice.
TEST(ExploreUniform, DrawsWholeSlates) {
  for (const std::size_t count : {3U, 8U}) {  // by drawing and by shuffling
    constexpr std::size_t kArms = 10;
    Bandit bandit = MakeBandit({.explore_uniform = 1}, kArms);
    std::vector<int> places(kArms * count);
    for (int t = 0; t < 10'000; ++t) {
      const std::vector<Decision> slate = bandit.ChooseBest(count);
      ASSERT_EQ(slate.size(), count);
      std::set<ArmId> seen;
      for (std::size_t place = 0; place < count; ++place) {
        EXPECT_TRUE(slate[place].uniform);
        seen.insert(slate[place].arm);
        ++places[place * kArms + slate[place].arm];
      }
      ASSERT_EQ(seen.size(), count);
    }
    // Places are not independent, so each is tested for itself.
    for (std::size_t place = 0; place < count; ++place) {
      const auto at =
          places.begin() + static_cast<std::ptrdiff_t>(place * kArms);
      EXPECT_LT(ChiSquared({at, at + kArms}, 1'000), ChiSquaredBound(9));
    }
    EXPECT_EQ(bandit.ChooseBest(25).size(), kArms);
  }
}

// The slice changes nothing about the policy's own choices: before anything is
// learned, those that are not uniform are the ones of a bandit without it.
TEST(ExploreUniform, LeavesOtherChoicesAsTheyAre) {
  Bandit with = MakeBandit({.explore_uniform = 0.5}, 200);
  Bandit without = MakeBandit({}, 200);
  int uniform = 0;
  for (int t = 0; t < 400; ++t) {
    const Decision one = with.Choose();
    const Decision other = without.Choose();
    EXPECT_FALSE(other.uniform);
    uniform += one.uniform ? 1 : 0;
    if (one.uniform) continue;
    EXPECT_EQ(one.arm, other.arm);
  }
  EXPECT_GT(uniform, 100);
}

TEST(ExploreUniform, ServedExactlyByCertifiedSearch) {
  for (const PolicyOptions& policy : testing::Policies()) {
    Bandit certified =
        MakeBandit({.policy = policy,
                    .search = CertifiedOptions{.background = false},
                    .explore_uniform = 0.2},
                   2'000);
    Bandit scan = MakeBandit(
        {.policy = policy, .search = ScanOptions{}, .explore_uniform = 0.2},
        2'000);
    int uniform = 0;
    for (std::uint64_t t = 0; t < 600; ++t) {
      const Decision one = certified.Choose();
      const Decision other = scan.Choose();
      ASSERT_EQ(one.arm, other.arm) << t;
      ASSERT_EQ(one.uniform, other.uniform) << t;
      uniform += one.uniform ? 1 : 0;
      certified.Learn(one, Reward(one.arm));
      scan.Learn(other, Reward(other.arm));
      if (t % 10 == 9) {
        for (Bandit* bandit : {&certified, &scan}) {
          bandit->Remove(ArmId{t});
          bandit->Add(5'000 + t, GaussianRows(1, kDim, t));
        }
      }
    }
    EXPECT_GT(uniform, 60);
  }
}

TEST(ExploreUniform, ContinuesAfterLoading) {
  for (const PolicyOptions& policy : testing::Policies()) {
    Bandit bandit = MakeBandit({.policy = policy, .explore_uniform = 0.5}, 60);
    for (ArmId id = 10; id < 50; id += 2) bandit.Remove(id);
    for (int t = 0; t < 30; ++t) bandit.Learn(bandit.Choose(), t % 2);
    Bandit loaded = testing::Loaded(testing::Bytes(bandit));
    EXPECT_EQ(loaded.options(), bandit.options());
    for (int t = 0; t < 60; ++t) {
      const Decision one = bandit.Choose();
      const Decision other = loaded.Choose();
      ASSERT_EQ(one.arm, other.arm);
      ASSERT_EQ(one.uniform, other.uniform);
      ASSERT_EQ(one.eligible, other.eligible);
    }
    EXPECT_EQ(testing::Bytes(bandit), testing::Bytes(loaded));
  }
}

// A choice is drawn by its number, alone or together with others.
TEST(ExploreUniform, IsIndexedByTheDecision) {
  Bandit together = MakeBandit({.explore_uniform = 0.4}, 50);
  Bandit alone = MakeBandit({.explore_uniform = 0.4}, 50);
  for (const Decision& decision : together.ChooseDraws(100)) {
    const Decision other = alone.Choose();
    EXPECT_EQ(decision.arm, other.arm);
    EXPECT_EQ(decision.uniform, other.uniform);
  }
}

}  // namespace
}  // namespace manyarms
