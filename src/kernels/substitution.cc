#include "kernels/substitution.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/substitution.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, 8>;
using One = hn::CappedTag<double, 1>;

// Inner products of this number of columns with x are taken at a time. Each is
// a sum of kParts sums, of every kParts-th row: as many as the widest registers
// have lanes.
constexpr std::size_t kColumns = 8;
constexpr std::size_t kParts = 8;
// Rows that are taken at a time, so that narrower registers find them in the
// cache when they come for the next parts.
constexpr std::size_t kRows = 512;

using Sums = double[kColumns][kParts];

// `rows` is a multiple of kParts.
HWY_INLINE void AddWhole(const double* lower, std::size_t stride,
                         const double* x, std::size_t rows, Sums& sums) {
  const Tag tag;
  for (std::size_t part = 0; part < kParts; part += hn::Lanes(tag)) {
    auto s0 = hn::LoadU(tag, sums[0] + part);
    auto s1 = hn::LoadU(tag, sums[1] + part);
    auto s2 = hn::LoadU(tag, sums[2] + part);
    auto s3 = hn::LoadU(tag, sums[3] + part);
    auto s4 = hn::LoadU(tag, sums[4] + part);
    auto s5 = hn::LoadU(tag, sums[5] + part);
    auto s6 = hn::LoadU(tag, sums[6] + part);
    auto s7 = hn::LoadU(tag, sums[7] + part);
    for (std::size_t i = part; i < rows; i += kParts) {
      const auto right = hn::LoadU(tag, x + i);
      const double* left = lower + i;
      s0 = hn::MulAdd(hn::LoadU(tag, left), right, s0);
      s1 = hn::MulAdd(hn::LoadU(tag, left + stride), right, s1);
      s2 = hn::MulAdd(hn::LoadU(tag, left + 2 * stride), right, s2);
      s3 = hn::MulAdd(hn::LoadU(tag, left + 3 * stride), right, s3);
      s4 = hn::MulAdd(hn::LoadU(tag, left + 4 * stride), right, s4);
      s5 = hn::MulAdd(hn::LoadU(tag, left + 5 * stride), right, s5);
      s6 = hn::MulAdd(hn::LoadU(tag, left + 6 * stride), right, s6);
      s7 = hn::MulAdd(hn::LoadU(tag, left + 7 * stride), right, s7);
    }
    hn::StoreU(s0, tag, sums[0] + part);
    hn::StoreU(s1, tag, sums[1] + part);
    hn::StoreU(s2, tag, sums[2] + part);
    hn::StoreU(s3, tag, sums[3] + part);
    hn::StoreU(s4, tag, sums[4] + part);
    hn::StoreU(s5, tag, sums[5] + part);
    hn::StoreU(s6, tag, sums[6] + part);
    hn::StoreU(s7, tag, sums[7] + part);
  }
}

// sum + a b, rounded as in registers.
HWY_INLINE double AddProduct(double a, double b, double sum) {
  const One one;
  return hn::GetLane(
      hn::MulAdd(hn::Set(one, a), hn::Set(one, b), hn::Set(one, sum)));
}

HWY_INLINE double Total(const double* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

void SolveTransposed(const double* lower, std::size_t stride,
                     std::span<double> x) {
  const std::size_t dim = x.size();
  for (std::size_t end = dim; end > 0;) {
    // Only the last columns, with nothing below them, are fewer than kColumns.
    const std::size_t first = (end - 1) / kColumns * kColumns;
    const std::size_t columns = end - first;
    const double* corner = lower + first * stride;
    Sums sums = {};
    std::size_t row = end;
    const std::size_t whole = end + (dim - end) / kParts * kParts;
    for (; row < whole; row += HWY_MIN(kRows, whole - row)) {
      AddWhole(corner + row, stride, x.data() + row,
               HWY_MIN(kRows, whole - row), sums);
    }
    for (std::size_t c = columns; c-- > 0;) {
      const double* column = corner + c * stride;
      for (std::size_t i = whole; i < dim; ++i) {
        sums[c][i - whole] = AddProduct(column[i], x[i], sums[c][i - whole]);
      }
      double sum = Total(sums[c]);
      for (std::size_t i = end; i-- > first + c + 1;) {
        sum = AddProduct(column[i], x[i], sum);
      }
      x[first + c] = (x[first + c] - sum) / column[first + c];
    }
    end = first;
  }
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(SolveTransposed);

void SolveTransposed(const double* lower, std::size_t stride,
                     std::span<double> x) {
  HWY_DYNAMIC_DISPATCH(SolveTransposed)(lower, stride, x);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
