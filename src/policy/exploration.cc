#include "policy/exploration.h"

#include <cmath>

namespace manyarms {

double TheoryRadiusValue(std::size_t dim, double regularisation,
                         std::uint64_t horizon, double failure) {
  const auto d = static_cast<double>(dim);
  const auto t = static_cast<double>(horizon);
  return std::sqrt(regularisation) +
         std::sqrt(-2 * std::log(failure) +
                   d * std::log1p(t / (regularisation * d)));
}

}  // namespace manyarms
