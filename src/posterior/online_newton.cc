#include "posterior/online_newton.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "posterior/logistic.h"

namespace manyarms {
namespace {

constexpr double kLeastCurvature = 1e-9;

double CurvatureOf(const PseudoRewards& settings, RewardModel rewards) {
  double curvature = settings.curvature;
  if (curvature == 0) {
    curvature =
        rewards == RewardModel::kClicks
            ? Sigmoid(settings.norm_bound) * Sigmoid(-settings.norm_bound)
            : 1;
  }
  return std::max(curvature, kLeastCurvature);
}

}  // namespace

OnlineNewton::OnlineNewton(std::size_t dim, const PseudoRewards& settings,
                           RewardModel rewards)
    : norm_bound_(settings.norm_bound),
      curvature_(CurvatureOf(settings, rewards)),
      rewards_(rewards),
      theta_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dim))) {}

double OnlineNewton::Link(double predictor) const {
  return rewards_ == RewardModel::kClicks ? Sigmoid(predictor) : predictor;
}

void OnlineNewton::Learn(const Eigen::VectorXd& x, double reward,
                         const Eigen::MatrixXd& bordered) {
  const auto lower = bordered.topLeftCorner(x.size(), x.size());
  Eigen::VectorXd step = lower.triangularView<Eigen::Lower>().solve(x);
  lower.transpose().triangularView<Eigen::Upper>().solveInPlace(step);
  theta_ -= (Link(Predict(x)) - reward) / curvature_ * step;
  if (theta_.norm() > norm_bound_) {
    theta_ = NearestInBall(theta_, norm_bound_,
                           lower.triangularView<Eigen::Lower>());
  }
}

Eigen::VectorXd NearestInBall(const Eigen::VectorXd& theta, double radius,
                              const Eigen::MatrixXd& lower) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> a(lower *
                                                         lower.transpose());
  // Along an eigenvector of A with eigenvalue v, the point's coordinate is
  // v / (v + mu) times that of theta. Rounding can make no eigenvalue 0.
  const Eigen::ArrayXd values =
      a.eigenvalues().array().max(std::numeric_limits<double>::min());
  const Eigen::ArrayXd turned =
      values * (a.eigenvectors().transpose() * theta).array();
  // The reciprocal of the point's length is concave in mu, so Newton's method
  // for it rises to the root from below and never passes it.
  double mu = 0;
  Eigen::ArrayXd point = turned / values;
  constexpr int kMostSteps = 100;
  constexpr double kAccuracy = 1e-15;
  for (int i = 0; i < kMostSteps; ++i) {
    const double length = std::sqrt(point.square().sum());
    if (length <= radius * (1 + kAccuracy)) break;
    const double slope = (point.square() / (values + mu)).sum();
    const double next = mu + length * length / slope * (length / radius - 1);
    if (!(next > mu)) break;
    mu = next;
    point = turned / (values + mu);
  }
  Eigen::VectorXd nearest = a.eigenvectors() * point.matrix();
  const double length = nearest.norm();
  if (length > radius) nearest *= radius / length;
  return nearest;
}

}  // namespace manyarms
