#ifndef MANYARMS_PRIOR_H_
#define MANYARMS_PRIOR_H_

#include <cstddef>
#include <variant>
#include <vector>

namespace manyarms {

/// What is known of the n coefficients of a model before the first reward: a
/// normal distribution. The precision is that of the coefficients times the
/// variance of the noise in rewards. It is what V begins with, in place of
/// lambda I, so that a precision of 5 I counts as much as five rewards along
/// each direction.
///
/// n is the number of features, or with contexts the number of entries of M, in
/// the order of Bandit::Mean.
struct GaussianPrior {
  std::vector<double> mean;       ///< n values, at most kMaxPriorMean
  std::vector<double> precision;  ///< n x n, row after row, symmetric

  bool operator==(const GaussianPrior&) const = default;
};

inline constexpr double kMaxPriorMean = 1e9;

/// The largest ratio of two eigenvalues of a precision.
inline constexpr double kMaxPriorCondition = 1e9;

/// The most coefficients that a shared prior can have.
inline constexpr std::size_t kMaxSharedCoefficients = 256;

/// Every learner begins with mean 0 and precision lambda I, whatever others
/// have learned.
struct IndependentPrior {
  bool operator==(const IndependentPrior&) const = default;
};

/// A prior that is learned from all learners, so that a new one begins with
/// what the others have taught. The coefficients of learners are taken to be
/// normal around a common mean; the mean, its uncertainty, how much learners
/// differ (a covariance) and the noise are estimated from their rewards. A
/// learner that has learned nothing follows the prior as it changes. With its
/// first reward it keeps the prior that it has then.
///
/// Until much is known, lambda stands for what is not known: learners differ by
/// 1/lambda in each coefficient, which counts as one learner. So lambda should
/// be near the square of the size of features; with features in the thousands a
/// lambda of 1 makes the prior far too wide.
struct SharedPrior {
  /// The prior is learned anew whenever the rewards have become more by this
  /// share since the last time, and by 64 at least. That call of Learn, Observe
  /// or LearnFor takes longer (docs/python.md has times). 0: only when
  /// LearnPrior is called, which is for services where no call may take long.
  double refit_growth = 0.25;

  bool operator==(const SharedPrior&) const = default;
};

/// What the learners of a population begin with.
using PopulationPrior =
    std::variant<IndependentPrior, GaussianPrior, SharedPrior>;

}  // namespace manyarms

#endif  // MANYARMS_PRIOR_H_
