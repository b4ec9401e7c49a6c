#include "posterior/logistic.h"

#include <algorithm>
#include <cmath>

namespace manyarms {
namespace {

// The root of eta - predictor - variance (click - Sigmoid(eta)), which rises
// everywhere, by Newton's method within a bracket.
double ModeOf(double predictor, double variance, double click) {
  double low = predictor - variance * (1 - click);
  double high = predictor + variance * click;
  double eta = std::clamp(0.0, low, high);
  if (variance < 1) eta = predictor;
  constexpr int kMostSteps = 200;
  for (int step = 0; step < kMostSteps; ++step) {
    const double q = Sigmoid(eta);
    const double value = eta - predictor - variance * (click - q);
    (value > 0 ? high : low) = eta;
    const double slope = 1 + variance * q * (1 - q);
    double next = eta - value / slope;
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (std::abs(next - eta) <= 1e-14 * (1 + std::abs(eta))) return next;
    eta = next;
  }
  return eta;
}

}  // namespace

double Sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double odds = std::exp(x);
  return odds / (1 + odds);
}

WeightedReward LinearisedClick(double predictor, double variance,
                               double click) {
  const double eta = ModeOf(predictor, variance, click);
  // Beyond this the curvature vanishes, and what is learned from a click is its
  // sign alone.
  constexpr double kMostLogOdds = 40;
  const double bounded = std::clamp(eta, -kMostLogOdds, kMostLogOdds);
  const double q = Sigmoid(bounded);
  const double root = std::sqrt(q * Sigmoid(-bounded));
  // click - q without cancellation near 1.
  const double surprise = click - 1 + Sigmoid(-bounded);
  const double residual = click > 0.5 ? surprise : click - q;
  return {.root = root, .reward = root * eta + residual / root};
}

}  // namespace manyarms
