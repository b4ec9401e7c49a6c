#include "kernels/blocked_inverse.h"

#include <algorithm>
#include <vector>

#include "kernels/triangular.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/blocked_inverse.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, 8>;

// With X the inverse and L the matrix, in blocks of rows and columns: X(I, I) =
// L(I, I)^-1, and for J < I
//     X(I, J) = -X(I, I) * sum over J <= K < I of L(I, K) X(K, J).
// The sums are nearly all of the work. X is kept in strips, a few columns wide,
// whose rows lie one after another in memory, and L(I, K) is copied into groups
// of a few rows. In the places where both lie before, rows or columns are apart
// by nearly a power of two, so that they would drive one another out of the
// cache.
constexpr std::size_t kBlock = 32;   // rows of I, a multiple of all below
constexpr std::size_t kGroup = 4;    // rows of L(I, K) that are used at a time
constexpr std::size_t kStrip = 2;    // registers that a strip is wide
constexpr std::size_t kDepth = 128;  // rows of a strip that stay in the cache

std::size_t StripWidth() { return kStrip * hn::Lanes(Tag()); }

// Adds to `sums`, kGroup rows of a strip's width, the sum over n < depth of
// left[n][0 .. kGroup) times right[n][0 .. width). Sixteen registers are
// enough.
void AddProducts(const double* HWY_RESTRICT left,
                 const double* HWY_RESTRICT right, std::size_t depth,
                 double* HWY_RESTRICT sums) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t width = kStrip * lanes;
  auto a0 = hn::LoadU(tag, sums);
  auto a1 = hn::LoadU(tag, sums + lanes);
  auto b0 = hn::LoadU(tag, sums + width);
  auto b1 = hn::LoadU(tag, sums + width + lanes);
  auto c0 = hn::LoadU(tag, sums + 2 * width);
  auto c1 = hn::LoadU(tag, sums + 2 * width + lanes);
  auto d0 = hn::LoadU(tag, sums + 3 * width);
  auto d1 = hn::LoadU(tag, sums + 3 * width + lanes);
  for (std::size_t n = 0; n < depth; ++n) {
    const auto right0 = hn::LoadU(tag, right);
    const auto right1 = hn::LoadU(tag, right + lanes);
    const auto a = hn::Set(tag, left[0]);
    a0 = hn::MulAdd(a, right0, a0);
    a1 = hn::MulAdd(a, right1, a1);
    const auto b = hn::Set(tag, left[1]);
    b0 = hn::MulAdd(b, right0, b0);
    b1 = hn::MulAdd(b, right1, b1);
    const auto c = hn::Set(tag, left[2]);
    c0 = hn::MulAdd(c, right0, c0);
    c1 = hn::MulAdd(c, right1, c1);
    const auto d = hn::Set(tag, left[3]);
    d0 = hn::MulAdd(d, right0, d0);
    d1 = hn::MulAdd(d, right1, d1);
    left += kGroup;
    right += width;
  }
  hn::StoreU(a0, tag, sums);
  hn::StoreU(a1, tag, sums + lanes);
  hn::StoreU(b0, tag, sums + width);
  hn::StoreU(b1, tag, sums + width + lanes);
  hn::StoreU(c0, tag, sums + 2 * width);
  hn::StoreU(c1, tag, sums + 2 * width + lanes);
  hn::StoreU(d0, tag, sums + 3 * width);
  hn::StoreU(d1, tag, sums + 3 * width + lanes);
}

// X. Strip s has the columns from s * width() on, and its rows from that
// number on: above lie zeros.
class Strips {
 public:
  explicit Strips(std::size_t dim)
      : dim_(dim),
        width_(StripWidth()),
        count_((dim + width_ - 1) / width_),
        values_(Offset(count_)) {}

  std::size_t width() const { return width_; }
  std::size_t count() const { return count_; }

  // REQUIRES: strip * width() <= row.
  double* Row(std::size_t strip, std::size_t row) {
    return values_.data() + Offset(strip) + (row - strip * width_) * width_;
  }

 private:
  // What the strips before take: dim rows, dim - width, dim - 2 width, ...
  std::size_t Offset(std::size_t strip) const {
    if (strip == 0) return 0;
    return width_ * (strip * dim_ - width_ * (strip * (strip - 1) / 2));
  }

