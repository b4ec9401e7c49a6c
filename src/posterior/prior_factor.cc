#include "posterior/prior_factor.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>

#include "manyarms/error.h"
#include "manyarms/types.h"

namespace manyarms {
namespace {

using Eigen::Index;

[[noreturn]] void Fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

void CheckMean(const std::vector<double>& mean, std::size_t dim) {
  if (mean.size() != dim) {
    Fail(fmt::format("the prior's mean has {} values, must have {}",
                     mean.size(), dim));
  }
  for (std::size_t i = 0; i < dim; ++i) {
    // Written so that NaN fails too.
    if (!(std::abs(mean[i]) <= kMaxPriorMean)) {
      Fail(fmt::format(
          "value {} of the prior's mean is {}, must be finite and at most {:g} "
          "in magnitude",
          i, mean[i], kMaxPriorMean));
    }
  }
}

// Symmetric to the last bit.
Eigen::MatrixXd CheckedPrecision(const std::vector<double>& given,
                                 std::size_t dim) {
  if (given.size() != dim * dim) {
    Fail(fmt::format("the prior's precision has {} values, must have {} x {}",
                     given.size(), dim, dim));
  }
  const auto n = static_cast<Index>(dim);
  const Eigen::Map<const Eigen::MatrixXd> precision(given.data(), n, n);
  if (!precision.allFinite()) Fail("the prior's precision is not finite");
  const double largest = precision.cwiseAbs().maxCoeff();
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < j; ++i) {
      if (std::abs(precision(i, j) - precision(j, i)) <= 1e-9 * largest) {
        continue;
      }
      Fail(fmt::format(
          "the prior's precision is not symmetric: the entry in row {}, "
          "column {} is {}, and in row {}, column {} it is {}",
          j, i, precision(i, j), i, j, precision(j, i)));
    }
  }
  return (precision + precision.transpose()) / 2;
}

}  // namespace

PriorFactor::PriorFactor(const GaussianPrior& prior, std::size_t dim,
                         double least) {
  CheckMean(prior.mean, dim);
  const Eigen::MatrixXd precision = CheckedPrecision(prior.precision, dim);
  const Eigen::VectorXd eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(precision,
                                                     Eigen::EigenvaluesOnly)
          .eigenvalues();
  const double lowest = eigenvalues.minCoeff();
  const double highest = eigenvalues.maxCoeff();
  if (!(lowest >= least && highest <= kMaxRegularisation)) {
    Fail(
        fmt::format("the prior's precision has eigenvalues from {:g} to {:g}, "
                    "must be from {:g} to {:g}",
                    lowest, highest, least, kMaxRegularisation));
  }
  if (!(lowest * kMaxPriorCondition >= highest)) {
    Fail(
        fmt::format("the prior's precision has eigenvalues from {:g} to {:g}, "
                    "whose ratio must be at most {:g}",
                    lowest, highest, kMaxPriorCondition));
  }
  // The solver's error is at most a few times this.
  const double error = static_cast<double>(dim + 10) * 0x1p-50 * highest;
  floor_ = std::max(lowest - error, lowest / 2);

  const auto n = static_cast<Index>(dim);
  const Eigen::MatrixXd lower = precision.llt().matrixL();
  const Eigen::Map<const Eigen::VectorXd> mean(prior.mean.data(), n);
  factor_ = Eigen::MatrixXd::Zero(n + 1, n + 1);
  factor_.topLeftCorner(n, n) = lower;
  factor_.bottomLeftCorner(1, n) = (lower.transpose() * mean).transpose();
  factor_(n, n) = 1;
}

}  // namespace manyarms
