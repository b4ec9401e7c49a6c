#include "service/load/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace manyarms::load {
namespace {

TEST(World, NamesAreReadBack) {
  const World world({.arms = 5000});
  std::set<std::string> names;
  for (std::uint64_t arm = 0; arm < 5000; ++arm) {
    const std::string name = world.NameOf(arm);
    EXPECT_EQ(world.NumberOf(name), arm) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 5000U);
  EXPECT_EQ(world.NameOf(168), "espresso-machine-0168");
  for (const char* name : {"espresso-machine-0169", "", "-", "0168",
                           "espresso-machine-", "espresso-machine-16x"}) {
    EXPECT_FALSE(world.NumberOf(name)) << name;
  }
}

TEST(World, IsAFunctionOfItsSeed) {
  const World one({.seed = 5});
  const World same({.seed = 5});
  const World other({.seed = 6});
  std::vector<float> a(16);
  std::vector<float> b(16);
  std::vector<float> c(16);
  one.Features(77, a);
  same.Features(77, b);
  other.Features(77, c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(one.Expected(3, 77), same.Expected(3, 77));
  EXPECT_EQ(one.TagsOf(77), same.TagsOf(77));
}

TEST(World, LearnersDifferAndHaveSomethingInCommon) {
  const World world({.seed = 2});
  double own = 0;
  double common = 0;
  for (std::uint64_t arm = 0; arm < 2000; ++arm) {
    const double first = world.Expected(0, arm);
    const double second = world.Expected(1, arm);
    own += (first - second) * (first - second);
    common += first * second;
  }
  EXPECT_GT(own / 2000, 0.1);
  EXPECT_GT(common / 2000, 0.1);
}

TEST(World, ClicksAreRareAndTheBestArmsAreClickedMostly) {
  const World world({.dim = 16, .clicks = true, .seed = 3});
  RandomStream random(1, RandomStream::Role::kNoise, 0);
  double sum = 0;
  double best = 0;
  constexpr int kArms = 20'000;
  for (int arm = 0; arm < kArms; ++arm) {
    const auto number = static_cast<std::uint64_t>(arm);
    const double reward = world.Reward(4, number, random);
    EXPECT_TRUE(reward == 0 || reward == 1);
    sum += reward;
    best = std::max(best, world.Expected(4, number));
  }
  EXPECT_GT(sum / kArms, 0.03);
  EXPECT_LT(sum / kArms, 0.35);
  EXPECT_GT(best, 0.7);
}

TEST(World, FirstLearnersComeMostOften) {
  const World world({.learners = 100, .zipf = 1});
  RandomStream random(1, RandomStream::Role::kVisit, 0);
  std::vector<int> times(100);
  for (int i = 0; i < 10'000; ++i) ++times.at(world.DrawLearner(random));
  EXPECT_GT(times[0], 3 * times[9]);
  EXPECT_GT(times[9], times[90]);
}

}  // namespace
}  // namespace manyarms::load
