#include "posterior/posterior.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/check.h"
#include "kernels/triangular.h"
#include "manyarms/types.h"

namespace manyarms {
namespace {

using Eigen::Index;

Index Signed(std::size_t n) { return static_cast<Index>(n); }
std::size_t Unsigned(Index n) { return static_cast<std::size_t>(n); }

// L and z are named in the comment of the class.
auto FactorOf(const Eigen::MatrixXd& augmented) {
  const Index d = augmented.rows() - 1;
  return augmented.topLeftCorner(d, d);
}
auto RotatedMeanOf(const Eigen::MatrixXd& augmented) {
  const Index d = augmented.rows() - 1;
  return augmented.bottomLeftCorner(1, d).transpose();
}

}  // namespace

Posterior::Posterior(std::size_t dim, double regularisation)
    : dim_(dim), regularisation_(regularisation) {
  CheckDim(dim);
  CheckRegularisation(regularisation);
  const Index d = Signed(dim);
  factor_ = Eigen::MatrixXd::Identity(d + 1, d + 1);
  factor_.diagonal().head(d).setConstant(std::sqrt(regularisation));
  observation_.resize(d + 1);
}

void Posterior::Update(std::span<const float> features, double reward) {
  CheckFeatures(features, dim_);
  CheckReward(reward);
  const Index d = Signed(dim_);
  observation_.head(d) =
      Eigen::Map<const Eigen::VectorXf>(features.data(), d).cast<double>();
  observation_[d] = reward;
  // Givens rotations fold the observation into the factor, column by column.
  // (Eigen's LLT::rankUpdate does the same, but needs an LLT, and making one
  // costs O(d^3) even for a diagonal matrix.) The bounds on features and
  // rewards keep the squares far from overflow.
  for (Index j = 0; j <= d; ++j) {
    const double diagonal = factor_(j, j);
    const double entry = observation_[j];
    const double rotated = std::sqrt(diagonal * diagonal + entry * entry);
    const double cosine = diagonal / rotated;
    const double sine = entry / rotated;
    factor_(j, j) = rotated;
    for (Index i = j + 1; i <= d; ++i) {
      const double below = factor_(i, j);
      factor_(i, j) = cosine * below + sine * observation_[i];
      observation_[i] = cosine * observation_[i] - sine * below;
    }
  }
  ++updates_;
}

Eigen::VectorXd Posterior::Mean() const {
  return FactorOf(factor_).transpose().triangularView<Eigen::Upper>().solve(
      RotatedMeanOf(factor_));
}

Eigen::VectorXd Posterior::Sample(double scale,
                                  std::span<const double> xi) const {
  const Eigen::Map<const Eigen::VectorXd> noise(xi.data(), Signed(xi.size()));
  Eigen::VectorXd theta = RotatedMeanOf(factor_) + scale * noise;
  FactorOf(factor_).transpose().triangularView<Eigen::Upper>().solveInPlace(
      theta);
  return theta;
}

double Posterior::Width(std::span<const float> features) const {
  CheckFeatures(features, dim_);
  Eigen::VectorXd x =
      Eigen::Map<const Eigen::VectorXf>(features.data(), Signed(dim_))
          .cast<double>();
  FactorOf(factor_).triangularView<Eigen::Lower>().solveInPlace(x);
  return x.norm();
}

Eigen::MatrixXd Posterior::InverseFactor(double scale) const {
  const Index d = Signed(dim_);
  Eigen::MatrixXd inverse(d, d);
  kernels::InvertLower(factor_.data(), dim_ + 1, dim_, scale, inverse.data());
  return inverse;
}

void Posterior::Save(ByteWriter& writer) const {
  writer.Transfer(updates_);
  for (Index j = 0; j < factor_.cols(); ++j) {
    const auto column = factor_.col(j).tail(factor_.rows() - j);
    writer.Values(
        std::span<const double>(column.data(), Unsigned(column.size())));
  }
}

void Posterior::Restore(ByteReader& reader) {
  reader.Transfer(updates_);
  CheckSaved(updates_ <= kMaxSteps, "it has learned too much");
  // The squares in a row of the factor add up to a diagonal entry of the matrix
  // that it factorises, which bounds every entry; and an update never decreases
  // a diagonal entry of the factor.
  const double most =
      std::sqrt(kMaxRegularisation + static_cast<double>(updates_ + 1) *
                                         std::max(kMaxFeature * kMaxFeature,
                                                  kMaxReward * kMaxReward));
  const double least = std::min(1.0, std::sqrt(regularisation_)) * (1 - 1e-9);
  for (Index j = 0; j < factor_.cols(); ++j) {
    auto column = factor_.col(j).tail(factor_.rows() - j);
    reader.Values(std::span<double>(column.data(), Unsigned(column.size())));
    CheckSaved(column.allFinite() && column.cwiseAbs().maxCoeff() <= most &&
                   column[0] >= least,
               "what it has learned is out of bounds");
  }
  // In a forged file every entry may be within its bounds and scores still be
  // infinite or NaN. Updates cannot make entries above 1/sqrt(lambda) in the
  // inverse and |z|/sqrt(lambda) in the mean, far below these bounds.
  constexpr double kMostInverse = 1e6;
  constexpr double kMostMean = 1e25;
  const Eigen::MatrixXd inverse = InverseFactor();
  const Eigen::VectorXd mean = Mean();
  CheckSaved(inverse.allFinite() && mean.allFinite() &&
                 inverse.cwiseAbs().maxCoeff() <= kMostInverse &&
                 mean.cwiseAbs().maxCoeff() <= kMostMean,
             "what it has learned is out of bounds");
}

}  // namespace manyarms
