#include "kernels/substitution.h"

#include <cmath>
#include <vector>

#include "kernel_fixture.h"
#include "manyarms/random.h"

namespace manyarms::kernels {
namespace {

// With twos on the diagonal and integers below, all sums are exact.
void ExpectSolved(std::size_t dim) {
  const std::size_t stride = dim + 1;  // as in the posterior
  RandomStream random(7, RandomStream::Role::kTheta, dim);
  std::vector<double> lower(stride * dim, std::nan(""));
  std::vector<double> expected(dim);
  for (std::size_t j = 0; j < dim; ++j) {
    expected[j] = static_cast<double>(random.Below(9)) - 4;
    lower[j * stride + j] = 2;
    for (std::size_t i = j + 1; i < dim; ++i) {
      lower[j * stride + i] = static_cast<double>(random.Below(9)) - 4;
    }
  }
  std::vector<double> x(dim);
  for (std::size_t j = 0; j < dim; ++j) {
    for (std::size_t i = j; i < dim; ++i) {
      x[j] += lower[j * stride + i] * expected[i];
    }
  }
  SolveTransposed(lower.data(), stride, x);
  EXPECT_EQ(x, expected) << dim;
}

TEST_P(Kernels, SolveTransposedSolves) {
  for (const std::size_t dim : kDims) ExpectSolved(dim);
  for (const std::size_t dim : {65U, 100U, 127U, 513U, 600U, 1031U}) {
    ExpectSolved(dim);
  }
}

}  // namespace
}  // namespace manyarms::kernels
