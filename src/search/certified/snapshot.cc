#include "search/certified/snapshot.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "search/first_pass.h"

namespace manyarms {
namespace {

// Rounding in the posterior itself, in square roots and in products changes a
// width by far less than this part of it.
constexpr double kRelativeSlack = 0x1p-16;

// With more features the norm of a matrix would be a long pause.
constexpr std::size_t kMostToTighten = 256;

// Four times the rounding error of a sum of d products: once for the centre,
// once for the score, and twice for what is computed from them.
double SumSlack(std::size_t dim) {
  return (static_cast<double>(dim) + 8) * 0x1p-22;
}

RowMatrix RoundedToFloat(const RowMatrix& matrix) {
  return matrix.cast<float>().cast<double>();
}

}  // namespace

Snapshot::Snapshot(Objective objective, const Belief& belief,
                   const RowMatrix& factor)
    : objective_(objective),
      packed_(factor.data(), static_cast<std::size_t>(factor.rows())),
      factor_norm_(factor.norm()),
      version_(belief.version()) {
  const bool is_form = objective_ == Objective::kQuadraticForm;
  if (!is_form || dim() <= kMostToTighten) factor_ = RoundedToFloat(factor);
  if (is_form) return;
  const Eigen::VectorXd mean = belief.Mean();
  centre_.assign(mean.begin(), mean.end());
  centre_length_ = mean.norm();
}

double Snapshot::Radius(const Query& query) const {
  switch (objective_) {
    case Objective::kInnerProduct:
    case Objective::kQuadraticOptimism:
      return DirectionRadius(*query.direction);
    case Objective::kQuadraticForm:
      return query.exploration * WidthsSince(*query.belief);
    case Objective::kOptimism:
      return DirectionRadius(*query.direction) +
             query.exploration * WidthsSince(*query.belief);
  }
  return 0;
}

double Snapshot::Curvature(const Query& query) const {
  if (objective_ != Objective::kQuadraticOptimism) return 0;
  const double radius = query.exploration * WidthsSince(*query.belief);
  return radius * radius;
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

// No arm's width can now be more than this times its width under A_0.
double Snapshot::WidthsSince(const Belief& belief) const {
  return width_part_ * belief.WidthGrowthSince(version_);
}

void Snapshot::Tighten(const Query& query) {
  if (objective_ == Objective::kInnerProduct || dim() > kMostToTighten) return;
  // |factor x| <= |factor A_0^-1| |A_0 x|.
  RowMatrix ratio = *query.factor;
  factor_.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(ratio);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      ratio.transpose() * ratio, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return;
  const double largest = solver.eigenvalues().maxCoeff();
  width_part_ =
      std::min(WidthsSince(*query.belief), std::sqrt(largest) * (1 + 0x1p-24));
  version_ = query.belief->version();
}

double Snapshot::norm() const { return NormBound(factor_, 64); }

std::size_t Snapshot::memory_bytes() const {
  return static_cast<std::size_t>(factor_.size()) * sizeof(double) +
         dim() * dim() * sizeof(float) + centre_.capacity() * sizeof(float);
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

bool IsWellConditioned(const RowMatrix& factor) {
  const auto diagonal = factor.diagonal();
  return diagonal.maxCoeff() <= 0x1p26 * diagonal.minCoeff();
}

}  // namespace manyarms
