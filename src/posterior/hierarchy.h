#ifndef MANYARMS_POSTERIOR_HIERARCHY_H_
#define MANYARMS_POSTERIOR_HIERARCHY_H_

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "manyarms/prior.h"
#include "posterior/posterior.h"

namespace manyarms {

/// What the rewards of one learner say, whatever its prior.
struct Evidence {
  Eigen::MatrixXd gram;    ///< G: sum x x'
  Eigen::VectorXd moment;  ///< h: sum r x
  double squares = 0;      ///< sum r^2
  double rewards = 0;      ///< their number
};

/// That of a learner whose posterior began with this prior.
Evidence EvidenceOf(const Posterior& posterior, const GaussianPrior& prior);

/// A model of many learners. Learner u has coefficients theta_u ~ N(mu, Sigma),
/// its rewards are <theta_u, x> plus noise of variance sigma^2, and mu ~
/// N(0, sigma^2 / lambda I). Given Sigma and sigma^2 all else is normal, and mu
/// has the posterior precision
///     lambda I + sum_u (Sigma / sigma^2 + G_u^-1)^-1,
/// in units of sigma^-2. Sigma and sigma^2 are estimated by
/// expectation-maximisation, in which mu and all theta_u are what is not
/// observed.
///
/// All covariances are in units of sigma^2 and all precisions in those of
/// sigma^-2, because a posterior's V is: P = sigma^2 Sigma^-1.
class Hierarchy {
 public:
  /// Begins with Sigma = sigma^2 / lambda I.
  Hierarchy(std::size_t dim, double regularisation);

  /// From now on sigma^2 is 1, as it is for clicks, and is not estimated.
  void FixNoise();

  /// Begins with what another one has learned. REQUIRES: the precision is
  /// positive definite, and the noise is above 0.
  Hierarchy(double regularisation, Eigen::MatrixXd precision, double noise);

  /// The posterior of mu.
  struct CommonMean {
    Eigen::VectorXd mean;
    Eigen::MatrixXd covariance;
  };
  /// Costs O(d^3) for each learner, on several threads.
  CommonMean MeanGiven(std::span<const Evidence> learners) const;

  /// A step of expectation-maximisation: Sigma and sigma^2 become those under
  /// which the evidence is more likely, nearly. Two things keep them sound with
  /// few learners: Sigma is mixed with a multiple of I that counts as much as
  /// dim + 1 learners, and sigma^2 with the mean square of the rewards, which
  /// counts as much as one reward. (The prior of mu, which would count as much
  /// as dim rewards, is left out of sigma^2.) Costs about twice as much as
  /// MeanGiven.
  void Improve(std::span<const Evidence> learners);

  /// What is known of a learner without rewards: N(mu, Sigma), with mu as
  /// uncertain as it is. Its variances lie within
  /// [2*10^-6, 500].
  GaussianPrior PriorGiven(std::span<const Evidence> learners) const;

  const Eigen::MatrixXd& precision() const { return precision_; }  ///< P
  double noise() const { return noise_; }                          ///< sigma^2

 private:
  double regularisation_;
  Eigen::MatrixXd precision_;
  double noise_ = 1;
  bool noise_is_fixed_ = false;
};

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_HIERARCHY_H_
