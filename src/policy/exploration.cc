#include "policy/exploration.h"

#include <cmath>

#include "base/check.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

// A policy's share of delta, at most 4 kMaxSteps times smaller, must still be
// a number that has a logarithm.
constexpr double kMinDelta = 1e-100;

}  // namespace

void CheckExploration(const Exploration& exploration) {
  if (const double* constant = std::get_if<double>(&exploration)) {
    CheckWithin("exploration", *constant, 0, kMaxExploration);
    return;
  }
  const auto& theory = std::get<TheoryRadius>(exploration);
  CheckCount("horizon", theory.horizon, 1, kMaxSteps);
  CheckWithin("delta", theory.delta, kMinDelta, 1);
}

double TheoryRadiusValue(std::size_t dim, double regularisation,
                         std::uint64_t horizon, double failure) {
  const auto d = static_cast<double>(dim);
  const auto t = static_cast<double>(horizon);
  return std::sqrt(regularisation) +
         std::sqrt(-2 * std::log(failure) +
                   d * std::log1p(t / (regularisation * d)));
}

}  // namespace manyarms