  std::size_t dim_;
  std::size_t width_;
  std::size_t count_;
  std::vector<double> values_;
};

// Some rows of a column-major matrix in groups of kGroup: all columns of the
// first group, one after another, then those of the next. Rows that are missing
// from the last group are zero.
class GroupedRows {
 public:
  explicit GroupedRows(std::size_t most_columns)
      : values_(kBlock * most_columns) {}

  void Take(const double* matrix, std::size_t stride, std::size_t rows,
            std::size_t columns) {
    columns_ = columns;
    const std::size_t groups = (rows + kGroup - 1) / kGroup;
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t g = 0; g < groups; ++g) {
        double* out = values_.data() + (g * columns + j) * kGroup;
        for (std::size_t r = 0; r < kGroup; ++r) {
          const std::size_t row = g * kGroup + r;
          out[r] = row < rows ? matrix[j * stride + row] : 0;
        }
      }
    }
  }

  const double* Columns(std::size_t group, std::size_t from) const {
    return values_.data() + (group * columns_ + from) * kGroup;
  }

 private:
  std::size_t columns_ = 0;
  std::vector<double> values_;
};

void CopyRows(Strips& strips, std::size_t dim, double* inverse) {
  const std::size_t width = strips.width();
  for (std::size_t i = 0; i < dim; ++i) {
    double* row = inverse + i * dim;
    for (std::size_t s = 0; s < strips.count(); ++s) {
      const std::size_t columns = std::min(width, dim - s * width);
      if (s * width <= i) {
        std::copy_n(strips.Row(s, i), columns, row + s * width);
      } else {
        std::fill_n(row + s * width, columns, 0.0);
      }
    }
  }
}

}  // namespace

void InvertLowerInBlocks(const double* lower, std::size_t stride,
                         std::size_t dim, double* inverse) {
  Strips strips(dim);
  const std::size_t width = strips.width();
  std::vector<double> diagonal(kBlock * kBlock);  // X(I, I), by rows
  std::vector<double> columns(kBlock * kBlock);   // the same, by columns
  GroupedRows diagonal_groups(kBlock);
  GroupedRows left(dim);  // L(I, K) for all K < I
  std::vector<double> sums(kBlock * width);
  std::vector<double> products(kBlock * width);
  for (std::size_t first = 0; first < dim; first += kBlock) {
    const std::size_t rows = std::min(kBlock, dim - first);
    const std::size_t groups = (rows + kGroup - 1) / kGroup;
    kernels::InvertLower(lower + first * stride + first, stride, rows,
                         diagonal.data());
    for (std::size_t j = 0; j < rows; ++j) {
      const std::size_t strip = (first + j) / width;
      for (std::size_t i = 0; i < rows; ++i) {
        columns[j * rows + i] = diagonal[i * rows + j];
      }
      for (std::size_t i = j; i < rows; ++i) {
        strips.Row(strip, first + i)[(first + j) % width] =
            columns[j * rows + i];
      }
    }
    diagonal_groups.Take(columns.data(), rows, rows, rows);
    left.Take(lower + first, stride, rows, first);
    for (std::size_t s = 0; s * width < first; ++s) {
      std::ranges::fill(sums, 0.0);
      for (std::size_t k = s * width; k < first; k += kDepth) {
        const std::size_t depth = std::min(kDepth, first - k);
        for (std::size_t g = 0; g < groups; ++g) {
          AddProducts(left.Columns(g, k), strips.Row(s, k), depth,
                      sums.data() + g * kGroup * width);
        }
      }
      std::ranges::fill(products, 0.0);
      for (std::size_t g = 0; g < groups; ++g) {
        AddProducts(diagonal_groups.Columns(g, 0), sums.data(),
                    std::min((g + 1) * kGroup, rows),
                    products.data() + g * kGroup * width);
      }
      std::transform(
          products.begin(),
          products.begin() + static_cast<std::ptrdiff_t>(rows * width),
          strips.Row(s, first), [](double v) { return -v; });
    }
  }
  CopyRows(strips, dim, inverse);
}

}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(InvertLowerInBlocks);

void InvertLowerInBlocks(const double* lower, std::size_t stride,
                         std::size_t dim, double* inverse) {
  HWY_DYNAMIC_DISPATCH(InvertLowerInBlocks)
  (lower, stride, dim, inverse);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
