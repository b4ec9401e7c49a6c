#ifndef MANYARMS_POLICY_OPTIONS_H_
#define MANYARMS_POLICY_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

namespace manyarms {

/// The radius of the confidence ellipsoid that the paper's analysis needs:
/// sqrt(lambda) + sqrt(2 ln(1/delta') + d ln(1 + T/(lambda d))), where each
/// policy takes the share delta' of delta that its proof gives it. Far larger
/// than what works best in practice.
struct TheoryRadius {
  std::uint64_t horizon = 0;  ///< T: how many steps there will be
  double delta = 0.05;        ///< how likely the intervals may fail, up to 1

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

/// The radius as a number; `failure` is delta' above.
double TheoryRadiusValue(std::size_t dim, double regularisation,
                         std::uint64_t horizon, double failure);

/// Thompson sampling (Algorithm 4).
struct ThompsonOptions {
  Exploration exploration = 2.0;

  bool operator==(const ThompsonOptions&) const = default;
};

/// Elimination in stages (Algorithms 2 and 3).
struct EliminationOptions {
  Exploration exploration = 2.0;
  /// eta in the paper, within [1e-6, 1/8]: the stages end at
  /// ceil(log2(1/8eta)), but not before the first.
  double accuracy = 0.01;

  bool operator==(const EliminationOptions&) const = default;
};

/// The upper confidence bound (OFUL, LinUCB).
struct UcbOptions {
  Exploration exploration = 2.0;

  bool operator==(const UcbOptions&) const = default;
};

using PolicyOptions =
    std::variant<ThompsonOptions, EliminationOptions, UcbOptions>;

std::string_view PolicyName(const PolicyOptions& options);

}  // namespace manyarms

#endif  // MANYARMS_POLICY_OPTIONS_H_
