#include "policy/exploration.h"

#include <cmath>

#include "base/check.h"
#include "manyarms/error.h"

namespace manyarms {

void CheckExploration(const Exploration& exploration) {
  if (const double* constant = std::get_if<double>(&exploration)) {
    CheckWithin("exploration", *constant, 0, kMaxExploration);
    return;
  }
  const auto& theory = std::get<TheoryRadius>(exploration);
  CheckCount("horizon", theory.horizon, 1, kMaxSteps);
  CheckWithin("delta", theory.delta, 1e-300, 1);
}

double TheoryRadiusValue(std::size_t dim, double regularisation,
                         std::uint64_t horizon, double failure) {
  const auto d = static_cast<double>(dim);
  const auto t = static_cast<double>(horizon);
  return std::sqrt(regularisation) +
         std::sqrt(2 * std::log(1 / failure) +
                   d * std::log1p(t / (regularisation * d)));
}

}  // namespace manyarms
