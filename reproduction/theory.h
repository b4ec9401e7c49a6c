#ifndef MANYARMS_REPRODUCTION_THEORY_H_
#define MANYARMS_REPRODUCTION_THEORY_H_

#include <cstddef>
#include <cstdint>

namespace manyarms::reproduction {

/// What a theorem's bound depends on. The theorems are for arms and a true
/// parameter of length 1 at most, and noise of variance 1.
struct TheoremSetting {
  std::size_t dim = 16;
  std::uint64_t steps = 20000;  ///< T
  double delta = 0.05;          ///< how likely the bound may fail
  double accuracy = 0.01;       ///< eta
};

/// The regret bound of the elimination algorithm (formal version of Theorem
/// 5.2), with the factor sqrt 2 that its last step loses: the sum of
/// |x_t|_{V^-1} is bounded by sqrt(2 T d ln(1 + T/d)), not sqrt(T d ...).
double EliminationBound(const TheoremSetting& setting);

/// The same as the paper prints it.
double EliminationBoundAsPrinted(const TheoremSetting& setting);

/// The regret bound of Thompson sampling (formal version of Theorem 6.1) for
/// Gaussian samples, whose constants are p = P(N(0, 1) >= 1) and b = b' = 2.
double ThompsonBound(const TheoremSetting& setting);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_THEORY_H_
