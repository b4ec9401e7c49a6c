#include "lsh/gaussian.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "testing.h"

namespace manyarms::lsh {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kCorrelations[] = {-0.99, -0.8, -0.3, 0,    0.1,
                                    0.25,  0.5,  0.69, 0.71, 0.8,
                                    0.9,   0.95, 0.98, 0.99, 0.999};

double Density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

// Simpson's rule suffices because the integrands here are smooth.
template <class Function>
double Simpson(const Function& f, double from, double to, int pairs) {
  const double step = (to - from) / (2 * pairs);
  double sum = f(from) + f(to);
  for (int i = 1; i < 2 * pairs; ++i) {
    sum += (i % 2 == 1 ? 4 : 2) * f(from + i * step);
  }
  return sum * step / 3;
}

// Integrates the joint density over the quadrant above (a, b), up to twelve
// standard deviations beyond it.
double BruteForce(double a, double b, double correlation) {
  const double rest = 1 - correlation * correlation;
  const auto density = [&](double y, double z) {
    return std::exp(-(y * y - 2 * correlation * y * z + z * z) / (2 * rest)) /
           (2 * std::numbers::pi * std::sqrt(rest));
  };
  return Simpson(
      [&](double y) {
        return Simpson([&](double z) { return density(y, z); }, b, b + 12, 300);
      },
      a, a + 12, 300);
}

// Integrates over y alone: given y, z is normal with mean correlation * y, so
// the integral over z is a tail. No differences of large numbers are taken, so
// small results have the same relative accuracy as large ones.
double OneIntegral(double a, double b, double correlation) {
  const double rest = std::sqrt(1 - correlation * correlation);
  const auto slice = [&](double y) {
    return Density(y) * UpperTail((b - correlation * y) / rest);
  };
  // At the largest correlation the slice rises within 0.04 around
  // b / correlation; 3000 pairs resolve that.
  return Simpson(slice, a, a + 12, 3000);
}

// The first values come from Abramowitz and Stegun, table 26.1; those at 6 and
// 10 from mpmath's erfc with thirty digits.
TEST(UpperTail, AgreesWithPublishedTables) {
  EXPECT_DOUBLE_EQ(UpperTail(0), 0.5);
  EXPECT_DOUBLE_EQ(UpperTail(1), 0.15865525393145705);
  EXPECT_DOUBLE_EQ(UpperTail(2), 0.022750131948179207);
  EXPECT_NEAR(UpperTail(6) / 9.865876450376981e-10, 1, 1e-13);
  EXPECT_NEAR(UpperTail(10) / 7.619853024160526e-24, 1, 1e-13);
  EXPECT_EQ(UpperTail(kInfinity), 0);
  EXPECT_EQ(UpperTail(-kInfinity), 1);
}

TEST(UpperTail, IsTheIntegralOfTheDensity) {
  for (const double x : testing::Steps(-4, 12, 0.37)) {
    const double integral = Simpson(Density, x, x + 16, 4000);
    EXPECT_NEAR(UpperTail(x) / integral, 1, 1e-8) << x;
    EXPECT_NEAR(UpperTail(x) + UpperTail(-x), 1, 1e-15) << x;
  }
}

TEST(JointUpperTail, AgreesWithTheIntegralOfTheDensity) {
  for (const double a : {-1.5, 0.0, 2.5}) {
    for (const double b : {-0.7, 2.0}) {
      for (const double correlation : {-0.8, -0.3, 0.0, 0.25, 0.6, 0.8, 0.95}) {
        EXPECT_NEAR(JointUpperTail(a, b, correlation),
                    BruteForce(a, b, correlation), 1e-8)
            << a << " " << b << " " << correlation;
      }
    }
  }
}

// Sheppard's formula (1899).
TEST(JointUpperTail, IsAnArcSineAtTheOrigin) {
  for (const double correlation : testing::Steps(-1, 1, 1.0 / 64)) {
    EXPECT_NEAR(JointUpperTail(0, 0, correlation),
                0.25 + std::asin(correlation) / (2 * std::numbers::pi), 1e-14)
        << correlation;
  }
}

TEST(JointUpperTail, IsAProductOfTailsWithoutCorrelation) {
  for (const double a : {-3.0, 0.0, 0.5, 4.0}) {
    for (const double b : {-1.0, 2.0, 6.0}) {
      EXPECT_DOUBLE_EQ(JointUpperTail(a, b, 0), UpperTail(a) * UpperTail(b));
    }
  }
}

TEST(JointUpperTail, IsASingleTailIfTheOtherBoundIsInfinite) {
  for (const double correlation : kCorrelations) {
    for (const double a : {-2.0, 0.3, 3.0}) {
      EXPECT_NEAR(JointUpperTail(a, -kInfinity, correlation), UpperTail(a),
                  1e-15);
      EXPECT_NEAR(JointUpperTail(-kInfinity, a, correlation), UpperTail(a),
                  1e-15);
      EXPECT_NEAR(JointUpperTail(a, kInfinity, correlation), 0, 1e-300);
    }
  }
}

// At correlation 1 the two variables are equal; at -1 one is minus the other.
TEST(JointUpperTail, IsATailOrAnIntervalAtFullCorrelation) {
  for (const double a : {-2.0, -0.5, 0.0, 1.0, 3.0}) {
    for (const double b : {-2.5, -0.5, 0.7, 2.0}) {
      EXPECT_DOUBLE_EQ(JointUpperTail(a, b, 1), UpperTail(std::max(a, b)));
      const double interval = a < -b ? UpperTail(a) - UpperTail(-b) : 0.0;
      EXPECT_NEAR(JointUpperTail(a, b, -1), interval, 1e-15);
    }
  }
}

// Near correlation 1, y - z has standard deviation sqrt(2 (1 - rho)). P(both)
// differs from the tail of the larger bound a by P(y >= a, z < b), which is at
// most that deviation times 0.4, the largest value of the normal density.
TEST(JointUpperTail, TendsToItsValueAtFullCorrelation) {
  for (const double a : {-2.0, -0.5, 0.0, 1.0, 3.0}) {
    for (const double b : {-2.5, -0.5, 0.0, 0.7, 1.0}) {
      for (const double gap : {1e-3, 1e-5, 1e-7, 1e-10}) {
        const double far = 0.4 * std::sqrt(2 * gap);
        EXPECT_NEAR(JointUpperTail(a, b, 1 - gap), JointUpperTail(a, b, 1), far)
            << a << " " << b << " " << gap;
        EXPECT_NEAR(JointUpperTail(a, b, gap - 1), JointUpperTail(a, b, -1),
                    far)
            << a << " " << b << " " << gap;
      }
    }
  }
}

TEST(JointUpperTail, IsSymmetricInItsBounds) {
  for (const double correlation : kCorrelations) {
    for (const double a : testing::Steps(-3, 5, 1.3)) {
      for (const double b : testing::Steps(-2.5, 6, 1.7)) {
        EXPECT_DOUBLE_EQ(JointUpperTail(a, b, correlation),
                         JointUpperTail(b, a, correlation));
      }
    }
  }
}

// The four quadrants around (a, b) cover the plane.
TEST(JointUpperTail, SumsToOneOverTheQuadrants) {
  for (const double correlation : kCorrelations) {
    for (const double a : testing::Steps(-3, 5, 0.9)) {
      for (const double b : testing::Steps(-2.5, 6, 1.1)) {
        const double sum = JointUpperTail(a, b, correlation) +
                           JointUpperTail(-a, b, -correlation) +
                           JointUpperTail(a, -b, -correlation) +
                           JointUpperTail(-a, -b, correlation);
        EXPECT_NEAR(sum, 1, 1e-8) << a << " " << b << " " << correlation;
      }
    }
  }
}

TEST(JointUpperTail, GrowsWithTheCorrelation) {
  for (const double a : testing::Steps(-2, 5, 0.7)) {
    for (const double b : testing::Steps(-2, 5, 0.7)) {
      double last = JointUpperTail(a, b, -1);
      for (int i = -199; i <= 200; ++i) {
        const double now = JointUpperTail(a, b, i / 200.0);
        // Where the tail hardly grows any more, rounding errors exceed its
        // growth.
        EXPECT_GE(now, last - 1e-9 * last - 1e-14)
            << a << " " << b << " " << i / 200.0;
        last = now;
      }
    }
  }
}

TEST(JointUpperTail, FallsWithEitherBound) {
  for (const double correlation : kCorrelations) {
    for (const double b : testing::Steps(-2, 5, 0.9)) {
      double last = 1;
      for (const double a : testing::Steps(-9, 12, 0.05)) {
        const double now = JointUpperTail(a, b, correlation);
        EXPECT_LE(now, last + 1e-9 * last + 1e-14)
            << a << " " << b << " " << correlation;
        last = now;
      }
    }
  }
}

// Plans use bounds up to 6 and cosines of 0 or more. Probabilities there go
// down to 1e-18, and their relative error must be small, since a plan
// multiplies them by large numbers of children.
TEST(JointUpperTail, HasASmallRelativeErrorInTheTails) {
  for (const double correlation : kCorrelations) {
    if (correlation < 0) continue;
    for (const double a : testing::Steps(-2, 6, 0.8)) {
      for (const double b : testing::Steps(-3, 6, 1.1)) {
        const double expected = OneIntegral(a, b, correlation);
        EXPECT_NEAR(JointUpperTail(a, b, correlation) / expected, 1, 1e-6)
            << a << " " << b << " " << correlation;
      }
    }
  }
}

// One sample of pairs serves for all bounds. By Hoeffding's inequality a
// frequency over n pairs is off by more than e with probability below
// 2 exp(-2 n e^2); for all 36 comparisons with n = 400,000 and e = 0.005 that
// is below 2e-7.
TEST(JointUpperTail, IsTheFrequencyAmongSampledPairs) {
  constexpr int kPairs = 400'000;
  for (const double correlation : {-0.6, 0.3, 0.9}) {
    RandomStream random(1, RandomStream::Role::kFilter, 7);
    constexpr double kBoundsA[] = {-1, 0, 0.5, 1.5};
    constexpr double kBoundsB[] = {-0.5, 0.8, 2};
    int counts[4][3] = {};
    const double rest = std::sqrt(1 - correlation * correlation);
    for (int i = 0; i < kPairs; ++i) {
      const double y = random.Gaussian();
      const double z = correlation * y + rest * random.Gaussian();
      for (int j = 0; j < 4; ++j) {
        for (int k = 0; k < 3; ++k) {
          counts[j][k] += y >= kBoundsA[j] && z >= kBoundsB[k] ? 1 : 0;
        }
      }
    }
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(JointUpperTail(kBoundsA[j], kBoundsB[k], correlation),
                    counts[j][k] / static_cast<double>(kPairs), 0.005)
            << kBoundsA[j] << " " << kBoundsB[k] << " " << correlation;
      }
    }
  }
}

}  // namespace
}  // namespace manyarms::lsh
