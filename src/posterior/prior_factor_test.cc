#include "posterior/prior_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>
#include <string>
#include <vector>

#include "manyarms/random.h"
#include "manyarms/types.h"
#include "posterior/posterior.h"
#include "testing.h"

namespace manyarms {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::ExpectError;

MatrixXd SomePrecision(Index n) {
  MatrixXd root(n, n);
  RandomStream(1, RandomStream::Role::kArm, 1)
      .Gaussians(std::span(root.data(), static_cast<std::size_t>(n * n)));
  return root * root.transpose() + 0.1 * MatrixXd::Identity(n, n);
}

GaussianPrior PriorOf(const VectorXd& mean, const MatrixXd& precision) {
  return {.mean = {mean.begin(), mean.end()},
          .precision = {precision.data(), precision.data() + precision.size()}};
}

// Beside V and b as they are defined.
TEST(PriorFactor, IsWhatAPosteriorBeginsWith) {
  for (const Index n : {1, 5, 80}) {
    MatrixXd v = SomePrecision(n);
    const VectorXd mean = VectorXd::LinSpaced(n, -2, 3);
    VectorXd b = v * mean;
    const auto dim = static_cast<std::size_t>(n);
    Posterior posterior(PriorFactor(PriorOf(mean, v), dim, 1e-9));
    Posterior keeping = posterior;
    keeping.KeepInverse();
    EXPECT_LT((posterior.Mean() - mean).norm(), 1e-9 * (1 + mean.norm()));
    for (std::uint64_t t = 0; t < 30; ++t) {
      const std::vector<float> x =
          testing::GaussianRows(1, dim, static_cast<unsigned>(t));
      const VectorXd wide =
          Eigen::Map<const Eigen::VectorXf>(x.data(), n).cast<double>();
      const double reward = 0.1 * static_cast<double>(t);
      const double width = std::sqrt(wide.dot(v.llt().solve(wide)));
      ASSERT_NEAR(posterior.Width(x), width, 1e-9 * (1 + width));
      ASSERT_NEAR((keeping.Inverse() * wide).norm(), width,
                  1e-9 * (1 + width));
      ASSERT_LE(width, posterior.WidestWidth() * wide.norm());
      posterior.Update(x, reward);
      keeping.Update(x, reward);
      v += wide * wide.transpose();
      b += reward * wide;
      const VectorXd expected = v.llt().solve(b);
      ASSERT_LT((posterior.Mean() - expected).norm(),
                1e-9 * (1 + expected.norm()));
    }
  }
}

TEST(PriorFactor, BoundsAllWidthsAndNotTooGenerously) {
  const Index n = 20;
  const MatrixXd precision = SomePrecision(n);
  const Posterior posterior(
      PriorFactor(PriorOf(VectorXd::Zero(n), precision), 20, 1e-9));
  // The widest direction is the eigenvector of the smallest eigenvalue.
  const MatrixXd inverse = posterior.InverseFactor();
  VectorXd widest = VectorXd::Ones(n);
  for (int i = 0; i < 2000; ++i) {
    widest = (inverse.transpose() * (inverse * widest)).normalized();
  }
  const double width = (inverse * widest).norm();
  EXPECT_GE(posterior.WidestWidth(), width);
  EXPECT_LE(posterior.WidestWidth(), 1.001 * width);
}

// lambda I and mean 0 are the same to the last bit, however they are given.
TEST(PriorFactor, IsTheRegularisationIfItIsAMultipleOfOne) {
  const Posterior expected(4, 4.0);
  const Posterior posterior(PriorFactor(
      PriorOf(VectorXd::Zero(4), 4 * MatrixXd::Identity(4, 4)), 4, 1e-9));
  std::vector<double> one(expected.packed_size());
  std::vector<double> other(posterior.packed_size());
  expected.Pack(one);
  posterior.Pack(other);
  EXPECT_EQ(one, other);
}

TEST(PriorFactor, RefusesWhatIsNoPrior) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const GaussianPrior& prior,
                          const std::vector<std::string>& words) {
    ExpectError(ErrorCode::kInvalidArgument, words,
                [&] { PriorFactor(prior, 2, 1e-3); });
  };
  refused({{1}, {1, 0, 0, 1}}, {"mean has 1 values, must have 2"});
  refused({{1, 2}, {1, 0, 1}}, {"precision has 3 values, must have 2 x 2"});
  refused({{1, kNaN}, {1, 0, 0, 1}}, {"value 1 of the prior's mean is nan"});
  refused({{1, 2e9}, {1, 0, 0, 1}}, {"2000000000", "1e+09"});
  refused({{0, 0}, {1, kNaN, 0, 1}}, {"not finite"});
  refused({{0, 0}, {1, 0.5, 0, 1}}, {"not symmetric", "0.5"});
  refused({{0, 0}, {1, 2, 2, 1}}, {"eigenvalues from -1 to 3", "0.001"});
  refused({{0, 0}, {1, 0, 0, 1e-4}}, {"0.0001", "0.001"});
  refused({{0, 0}, {1, 0, 0, 1e10}}, {"1 to 1e+10", "0.001 to 1e+09"});
  refused({{0, 0}, {0.01, 0, 0, 1e8}}, {"0.01 to 1e+08", "at most 1e+09"});
}

}  // namespace
}  // namespace manyarms
