#include "kernels/triangular.h"

#include <algorithm>
#include <array>

#include "kernels/blocked_inverse.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/triangular.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Row i of the inverse is (e_i - sum over k < i of lower(i, k) row k) divided
// by lower(i, i). A few rows are computed together, and of each as many columns
// as fit into a register, so that sums do not wait for one another; the steps
// of a substitution would.
constexpr std::size_t kRows = 4;
constexpr std::size_t kMostLanes = 8;

struct Matrices {
  const double* HWY_RESTRICT lower;
  std::size_t stride;
  std::size_t dim;
  double* HWY_RESTRICT inverse;
};

// Columns first, first + 1, ... of row i of the unit matrix.
template <class Tag>
HWY_INLINE hn::Vec<Tag> UnitRow(Tag tag, std::size_t i, std::size_t first) {
  static constexpr std::array<double, 2 * kMostLanes> kOne = {0, 0, 0, 0, 0,
                                                              0, 0, 0, 1};
  const bool is_here = first <= i && i < first + hn::Lanes(tag);
  return is_here ? hn::LoadU(tag, kOne.data() + kMostLanes - (i - first))
                 : hn::Zero(tag);
}

// Columns first, first + 1, ... of rows i, i + 1, ..., of which there are R.
template <std::size_t R, class Tag>
HWY_INLINE void InvertPart(Tag tag, const Matrices& m, std::size_t i,
                           std::size_t first) {
  hn::Vec<Tag> sums[R];
  for (std::size_t r = 0; r < R; ++r) sums[r] = UnitRow(tag, i + r, first);
  for (std::size_t k = first; k < i; ++k) {  // rows before begin with zeros
    const auto row = hn::LoadU(tag, m.inverse + k * m.dim + first);
    const double* column = m.lower + k * m.stride + i;
    for (std::size_t r = 0; r < R; ++r) {
      sums[r] = hn::NegMulAdd(hn::Set(tag, column[r]), row, sums[r]);
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    const double* column = m.lower + (i + r) * (m.stride + 1);
    sums[r] = hn::Mul(sums[r], hn::Set(tag, 1 / column[0]));
    hn::StoreU(sums[r], tag, m.inverse + (i + r) * m.dim + first);
    for (std::size_t below = 1; r + below < R; ++below) {
      sums[r + below] =
          hn::NegMulAdd(hn::Set(tag, column[below]), sums[r], sums[r + below]);
    }
  }
}

template <std::size_t R, class Tag>
HWY_INLINE void InvertRows(Tag tag, const Matrices& m, std::size_t i) {
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t first = 0;
  for (; first + lanes <= m.dim && first < i + R; first += lanes) {
    InvertPart<R>(tag, m, i, first);
  }
  // The last columns, of which some were computed before.
  if (first < i + R) {
    InvertPart<R>(tag, m, i, m.dim - lanes);
    return;
  }
  for (std::size_t r = 0; r < R; ++r) {
    std::fill_n(m.inverse + (i + r) * m.dim + first, m.dim - first, 0.0);
  }
}

// REQUIRES: a register is no wider than the matrix.
template <class Tag>
HWY_INLINE void InvertWith(Tag tag, const Matrices& m) {
  std::size_t i = 0;
  for (; i + kRows <= m.dim; i += kRows) InvertRows<kRows>(tag, m, i);
  for (; i < m.dim; ++i) InvertRows<1>(tag, m, i);
}

void InvertLower(const double* lower, std::size_t stride, std::size_t dim,
                 double* inverse) {
  const Matrices matrices{lower, stride, dim, inverse};
  // Where registers are narrow, some branches are the same.
  // NOLINTBEGIN(bugprone-branch-clone)
  if (dim >= kMostLanes) {
    InvertWith(hn::CappedTag<double, kMostLanes>(), matrices);
  } else if (dim >= 4) {
    InvertWith(hn::CappedTag<double, 4>(), matrices);
  } else {
    InvertWith(hn::CappedTag<double, 1>(), matrices);
  }
  // NOLINTEND(bugprone-branch-clone)
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
