#include "search/certified/snapshot.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace manyarms {
namespace {

// What A_0 loses by rounding of the posterior itself, and what square roots and
// products lose, is far below this part of a width.
constexpr double kRelativeSlack = 0x1p-16;

// Rounding of a sum of d products, counted four times over: once for the
// centre, once for the score, the rest for what is done with them.
double SumSlack(std::size_t dim) {
  return (static_cast<double>(dim) + 8) * 0x1p-22;
}

Eigen::MatrixXd RoundedToFloat(const Eigen::MatrixXd& matrix) {
  return matrix.cast<float>().cast<double>();
}

}  // namespace

Snapshot::Snapshot(Objective objective, const Posterior& posterior)
    : objective_(objective),
      factor_(RoundedToFloat(posterior.InverseFactor())),
      packed_(factor_.data(), posterior.dim()) {
  factor_norm_ = factor_.norm();
  if (objective_ == Objective::kQuadraticForm) return;
  const Eigen::VectorXd mean = posterior.Mean();
  centre_.assign(mean.begin(), mean.end());
  centre_length_ = mean.norm();
}

double Snapshot::Radius(const Query& query) const {
  switch (objective_) {
    case Objective::kInnerProduct:
      return DirectionRadius(*query.direction);
    case Objective::kQuadraticForm:
      return query.radius * growth_;
    case Objective::kOptimism:
      return DirectionRadius(*query.direction) + query.radius * growth_;
  }
  return 0;
}

// rho = |A_0^-T (theta - theta_0)|, for directions as the kernels see them.
double Snapshot::DirectionRadius(const Eigen::VectorXd& direction) const {
  const Eigen::Map<const Eigen::VectorXf> centre(centre_.data(),
                                                 direction.size());
  Eigen::VectorXd difference =
      direction.cast<float>().cast<double>() - centre.cast<double>();
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(difference);
  return difference.norm();
}

void Snapshot::Tighten(const Query& query) {
  if (objective_ == Objective::kInnerProduct || query.radius == 0) return;
  // |factor x| <= |factor A_0^-1| |A_0 x|, and V only grows.
  Eigen::MatrixXd ratio = *query.factor / query.radius;
  factor_.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(ratio);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      ratio.transpose() * ratio, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return;
  const double largest = solver.eigenvalues().maxCoeff();
  growth_ = std::min(growth_, std::sqrt(largest) * (1 + 0x1p-24));
}

kernels::BoundTerms Snapshot::terms() const {
  const double slack = SumSlack(dim());
  return {.direction = centre_,
          .factor = &packed_,
          .centre_slack = static_cast<float>(slack * centre_length_),
          .width_slack = static_cast<float>(slack * factor_norm_),
          .width_scale = static_cast<float>(1 + kRelativeSlack + slack),
          // Squares below the smallest normal number vanish or are rounded up.
          .tiny = static_cast<float>(std::sqrt(static_cast<double>(dim())) *
                                     0x1p-60)};
}

bool IsWellConditioned(const Eigen::MatrixXd& factor) {
  const auto diagonal = factor.diagonal();
  return diagonal.maxCoeff() <= 0x1p26 * diagonal.minCoeff();
}

}  // namespace manyarms
