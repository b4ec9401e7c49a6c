#include "evaluation/student.h"

#include <cmath>
#include <numbers>

#include "testing.h"

namespace manyarms {
namespace {

// The density in the angle atan(t / sqrt(freedom)) is proportional to
// cos(angle)^(freedom - 1); both integrals by Simpson's rule.
double SlowBeyond(double t, double freedom) {
  const auto integral = [freedom](double from, double to) {
    constexpr int kSteps = 200'000;
    const double width = (to - from) / kSteps;
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
      const double weight = i == 0 || i == kSteps ? 1 : (i % 2 == 1 ? 4 : 2);
      sum += weight * std::pow(std::cos(from + i * width), freedom - 1);
    }
    return sum * width / 3;
  };
  const double angle = std::atan(t / std::sqrt(freedom));
  const double end = std::numbers::pi / 2;
  return integral(angle, end) / integral(0, end);
}

TEST(Student, IsWhatIntegrationGives) {
  for (const double freedom : {1.0, 2.0, 3.5, 10.0, 47.25, 300.0}) {
    for (const double t : {0.01, 0.5, 1.7, 2.5, 6.0}) {
      SCOPED_TRACE(::testing::Message() << freedom << " " << t);
      const double slow = SlowBeyond(t, freedom);
      EXPECT_NEAR(StudentBeyond(t, freedom), slow, 1e-10);
    }
  }
  EXPECT_EQ(StudentBeyond(0, 5), 1);
}

TEST(Student, HasTheClosedFormsOfOneAndTwoDegreesOfFreedom) {
  for (const double level : {0.1, 0.5, 0.9, 0.95, 0.999999}) {
    const double one = std::tan(std::numbers::pi * level / 2);
    EXPECT_NEAR(StudentQuantile(level, 1), one, 1e-9 * one);
    const double two = level * std::sqrt(2 / ((1 - level) * (1 + level)));
    EXPECT_NEAR(StudentQuantile(level, 2), two, 1e-9 * two);
  }
}

TEST(Student, ComesToTheNormalQuantile) {
  EXPECT_NEAR(StudentQuantile(0.95, 1e6), 1.959963984540, 3e-6);
  EXPECT_NEAR(StudentQuantile(0.95, 1e12), 1.959963984540, 1e-7);
  EXPECT_NEAR(StudentQuantile(0.99, 1e12), 2.575829303549, 1e-7);
}

TEST(Student, QuantilesAndProbabilitiesAreInverse) {
  for (const double freedom : {1.0, 1.5, 8.0, 99.0, 1e4, 1e7}) {
    for (const double level : {0.01, 0.5, 0.8, 0.95, 0.999}) {
      EXPECT_NEAR(StudentBeyond(StudentQuantile(level, freedom), freedom),
                  1 - level, 1e-9)
          << freedom << " " << level;
    }
  }
}

}  // namespace
}  // namespace manyarms
