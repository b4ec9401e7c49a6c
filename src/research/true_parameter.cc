#include "research/true_parameter.h"

#include <cmath>

#include "manyarms/random.h"
#include "posterior/logistic.h"
#include "research/synthetic_arms.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

// The mean of Sigmoid(center + spread Z) for a standard normal Z, by the
// trapezoidal rule, which converges very fast for functions as smooth as this.
double MeanClickRate(double center, double spread) {
  constexpr double kReach = 10;
  constexpr double kStep = 1.0 / 64;
  constexpr int kSteps = static_cast<int>(kReach / kStep);
  double sum = 0;
  double weights = 0;
  for (int i = -kSteps; i <= kSteps; ++i) {
    const double z = i * kStep;
    const double weight = std::exp(-z * z / 2);
    sum += weight * Sigmoid(center + spread * z);
    weights += weight;
  }
  return sum / weights;
}

}  // namespace

double ClickIntercept(double rate, double spread) {
  // The mean rate at the ends is below kMinClickRate and above 1 less that.
  double low = -20 - spread * spread;
  double high = 20 + spread * spread;
  constexpr int kHalvings = 64;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    (MeanClickRate(middle, spread) < rate ? low : high) = middle;
  }
  return low;
}

TrueParameter::TrueParameter(const SyntheticOptions& options, std::size_t rows,
                             std::size_t columns)
    : options_(options),
      rows_(rows),
      intercept_(options.click_rate > 0
                     ? ClickIntercept(options.click_rate, options.click_spread)
                     : 0),
      first_(AfterTurns(0, rows * columns)) {}

TrueParameter::Course TrueParameter::AfterTurns(std::uint64_t turns,
                                                std::size_t size) const {
  Course course{std::vector<double>(size),
                std::vector<double>(options_.drift > 0 ? size : 0)};
  const Role role = turns == 0 ? Role::kTheta : Role::kTurn;
  RandomStream(options_.theta_seed, role, turns).Gaussians(course.from);
  RandomStream(options_.theta_seed, Role::kDrift, turns)
      .Gaussians(course.towards);
  return course;
}

std::vector<double> TrueParameter::CommonAt(std::uint64_t step) const {
  const std::uint64_t before = step - 1;
  const std::uint64_t turns =
      options_.turn_every > 0 ? before / options_.turn_every : 0;
  const Course course =
      turns == 0 ? first_ : AfterTurns(turns, first_.from.size());
  if (course.towards.empty()) return course.from;
  const double angle = options_.drift * static_cast<double>(before);
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  std::vector<double> common(course.from.size());
  for (std::size_t i = 0; i < common.size(); ++i) {
    common[i] = cosine * course.from[i] + sine * course.towards[i];
  }
  return common;
}

void TrueParameter::Mix(std::uint64_t learner,
                        std::vector<double>& parameter) const {
  std::vector<double> own(parameter.size());
  RandomStream(options_.theta_seed, Role::kLearner, learner).Gaussians(own);
  const double common_factor = std::sqrt(1 - options_.own_share);
  const double own_factor = std::sqrt(options_.own_share);
  for (std::size_t i = 0; i < own.size(); ++i) {
    parameter[i] = common_factor * parameter[i] + own_factor * own[i];
  }
}

void TrueParameter::Scale(std::vector<double>& parameter) const {
  if (options_.click_rate > 0) {
    // The last value belongs to the constants of arms and contexts.
    parameter.back() = 0;
    ScaleTo<double>(options_.click_spread, parameter);
    parameter.back() = intercept_;
  } else if (options_.unit_ball) {
    ScaleTo<double>(1, parameter);
  } else {
    const double factor = 1 / std::sqrt(static_cast<double>(rows_));
    for (double& value : parameter) value *= factor;
  }
}

std::vector<double> TrueParameter::At(std::uint64_t step,
                                      std::uint64_t learner) const {
  std::vector<double> parameter = CommonAt(step);
  if (options_.learners > 0) Mix(learner, parameter);
  Scale(parameter);
  return parameter;
}

}  // namespace manyarms
