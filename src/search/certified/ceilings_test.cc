#include "search/certified/ceilings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "manyarms/random.h"

namespace manyarms {
namespace {

constexpr kernels::Radii kRadiiOfTest = {0, 0.5F, 0.75F, 1, 1.25F, 1.5F, 2, 3};

struct Bounds {
  float centre;
  float width;
};

std::vector<Bounds> RandomBounds(RandomStream& random, std::size_t count) {
  std::vector<Bounds> arms(count);
  for (Bounds& arm : arms) {
    arm.centre = static_cast<float>(random.Gaussian());
    arm.width = static_cast<float>(std::abs(random.Gaussian()));
  }
  return arms;
}

kernels::Ceiling Over(const std::vector<Bounds>& arms) {
  kernels::Ceiling ceiling = kernels::kNoCeiling;
  for (const auto& [centre, width] : arms) {
    Raise(ceiling, CeilingOf(kRadiiOfTest, centre, width));
  }
  return ceiling;
}

double Highest(const std::vector<Bounds>& arms, double radius,
               double curvature) {
  double highest = -1e30;
  for (const auto& [centre, width] : arms) {
    highest =
        std::max(highest, centre + radius * width + curvature * width * width);
  }
  return highest;
}

TEST(Ceilings, AreAboveAllArmsAtEveryRadius) {
  RandomStream random(1, RandomStream::Role::kArm, 0);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto arms = RandomBounds(random, 1 + random.Below(20));
    const kernels::Ceiling ceiling = Over(arms);
    for (int step = 0; step < 48; ++step) {
      const double radius = 0.21 * step;
      for (const double curvature : {0.0, 0.3, 5.0}) {
        EXPECT_GE(HeightAt(kRadiiOfTest, ceiling, radius, curvature),
                  Highest(arms, radius, curvature) - 1e-5);
      }
    }
  }
}

TEST(Ceilings, AreTheHighestArmAtTheirRadii) {
  RandomStream random(2, RandomStream::Role::kArm, 0);
  const auto arms = RandomBounds(random, 50);
  const kernels::Ceiling ceiling = Over(arms);
  for (const double radius : kRadiiOfTest) {
    EXPECT_NEAR(HeightAt(kRadiiOfTest, ceiling, radius, 0),
                Highest(arms, radius, 0), 1e-5);
  }
}

TEST(Ceilings, StayWhenArmsBelowThemJoin) {
  RandomStream random(3, RandomStream::Role::kArm, 0);
  const kernels::Ceiling ceiling = Over(RandomBounds(random, 10));
  int below = 0;
  for (const Bounds& arm : RandomBounds(random, 1000)) {
    kernels::Ceiling raised = ceiling;
    Raise(raised, CeilingOf(kRadiiOfTest, arm.centre, arm.width));
    const bool stays =
        raised.height == ceiling.height && raised.widest == ceiling.widest;
    EXPECT_EQ(IsBelow(kRadiiOfTest, ceiling, arm.centre, arm.width), stays);
    below += stays ? 1 : 0;
  }
  EXPECT_GT(below, 0);
  EXPECT_LT(below, 1000);
}

TEST(Ceilings, OverNoArmsAreBelowEveryScore) {
  EXPECT_LT(HeightAt(kRadiiOfTest, kernels::kNoCeiling, 1.1, 0), -1e30);
  EXPECT_LT(HeightAt(kRadiiOfTest, kernels::kNoCeiling, 100, 2), -1e30);
  EXPECT_FALSE(IsBelow(kRadiiOfTest, kernels::kNoCeiling, 0, 0));
}

}  // namespace
}  // namespace manyarms
