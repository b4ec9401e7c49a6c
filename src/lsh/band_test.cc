#include "lsh/band.h"

#include <cmath>
#include <limits>

#include "lsh/sphere.h"
#include "testing.h"

namespace manyarms::lsh {
namespace {

constexpr TreeShape kShape = {
    .dim = 4, .depth = 1, .branching = 9, .point_threshold = 0};

TEST(BandOf, HasBoundariesAtPowersOfTheSquareRootOfTwo) {
  EXPECT_EQ(BandOf(1), 0);
  EXPECT_EQ(BandOf(1.0001), 1);
  EXPECT_EQ(BandOf(1.4142), 1);
  EXPECT_EQ(BandOf(1.4143), 2);
  EXPECT_EQ(BandOf(2), 2);
  EXPECT_EQ(BandOf(0.5), -2);
  EXPECT_EQ(BandOf(0.5001), -1);
}

TEST(BandOf, PutsALengthOnABoundaryIntoTheLowerBand) {
  for (BandNumber band = -199; band <= 200; ++band) {
    const double boundary = BandScale(band);
    EXPECT_EQ(BandOf(boundary), band);
    EXPECT_EQ(BandOf(std::nextafter(boundary, 1e300)), band + 1);
    EXPECT_EQ(BandOf(std::nextafter(boundary, 0)), band);
  }
}

TEST(BandOf, ContainsNoLengthAboveItsScale) {
  RandomStream random(1, RandomStream::Role::kArm, 0);
  for (int i = 0; i < 20'000; ++i) {
    const double length = std::exp(60 * (random.Uniform() - 0.5));
    const BandNumber band = BandOf(length);
    ASSERT_LE(length, BandScale(band));
    ASSERT_GT(length, BandScale(band - 1));
  }
}

TEST(BandOf, PutsZeroAndTinyLengthsIntoTheLowestBand) {
  const BandNumber lowest = BandOf(0);
  for (const double length :
       {std::numeric_limits<double>::denorm_min(), 1e-300, 1e-38, 1e-31}) {
    EXPECT_EQ(BandOf(length), lowest);
    EXPECT_LE(length, BandScale(lowest));
  }
  EXPECT_GT(BandOf(1e-30), lowest);
}

// The largest of these exceed the lengths of any arm and any lifted vector.
TEST(BandOf, AcceptsHugeLengths) {
  for (const double length : {1e10, 1e19, 1e38, 1e76}) {
    EXPECT_GE(BandScale(BandOf(length)), length);
    EXPECT_LT(BandScale(BandOf(length)), 1.4143 * length);
  }
}

TEST(BandScale, DoublesEverySecondBand) {
  EXPECT_EQ(BandScale(0), 1);
  for (BandNumber band = -200; band < 200; ++band) {
    EXPECT_DOUBLE_EQ(BandScale(band + 2), 2 * BandScale(band));
  }
}

// A query at the point's place on the sphere reaches all leaves that hold it.
TEST(Band, ScalesItsPointsOntoTheSphere) {
  const std::vector<float> point = {3, 0, 4};
  const BandNumber number = BandOf(5);
  Band band(Reduction::kSymmetric, number, kShape, 1, 1);
  EXPECT_EQ(band.scale(), BandScale(number));
  band.Insert(7, point);
  std::vector<float> on_sphere(4);
  PointOnSphere(Reduction::kSymmetric, point, BandScale(number), on_sphere);
  std::size_t leaves = 0;
  band.tree(0).VisitLeaves(on_sphere, 0,
                           [&](std::span<const PointNumber> leaf) {
                             leaves += leaf.size();
                             return true;
                           });
  EXPECT_EQ(leaves, band.tree(0).entries());
  EXPECT_GT(leaves, 0U);
}

TEST(Band, HasADifferentTreeForEachCopyAndEachBand) {
  const Band band(Reduction::kSymmetric, 3, kShape, 4, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(band.tree(i) == band.tree(j));
    }
  }
  EXPECT_TRUE(band == Band(Reduction::kSymmetric, 3, kShape, 4, 1));
  EXPECT_FALSE(band == Band(Reduction::kSymmetric, 4, kShape, 4, 1));
  EXPECT_FALSE(band == Band(Reduction::kSymmetric, 3, kShape, 4, 2));
  EXPECT_FALSE(band == Band(Reduction::kSymmetric, 3, kShape, 3, 1));
}

TEST(Band, IsUnchangedAfterInsertionsAreUndone) {
  Band band(Reduction::kSymmetric, 8, kShape, 3, 1);
  const auto rows = testing::GaussianRows(40, 3, 1);
  const auto row = [&](PointNumber n) {
    return std::span(rows).subspan(std::size_t{3} * n, 3);
  };
  for (PointNumber n = 0; n < 40; ++n) band.Insert(n, row(n));
  EXPECT_EQ(band.size(), 40U);
  const std::size_t bytes = band.bytes();
  EXPECT_GT(bytes, sizeof(float) * 3 * 9 * 4);
  for (PointNumber n = 0; n < 40; n += 2) band.Erase(n, row(n));
  EXPECT_EQ(band.size(), 20U);
  Band fresh(Reduction::kSymmetric, 8, kShape, 3, 1);
  for (PointNumber n = 1; n < 40; n += 2) fresh.Insert(n, row(n));
  EXPECT_TRUE(band == fresh);
  for (PointNumber n = 1; n < 40; n += 2) band.Erase(n, row(n));
  EXPECT_EQ(band.size(), 0U);
  EXPECT_TRUE(band == Band(Reduction::kSymmetric, 8, kShape, 3, 1));
}

}  // namespace
}  // namespace manyarms::lsh
