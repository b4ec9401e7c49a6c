#include "manyarms/posterior.h"

#include <cmath>

#include "base/check.h"

namespace manyarms {
namespace {

using Eigen::Index;

Index Signed(std::size_t n) { return static_cast<Index>(n); }

// L and z of the header's comment.
auto FactorOf(const Eigen::LLT<Eigen::MatrixXd>& augmented) {
  const Index d = augmented.rows() - 1;
  return augmented.matrixLLT().topLeftCorner(d, d);
}
auto RotatedMeanOf(const Eigen::LLT<Eigen::MatrixXd>& augmented) {
  const Index d = augmented.rows() - 1;
  return augmented.matrixLLT().bottomLeftCorner(1, d).transpose();
}

}  // namespace

Posterior::Posterior(std::size_t dim, double regularisation)
    : dim_(dim), regularisation_(regularisation) {
  CheckDim(dim);
  CheckRegularisation(regularisation);
  const Index d = Signed(dim);
  Eigen::MatrixXd prior = Eigen::MatrixXd::Identity(d + 1, d + 1);
  prior.diagonal().head(d).setConstant(regularisation);
  augmented_.compute(prior);
  observation_.resize(d + 1);
}

void Posterior::Update(std::span<const float> features, double reward) {
  CheckFeatures(features, dim_);
  CheckReward(reward);
  const Index d = Signed(dim_);
  observation_.head(d) =
      Eigen::Map<const Eigen::VectorXf>(features.data(), d).cast<double>();
  observation_[d] = reward;
  augmented_.rankUpdate(observation_, 1.0);
  ++updates_;
}

Eigen::VectorXd Posterior::Mean() const {
  return FactorOf(augmented_)
      .transpose()
      .triangularView<Eigen::Upper>()
      .solve(RotatedMeanOf(augmented_));
}

Eigen::VectorXd Posterior::Sample(double scale,
                                  std::span<const double> xi) const {
  const Eigen::Map<const Eigen::VectorXd> noise(xi.data(), Signed(xi.size()));
  Eigen::VectorXd theta = RotatedMeanOf(augmented_) + scale * noise;
  FactorOf(augmented_)
      .transpose()
      .triangularView<Eigen::Upper>()
      .solveInPlace(theta);
  return theta;
}

double Posterior::Width(std::span<const float> features) const {
  CheckFeatures(features, dim_);
  Eigen::VectorXd x =
      Eigen::Map<const Eigen::VectorXf>(features.data(), Signed(dim_))
          .cast<double>();
  FactorOf(augmented_).triangularView<Eigen::Lower>().solveInPlace(x);
  return x.norm();
}

Eigen::MatrixXd Posterior::InverseFactor() const {
  const Index d = Signed(dim_);
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(d, d);
  FactorOf(augmented_).triangularView<Eigen::Lower>().solveInPlace(inverse);
  return inverse;
}

}  // namespace manyarms
