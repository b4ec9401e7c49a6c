#include "kernels/rotations.h"

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "kernel_fixture.h"
#include "manyarms/random.h"

namespace manyarms::kernels {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kWideDims[] = {65, 66, 67, 68, 71, 72, 79, 100, 131};

std::vector<std::size_t> AllDims() {
  std::vector<std::size_t> dims(std::begin(kDims), std::end(kDims));
  dims.insert(dims.end(), std::begin(kWideDims), std::end(kWideDims));
  return dims;
}

// L L' grows by x x', and what is not part of L stays as it is.
TEST_P(Kernels, RotateInAddsASquare) {
  for (const std::size_t dim : AllDims()) {
    const auto n = static_cast<Index>(dim);
    RandomStream random(5, RandomStream::Role::kTheta, dim);
    MatrixXd lower = MatrixXd::Constant(n + 2, n, 77);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) lower(i, j) = random.Gaussian();
      lower(j, j) = 3 + random.Gaussian() / 4;
    }
    VectorXd x(n);
    for (double& v : x) v = random.Gaussian();
    const auto triangle = [n](const MatrixXd& m) -> MatrixXd {
      return m.topRows(n).triangularView<Eigen::Lower>();
    };
    const MatrixXd before = triangle(lower);
    const MatrixXd expected = before * before.transpose() + x * x.transpose();
    std::vector<double> cosines(dim);
    std::vector<double> sines(dim);
    RotateIn({x.data(), dim}, lower.data(), dim + 2, {cosines, sines});
    const MatrixXd after = triangle(lower);
    EXPECT_LT((after * after.transpose() - expected).norm(),
              1e-14 * expected.norm() * std::sqrt(static_cast<double>(dim)))
        << dim;
    for (std::size_t j = 0; j < dim; ++j) {
      EXPECT_NEAR(cosines[j] * cosines[j] + sines[j] * sines[j], 1, 1e-15);
    }
    EXPECT_TRUE((lower.bottomRows(2).array() == 77).all()) << dim;
    for (Index j = 1; j < n; ++j) EXPECT_EQ(lower(j - 1, j), 77) << dim;
  }
}

// Quarter turns of integers are exact.
TEST_P(Kernels, RotateRowsTurnsEachRowWithTheExtraOne) {
  for (const std::size_t dim : AllDims()) {
    RandomStream random(6, RandomStream::Role::kTheta, dim);
    std::vector<double> cosines(dim);
    std::vector<double> sines(dim);
    std::vector<double> rows(dim * dim, 77);
    for (std::size_t j = 0; j < dim; ++j) {
      const double sign = random.Below(2) == 0 ? 1 : -1;
      (random.Below(2) == 0 ? cosines : sines)[j] = sign;
      for (std::size_t k = 0; k <= j; ++k) {
        rows[j * dim + k] = static_cast<double>(random.Below(9)) - 4;
      }
    }
    std::vector<double> expected = rows;
    std::vector<double> last(dim);
    for (std::size_t j = 0; j < dim; ++j) {
      for (std::size_t k = 0; k <= j; ++k) {
        const double row = expected[j * dim + k];
        expected[j * dim + k] = cosines[j] * row + sines[j] * last[k];
        last[k] = cosines[j] * last[k] - sines[j] * row;
      }
    }
    std::vector<double> extra(dim);
    RotateRows({cosines, sines}, rows.data(), extra);
    EXPECT_EQ(rows, expected) << dim;
    EXPECT_EQ(extra, last) << dim;
  }
}

}  // namespace
}  // namespace manyarms::kernels
