#include "kernels/triangular.h"

#include <algorithm>
#include <vector>

#include "kernels/blocked_inverse.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/triangular.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;

// Row i of the inverse is (e_i - sum over k < i of lower(i, k) row k) divided
// by lower(i, i). Its columns are computed side by side, in registers that do
// not wait for one another; the steps of a substitution would.
void InvertLower(const double* lower, std::size_t stride, std::size_t dim,
                 double* inverse) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t width = (dim + lanes - 1) / lanes * lanes;
  std::vector<double> rows(dim * width);
  for (std::size_t i = 0; i < dim; ++i) {
    const double reciprocal = 1 / lower[i * stride + i];
    double* row = rows.data() + i * width;
    for (std::size_t first = 0; first < i; first += lanes) {
      auto sum = hn::Zero(tag);
      for (std::size_t k = first; k < i; ++k) {  // row k ends at column k
        sum = hn::MulAdd(hn::Set(tag, lower[k * stride + i]),
                         hn::LoadU(tag, rows.data() + k * width + first), sum);
      }
      hn::StoreU(hn::Mul(hn::Set(tag, -reciprocal), sum), tag, row + first);
    }
    row[i] = reciprocal;
  }
  for (std::size_t i = 0; i < dim; ++i) {
    std::copy_n(rows.data() + i * width, dim, inverse + i * dim);
  }
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(InvertLower);

// Larger matrices, and what is computed of them, leave the cache.
constexpr std::size_t kMostAtOnce = 128;

void InvertLower(const double* lower, std::size_t stride, std::size_t dim,
                 double* inverse) {
  if (dim > kMostAtOnce) {
    InvertLowerInBlocks(lower, stride, dim, inverse);
    return;
  }
  HWY_DYNAMIC_DISPATCH(InvertLower)(lower, stride, dim, inverse);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
