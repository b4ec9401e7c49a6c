#ifndef MANYARMS_POLICY_EXPLORATION_OPTIONS_H_
#define MANYARMS_POLICY_EXPLORATION_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

namespace manyarms {

/// The radius of the confidence ellipsoid that the paper's analysis needs:
/// sqrt(lambda) + sqrt(2 ln(1/delta') + d ln(1 + T/(lambda d))), where delta'
/// is the share of delta that the policy's proof uses. This radius is far
/// larger than what works best in practice.
struct TheoryRadius {
  std::uint64_t horizon = 0;  ///< T, the number of steps
  double delta = 0.05;        ///< probability that the intervals fail, up to 1

  bool operator==(const TheoryRadius&) const = default;
};

/// beta in the paper: a constant or the theory's radius.
struct Exploration : std::variant<double, TheoryRadius> {
  template <class Number>
  requires std::is_arithmetic_v<Number> Exploration(
      Number constant)  // NOLINT(google-explicit-constructor)
      : variant(static_cast<double>(constant)) {}
  Exploration(
      const TheoryRadius& theory)  // NOLINT(google-explicit-constructor)
      : variant(theory) {}
};

/// The value of the radius; `failure` is delta' above.
double TheoryRadiusValue(std::size_t dim, double regularisation,
                         std::uint64_t horizon, double failure);

}  // namespace manyarms

#endif  // MANYARMS_POLICY_EXPLORATION_OPTIONS_H_
