#include "lsh/gaussian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace manyarms::lsh {
namespace {

// The positive points of ten-point Gauss-Legendre quadrature on [-1, 1]; the
// rule is symmetric.
struct QuadraturePoint {
  double at, weight;
};
constexpr std::array<QuadraturePoint, 5> kTenPoints = {{
    {0.14887433898163122, 0.29552422471475287},
    {0.43339539412924719, 0.26926671930999636},
    {0.67940956829902441, 0.21908636251598204},
    {0.86506336668898451, 0.14945134915058059},
    {0.97390652851717172, 0.06667134430868814},
}};

template <class Function>
double Integral(const Function& f, double from, double to) {
  const double middle = (from + to) / 2;
  const double half = (to - from) / 2;
  double sum = 0;
  for (const QuadraturePoint& point : kTenPoints) {
    const double step = half * point.at;
    sum += point.weight * (f(middle - step) + f(middle + step));
  }
  return sum * half;
}

// A tail beyond this many standard deviations underflows in double.
constexpr double kFar = 38;

}  // namespace

double UpperTail(double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); }

// The derivative of G with respect to the correlation is the joint density at
// (a, b) (Plackett 1954). So G is its value for independent variables plus the
// integral of that density over the correlation. With correlation = sin(angle),
// the integrand is smooth in the angle.
double JointUpperTail(double a, double b, double correlation) {
  a = std::clamp(a, -kFar, kFar);
  b = std::clamp(b, -kFar, kFar);
  if (correlation >= 1) return UpperTail(std::max(a, b));
  if (correlation <= -1) {
    return std::max(0.0, UpperTail(a) - UpperTail(-b));
  }
  const double squares = a * a + b * b;
  const double twice = 2 * a * b;
  const auto density = [&](double angle) {
    const double sine = std::sin(angle);
    return std::exp((twice * sine - squares) / (2 * (1 - sine * sine)));
  };
  // Near a right angle the integrand may fall off steeply, so panels get
  // shorter towards it.
  const double angle = std::asin(correlation);
  constexpr double kSplit[] = {0, 0.5, 0.8, 0.95, 1};
  const bool steep = std::abs(correlation) > 0.7;
  double integral = 0;
  if (steep) {
    for (int i = 0; i < 4; ++i) {
      integral += Integral(density, angle * kSplit[i], angle * kSplit[i + 1]);
    }
  } else {
    integral = Integral(density, 0, angle);
  }
  const double joint =
      UpperTail(a) * UpperTail(b) + integral / (2 * std::numbers::pi);
  return std::clamp(joint, 0.0, std::min(UpperTail(a), UpperTail(b)));
}

}  // namespace manyarms::lsh
