#ifndef MANYARMS_REPRODUCTION_THEORY_H_
#define MANYARMS_REPRODUCTION_THEORY_H_

#include <cstddef>
#include <cstdint>

namespace manyarms::reproduction {

/// The parameters of a theorem's bound. The theorems assume that the arms and
/// the true parameter have length at most 1 and that the noise has variance 1.
struct TheoremSetting {
  std::size_t dim = 16;
  std::uint64_t steps = 20000;  ///< T
  double delta = 0.05;          ///< probability with which the bound may fail
  double accuracy = 0.01;       ///< eta
};

/// The regret bound of the elimination algorithm (formal version of Theorem
/// 5.2), with a factor sqrt(2) that the last step of the proof loses: the sum
/// of |x_t|_{V^-1} is bounded by sqrt(2 T d ln(1 + T/d)), not sqrt(T d ...).
double EliminationBound(const TheoremSetting& setting);

/// The same bound as the paper prints it, without that factor.
double EliminationBoundAsPrinted(const TheoremSetting& setting);

/// The regret bound of Thompson sampling (formal version of Theorem 6.1) for
/// Gaussian samples, whose constants are p = P(N(0, 1) >= 1) and b = b' = 2.
double ThompsonBound(const TheoremSetting& setting);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_THEORY_H_
