#include "posterior/hierarchy.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel_for.h"

namespace manyarms {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Sums are taken over ranges of learners, and then over the ranges in their
// order, so that they do not depend on the number of threads.
constexpr std::size_t kRange = 16;

template <class Sums, class Add>
Sums SumOver(std::size_t learners, const Sums& zero, const Add& add) {
  std::vector<Sums> parts((learners + kRange - 1) / kRange, zero);
  ParallelFor(learners, kRange, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) add(parts[begin / kRange], i);
  });
  Sums sum = zero;
  for (const Sums& part : parts) sum += part;
  return sum;
}

MatrixXd Symmetric(const MatrixXd& m) { return (m + m.transpose()) / 2; }

MatrixXd Inverse(const MatrixXd& positive) {
  return Symmetric(positive.llt().solve(
      MatrixXd::Identity(positive.rows(), positive.cols())));
}

// Given mu, a learner's coefficients are N(own + pull mu, sigma^2 covariance).
struct Conditional {
  Conditional() = default;
  Conditional(const Evidence& learner, const MatrixXd& precision)
      : covariance(Inverse(precision + learner.gram)),
        pull(covariance * precision),
        own(covariance * learner.moment) {}

  MatrixXd covariance;
  MatrixXd pull;
  VectorXd own;
};

std::vector<Conditional> ConditionalsOf(std::span<const Evidence> learners,
                                        const MatrixXd& precision) {
  std::vector<Conditional> given(learners.size());
  ParallelFor(learners.size(), kRange, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      given[i] = Conditional(learners[i], precision);
    }
  });
  return given;
}

// (Sigma/sigma^2 + G^-1)^-1 = P - P (P + G)^-1 P, and the rewards say of mu
// P (P + G)^-1 h.
Hierarchy::CommonMean MeanOf(std::span<const Conditional> learners,
                             const MatrixXd& precision, double regularisation) {
  struct Sums {
    MatrixXd kept;  // I - pull
    VectorXd own;
    Sums& operator+=(const Sums& other) {
      kept += other.kept;
      own += other.own;
      return *this;
    }
  };
  const Index n = precision.rows();
  const MatrixXd identity = MatrixXd::Identity(n, n);
  const Sums sums =
      SumOver(learners.size(), Sums{MatrixXd::Zero(n, n), VectorXd::Zero(n)},
              [&](Sums& sum, std::size_t i) {
                sum.kept += identity - learners[i].pull;
                sum.own += learners[i].own;
              });
  const MatrixXd covariance =
      Inverse(regularisation * identity + Symmetric(precision * sums.kept));
  return {.mean = covariance * (precision * sums.own),
          .covariance = covariance};
}

}  // namespace

Evidence EvidenceOf(const Posterior& posterior, const GaussianPrior& prior) {
  const auto n = static_cast<Index>(posterior.dim());
  const Eigen::Map<const MatrixXd> precision(prior.precision.data(), n, n);
  const Eigen::Map<const VectorXd> mean(prior.mean.data(), n);
  const Posterior::Moments moments = posterior.moments();
  const VectorXd start = precision * mean;
  return {.gram = moments.v - precision,
          .moment = moments.b - start,
          .squares = std::max(0.0, moments.c - 1 - mean.dot(start)),
          .rewards = static_cast<double>(posterior.observations())};
}

Hierarchy::Hierarchy(std::size_t dim, double regularisation)
    : regularisation_(regularisation),
      precision_(regularisation * MatrixXd::Identity(static_cast<Index>(dim),
                                                     static_cast<Index>(dim))) {
}

Hierarchy::Hierarchy(double regularisation, MatrixXd precision, double noise)
    : regularisation_(regularisation),
      precision_(std::move(precision)),
      noise_(noise) {}

void Hierarchy::FixNoise() {
  noise_ = 1;
  noise_is_fixed_ = true;
}

Hierarchy::CommonMean Hierarchy::MeanGiven(
    std::span<const Evidence> learners) const {
  return MeanOf(ConditionalsOf(learners, precision_), precision_,
                regularisation_);
}

void Hierarchy::Improve(std::span<const Evidence> learners) {
  struct Sums {
    MatrixXd spread;      // of theta_u around mu, times sigma^-2
    double residual = 0;  // expected squares of rewards less <theta_u, x>
    double squares = 0;
    double rewards = 0;
    Sums& operator+=(const Sums& other) {
      spread += other.spread;
      residual += other.residual;
      squares += other.squares;
      rewards += other.rewards;
      return *this;
    }
  };
  const Index n = precision_.rows();
  const std::vector<Conditional> conditionals =
      ConditionalsOf(learners, precision_);
  const CommonMean common = MeanOf(conditionals, precision_, regularisation_);
  const Sums sums = SumOver(
      learners.size(), Sums{.spread = MatrixXd::Zero(n, n)},
      [&](Sums& sum, std::size_t i) {
        const Evidence& learner = learners[i];
        const Conditional& given = conditionals[i];
        const VectorXd mean = given.own + given.pull * common.mean;
        const VectorXd apart = mean - common.mean;
        const MatrixXd pulled = given.pull * common.covariance;
        const MatrixXd covariance =
            given.covariance + pulled * given.pull.transpose();
        sum.spread += apart * apart.transpose() / noise_ + covariance - pulled -
                      pulled.transpose() + common.covariance;
        sum.residual += learner.squares - 2 * learner.moment.dot(mean) +
                        mean.dot(learner.gram * mean) +
                        noise_ * learner.gram.cwiseProduct(covariance).sum();
        sum.squares += learner.squares;
        sum.rewards += learner.rewards;
      });

  const auto count = static_cast<double>(learners.size());
  const auto dim = static_cast<double>(n);
  const double power = sums.squares > 0 ? sums.squares / sums.rewards : 1;
  const double noise =
      noise_is_fixed_
          ? 1
          : (std::max(0.0, sums.residual) + power) / (sums.rewards + 1);
  const MatrixXd spread = Symmetric(sums.spread) * (noise_ / noise);
  // The multiple of I has the mean variance of the learners, where one learner
  // more has that of the independent prior.
  const double variance =
      (1 / regularisation_ + spread.trace() / dim) / (count + 1);
  const double weight = dim + 1;
  precision_ = Inverse((weight * variance * MatrixXd::Identity(n, n) + spread) /
                       (weight + count));
  noise_ = noise;
}

GaussianPrior Hierarchy::PriorGiven(std::span<const Evidence> learners) const {
  // Within the bounds of PriorFactor with contexts, with room for rounding.
  constexpr double kLeastVariance = 2e-6;
  constexpr double kMostVariance = 500;
  const CommonMean common = MeanGiven(learners);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(
      Symmetric(Inverse(precision_) + common.covariance));
  const VectorXd precisions = solver.eigenvalues()
                                  .cwiseMax(kLeastVariance)
                                  .cwiseMin(kMostVariance)
                                  .cwiseInverse();
  const MatrixXd precision =
      Symmetric(solver.eigenvectors() * precisions.asDiagonal() *
                solver.eigenvectors().transpose());
  const VectorXd mean =
      common.mean.cwiseMax(-kMaxPriorMean).cwiseMin(kMaxPriorMean);
  return {
      .mean = {mean.begin(), mean.end()},
      .precision = {precision.reshaped().begin(), precision.reshaped().end()}};
}

}  // namespace manyarms
