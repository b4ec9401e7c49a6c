#include "reproduction/theory.h"

#include <cmath>
#include <numbers>

#include "manyarms/policy_options.h"

namespace manyarms::reproduction {
namespace {

double Steps(const TheoremSetting& setting) {
  return static_cast<double>(setting.steps);
}

// T d ln(1 + T/d)
double Growth(const TheoremSetting& setting) {
  const auto dim = static_cast<double>(setting.dim);
  return Steps(setting) * dim * std::log1p(Steps(setting) / dim);
}

double Radius(const TheoremSetting& setting, double failure) {
  return TheoryRadiusValue(setting.dim, 1.0, setting.steps, failure);
}

double EliminationBound(const TheoremSetting& setting, double growth) {
  return 16 * Radius(setting, setting.delta / 2) * std::sqrt(growth) +
         64 * setting.accuracy * Steps(setting);
}

}  // namespace

double EliminationBound(const TheoremSetting& setting) {
  return EliminationBound(setting, 2 * Growth(setting));
}

double EliminationBoundAsPrinted(const TheoremSetting& setting) {
  return EliminationBound(setting, Growth(setting));
}

double ThompsonBound(const TheoremSetting& setting) {
  const auto dim = static_cast<double>(setting.dim);
  const double steps = Steps(setting);
  const double p = 0.5 * std::erfc(1 / std::numbers::sqrt2);
  const double share = setting.delta / (4 * steps);
  const double beta = Radius(setting, share);
  const double gamma = beta * std::sqrt(2 * dim * std::log(2 * dim / share));
  const double sum = std::sqrt(2 * Growth(setting));
  return 4 * gamma / p *
             (sum + std::sqrt(8 * steps * std::log(4 / setting.delta))) +
         (gamma + beta) * sum +
         6 * (1 + gamma + beta) / p * setting.accuracy / dim * steps;
}

}  // namespace manyarms::reproduction
