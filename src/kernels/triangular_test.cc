#include "kernels/triangular.h"

#include <Eigen/Dense>
#include <cmath>

#include "kernel_fixture.h"
#include "manyarms/random.h"

namespace manyarms::kernels {
namespace {

TEST_P(Kernels, InvertLowerInverts) {
  for (const std::size_t dim : kDims) {
    const std::size_t stride = dim + 1;  // as in the posterior
    const auto n = static_cast<Eigen::Index>(dim);
    Eigen::MatrixXd lower = Eigen::MatrixXd::Constant(n + 1, n, std::nan(""));
    RandomStream random(5, RandomStream::Role::kTheta, dim);
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Eigen::Index i = j; i < n; ++i) lower(i, j) = random.Gaussian();
      lower(j, j) = 3 + random.Gaussian() / 4;
    }
    Eigen::MatrixXd inverse(n, n);
    InvertLower(lower.data(), stride, dim, inverse.data());
    inverse.transposeInPlace();  // it is row-major
    const Eigen::MatrixXd whole =
        lower.topRows(n).triangularView<Eigen::Lower>();
    EXPECT_LT((whole * inverse - Eigen::MatrixXd::Identity(n, n)).norm(), 1e-9)
        << dim;
    for (Eigen::Index j = 1; j < n; ++j) EXPECT_EQ(inverse(j - 1, j), 0.0);
  }
}

}  // namespace
}  // namespace manyarms::kernels
