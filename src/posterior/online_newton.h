#ifndef MANYARMS_POSTERIOR_ONLINE_NEWTON_H_
#define MANYARMS_POSTERIOR_ONLINE_NEWTON_H_

#include <Eigen/Core>
#include <cstddef>

#include "manyarms/rewards.h"

namespace manyarms {

/// How pseudo-rewards are made (Jun, Bhargava, Nowak and Willett, "Scalable
/// Generalized Linear Bandits", 2017).
struct PseudoRewards {
  double norm_bound = 1;  ///< S in that paper: no coefficients are longer
  /// kappa there: the least slope of the link from log-odds to rewards. 0: as
  /// published for arms no longer than 1, which is 1 for linear rewards and the
  /// slope at S for clicks. Less than 1e-9 counts as 1e-9.
  double curvature = 0;
};

/// The online Newton step (Algorithm 2 of that paper): predicts <theta, x>, and
/// learns from each reward y by the loss m(<theta, x>) - y <theta, x>, where m'
/// is the link. With A = lambda I + sum x x', which is the matrix V of the
/// ridge regression over the same arms,
///     theta <- theta - (m'(<theta, x>) - y) / kappa A^-1 x,
/// and if that is longer than S, it becomes the nearest point of the ball of
/// radius S, distances being measured by A.
class OnlineNewton {
 public:
  OnlineNewton(std::size_t dim, const PseudoRewards& settings,
               RewardModel rewards);

  /// The pseudo-reward of x.
  double Predict(const Eigen::VectorXd& x) const { return theta_.dot(x); }

  /// Learns a reward. `bordered` begins with the Cholesky factor of A, in which
  /// x counts already, and may have rows and columns more. Costs O(d^2), and
  /// O(d^3) if the step ends outside of the ball.
  void Learn(const Eigen::VectorXd& x, double reward,
             const Eigen::MatrixXd& bordered);

  const Eigen::VectorXd& theta() const { return theta_; }
  double norm_bound() const { return norm_bound_; }

  /// Continues from there. REQUIRES: it is within the ball.
  void set_theta(const Eigen::VectorXd& theta) { theta_ = theta; }

 private:
  double Link(double predictor) const;

  double norm_bound_;
  double curvature_;
  RewardModel rewards_;
  Eigen::VectorXd theta_;
};

/// The point p of the ball of this radius for which |L'(p - theta)| is least,
/// which is (A + mu I)^-1 A theta with A = L L' and the mu at which it is as
/// long as the radius. REQUIRES: theta is longer.
Eigen::VectorXd NearestInBall(const Eigen::VectorXd& theta, double radius,
                              const Eigen::MatrixXd& lower);

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_ONLINE_NEWTON_H_
