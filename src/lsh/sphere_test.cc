#include "lsh/sphere.h"

#include <cmath>

#include "lsh/point_table.h"
#include "testing.h"

namespace manyarms::lsh {
namespace {

constexpr Reduction kReductions[] = {Reduction::kSymmetric, Reduction::kPaper};

std::vector<float> Point(Reduction reduction, const std::vector<float>& p,
                         double scale) {
  std::vector<float> out(SphereDim(reduction, p.size()), -7.0F);
  PointOnSphere(reduction, p, scale, out);
  return out;
}

std::vector<float> Query(Reduction reduction, const std::vector<float>& q) {
  std::vector<float> out(SphereDim(reduction, q.size()), -7.0F);
  QueryOnSphere(reduction, q, out);
  return out;
}

std::vector<float> Gaussian(std::size_t dim, std::uint64_t seed,
                            double length) {
  std::vector<float> v = testing::GaussianRows(1, dim, seed);
  const double factor = length / Length(v);
  for (float& value : v) value = static_cast<float>(factor * value);
  return v;
}

TEST(Reductions, HaveNames) {
  EXPECT_EQ(ReductionName(Reduction::kPaper), "paper");
  EXPECT_EQ(ReductionName(Reduction::kSymmetric), "symmetric");
}

TEST(Reductions, AddOneOrThreeDimensions) {
  EXPECT_EQ(SphereDim(Reduction::kSymmetric, 16), 17U);
  EXPECT_EQ(SphereDim(Reduction::kPaper, 16), 19U);
}

// Appendix A.1: [1/2; p/2; sqrt(3 - |p|^2)/2; 0], [1/2; q/2; 0; sqrt(2)/2].
TEST(Reductions, FollowTheirFormulasInAnExample) {
  const std::vector<float> p = {0.5F, 0};
  const std::vector<float> q = {0, -2};
  const auto root = [](double x) { return static_cast<float>(std::sqrt(x)); };
  EXPECT_EQ(Point(Reduction::kPaper, p, 1),
            (std::vector<float>{0.5F, 0.25F, 0, root(2.75) / 2, 0}));
  EXPECT_EQ(Query(Reduction::kPaper, q),
            (std::vector<float>{0.5F, 0, -0.5F, 0, root(2) / 2}));
  EXPECT_EQ(Point(Reduction::kSymmetric, p, 1),
            (std::vector<float>{0.5F, 0, root(0.75)}));
  EXPECT_EQ(Query(Reduction::kSymmetric, q), (std::vector<float>{0, -1, 0}));
}

// The margin is 1e-6 because floats have about seven digits.
TEST(Reductions, GiveUnitVectorsWithTheCosinesThatPlansExpect) {
  for (const Reduction reduction : kReductions) {
    for (const std::size_t dim : {1U, 2U, 3U, 16U, 100U}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        for (const double scale : {1.0, 0.01, 512.0}) {
          const double length = scale * static_cast<double>(seed) / 20;
          const auto p = Gaussian(dim, seed, length);
          const auto q = Gaussian(dim, seed + 100, 3.0);
          const auto p_there = Point(reduction, p, scale);
          const auto q_there = Query(reduction, q);
          EXPECT_NEAR(Length(p_there), 1, 1e-6);
          EXPECT_NEAR(Length(q_there), 1, 1e-6);
          const double product = InnerProduct(p, q) / (scale * Length(q));
          EXPECT_NEAR(InnerProduct(p_there, q_there),
                      SphereCosine(reduction, product), 1e-6);
        }
      }
    }
  }
}

// So points have the same order by inner product and by cosine.
TEST(SphereCosine, GrowsWithTheInnerProduct) {
  for (const Reduction reduction : kReductions) {
    for (const double x : testing::Steps(-1, 1, 0.125)) {
      EXPECT_LT(SphereCosine(reduction, x), SphereCosine(reduction, x + 0.1));
      EXPECT_LE(std::abs(SphereCosine(reduction, x)), 1);
    }
  }
  EXPECT_EQ(SphereCosine(Reduction::kSymmetric, 0.7), 0.7);
  EXPECT_EQ(SphereCosine(Reduction::kPaper, 1), 0.5);
  EXPECT_EQ(SphereCosine(Reduction::kPaper, -1), 0);
}

TEST(Reductions, MapZeroVectorsToTheSphere) {
  for (const Reduction reduction : kReductions) {
    const std::vector<float> zero(5, 0.0F);
    const auto p = Point(reduction, zero, 1);
    EXPECT_NEAR(Length(p), 1, 1e-7);
    EXPECT_NEAR(Length(Query(reduction, zero)), 1, 1e-7);
    const auto q = Query(reduction, Gaussian(5, 1, 2.0));
    EXPECT_NEAR(InnerProduct(p, q), SphereCosine(reduction, 0), 1e-7);
  }
}

// Rounding may make a point slightly longer than its scale. The last coordinate
// must then be 0, not the root of a negative number.
TEST(Reductions, AcceptPointsAsLongAsTheScale) {
  for (const Reduction reduction : kReductions) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const auto p = Gaussian(7, seed, 1.0);
      for (const double scale : {Length(p), Length(p) * (1 - 1e-7)}) {
        const auto there = Point(reduction, p, scale);
        for (const float value : there) ASSERT_TRUE(std::isfinite(value));
        EXPECT_NEAR(Length(there), 1, 1e-6);
        if (reduction == Reduction::kSymmetric) {
          EXPECT_NEAR(there.back(), 0, 1e-6);
        }
      }
    }
  }
}

TEST(Reductions, IgnoreTheLengthOfAQuery) {
  for (const Reduction reduction : kReductions) {
    const auto one = Query(reduction, Gaussian(9, 4, 1.0));
    for (const double length : {1e-18, 1e-3, 50.0, 1e17}) {
      const auto other = Query(reduction, Gaussian(9, 4, length));
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_NEAR(one[i], other[i], 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace manyarms::lsh
