#include "kernels/blocked_inverse.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/triangular.h"
#include "manyarms/random.h"

namespace manyarms::kernels {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Below the diagonal of an n x n matrix, in one of n + 1 rows as the posterior
// has it. Elsewhere lies what must not be read.
MatrixXd Padded(const MatrixXd& lower) {
  const Index n = lower.rows();
  MatrixXd padded = MatrixXd::Constant(n + 1, n, std::nan(""));
  for (Index j = 0; j < n; ++j) {
    padded.col(j).segment(j, n - j) = lower.col(j).tail(n - j);
  }
  return padded;
}

template <class Invert>
MatrixXd Inverse(const Invert& invert, const MatrixXd& lower) {
  const MatrixXd padded = Padded(lower);
  const auto dim = static_cast<std::size_t>(lower.rows());
  MatrixXd inverse = MatrixXd::Constant(lower.rows(), lower.rows(), -77);
  invert(padded.data(), dim + 1, dim, inverse.data());
  return inverse.transpose();  // it is row-major
}

// The Cholesky factor of a posterior: of lambda I and some observations.
MatrixXd PosteriorFactor(Index n, Index observations, double lambda) {
  MatrixXd x(n, observations);
  RandomStream random(5, RandomStream::Role::kTheta, 0);
  for (double& v : x.reshaped()) v = random.Gaussian();
  const MatrixXd v = lambda * MatrixXd::Identity(n, n) + x * x.transpose();
  return v.llt().matrixL();
}

class BlockedInverse : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { Force(GetParam()); }
  void TearDown() override { Force(0); }

 private:
  static void Force(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

// I + N, where N leads from each third of the coordinates to the ones behind
// it, so that N^3 = 0 and the inverse is I - N + N^2. All numbers are integers,
// so that equality is exact in whatever order sums are taken.
TEST_P(BlockedInverse, IsExactOnIntegers) {
  for (const Index n :
       {1,  2,  3,   4,   5,   15,  16,  17,  31,  32,  33,  63,
        64, 65, 100, 127, 128, 129, 159, 160, 161, 200, 257, 300}) {
    RandomStream random(6, RandomStream::Role::kTheta,
                        static_cast<std::uint64_t>(n));
    MatrixXd step = MatrixXd::Zero(n, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        if (3 * i / n > 3 * j / n) {
          step(i, j) = static_cast<double>(random.Below(9)) - 4;
        }
      }
    }
    const MatrixXd identity = MatrixXd::Identity(n, n);
    const MatrixXd expected = identity - step + step * step;
    EXPECT_TRUE(Inverse(InvertLowerInBlocks, identity + step) == expected) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryInstructionSet, BlockedInverse,
    ::testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
    [](const auto& param) {
      return std::string(hwy::TargetName(param.param));
    });

// Errors are compared with those of Eigen's substitution: both are some units
// in the last place times the condition of the factor, which is up to 10^3
// here.
TEST(InvertLower, IsAsAccurateAsASubstitution) {
  for (const Index n : {129, 300, 1000}) {
    for (const double lambda : {1.0, 1e-4}) {
      const MatrixXd lower = PosteriorFactor(n, n / 2, lambda);
      const MatrixXd inverse = Inverse(InvertLower, lower);
      const MatrixXd expected =
          lower.triangularView<Eigen::Lower>().solve(MatrixXd::Identity(n, n));
      const MatrixXd identity = MatrixXd::Identity(n, n);
      EXPECT_LT((inverse - expected).norm() / expected.norm(), 1e-11) << n;
      EXPECT_LT((lower * inverse - identity).norm(),
                4 * (lower * expected - identity).norm())
          << n;
      EXPECT_TRUE(inverse.isLowerTriangular(0));
    }
  }
}

double BestSeconds(Index n, int runs) {
  MatrixXd lower = MatrixXd::Constant(n, n, 0.01);
  lower.diagonal().setOnes();
  const MatrixXd padded = Padded(lower);
  const auto dim = static_cast<std::size_t>(n);
  MatrixXd inverse(n, n);
  double best = HUGE_VAL;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    InvertLower(padded.data(), dim + 1, dim, inverse.data());
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

// 32 times the features take 32^3 times the work, and less than that in time,
// as the small matrix is inverted without blocks: 0.45 times as much was
// measured, and 17 to 25 times as much when rows of the large matrix drove one
// another out of the cache. 4 leaves room for a slow memory.
TEST(InvertLower, TakesTimeAsTheCube) {
  EXPECT_LT(BestSeconds(2048, 3), 4 * 32 * 32 * 32 * BestSeconds(64, 200));
}

}  // namespace
}  // namespace manyarms::kernels
