#include "evaluation/student.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace manyarms {
namespace {

// Beyond this, Student's distribution is the normal one to eight digits.
constexpr double kMostFreedom = 1e8;

// Gamma(a + 1/2) / Gamma(a), by its asymptotic series; smaller a are led to
// larger ones by the recurrence of Gamma.
double GammaRatio(double a) {
  constexpr double kSeriesFrom = 100;
  double factor = 1;
  while (a < kSeriesFrom) {
    factor *= a / (a + 0.5);
    ++a;
  }
  const double b = 1 / a;
  const double series =
      1 + b * (-1.0 / 8 + b * (1.0 / 128 +
                               b * (5.0 / 1024 + b * (-21.0 / 32768 +
                                                      b * (-399.0 / 262144)))));
  return factor * std::sqrt(a) * series;
}

// The continued fraction of the incomplete beta function, by Lentz's method.
double BetaFraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 1'000'000;
  const auto away_from_zero = [](double value) {
    return std::abs(value) < kTiny ? kTiny : value;
  };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int i = 1; i < kMostTerms; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= c * d;
    const double odd =
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return fraction;
}

}  // namespace

// With a = freedom / 2 and x = freedom / (freedom + t^2) it is the regularised
// incomplete beta function I_x(a, 1/2).
double StudentBeyond(double t, double freedom) {
  freedom = std::min(freedom, kMostFreedom);
  if (t == 0) return 1;
  const double a = freedom / 2;
  const double square = t * t;
  const double x = freedom / (freedom + square);
  const double rest = square / (freedom + square);  // 1 - x, precise near 0
  const double log_x = x < 0.5 ? std::log(x) : std::log1p(-rest);
  const double scale = GammaRatio(a) / std::sqrt(std::numbers::pi) *
                       std::exp(a * log_x) * std::sqrt(rest);
  if (x < (a + 1) / (a + 2.5)) return scale * BetaFraction(x, a, 0.5) / a;
  return 1 - 2 * scale * BetaFraction(rest, 0.5, a);
}

double StudentQuantile(double level, double freedom) {
  double high = 1;
  while (high < 1e300 && StudentBeyond(high, freedom) > 1 - level) high *= 2;
  double low = 0;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    (StudentBeyond(middle, freedom) > 1 - level ? low : high) = middle;
  }
}

}  // namespace manyarms
