#include "kernels/packed_factor.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/packed_factor.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;

// Interleaves the first columns of four rows that are `stride` apart, and
// returns how many columns: as many registers as there are in `count`.
std::size_t Interleave(const double* rows, std::size_t stride,
                       std::size_t count, double scale,
                       float* HWY_RESTRICT out) {
  static_assert(PackedFactor::kRows == 4);
  const Tag tag;
  const hn::Rebind<float, Tag> narrow;
  const std::size_t lanes = hn::Lanes(tag);
  const auto factor = hn::Set(tag, scale);
  const auto load = [&](const double* from) {
    return hn::DemoteTo(narrow, hn::Mul(factor, hn::LoadU(tag, from)));
  };
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    hn::StoreInterleaved4(
        load(rows + j), load(rows + stride + j), load(rows + 2 * stride + j),
        load(rows + 3 * stride + j), narrow, out + j * PackedFactor::kRows);
  }
  return j;
}

void Pack(const double* lower, std::size_t dim, double scale, float* out) {
  constexpr std::size_t kRows = PackedFactor::kRows;
  for (std::size_t row = 0; row < dim; row += kRows) {
    const std::size_t columns = HWY_MIN(row + kRows, dim);
    std::size_t j = 0;
    if (row + kRows <= dim) {  // up to the diagonal all rows have entries
      j = Interleave(lower + row * dim, dim, row, scale, out);
    }
    for (; j < columns; ++j) {
      for (std::size_t i = row; i < row + kRows; ++i) {
        const bool inside = i < dim && j <= i;
        out[j * kRows + i - row] =
            inside ? static_cast<float>(scale * lower[i * dim + j]) : 0.0F;
      }
    }
    out += columns * kRows;
  }
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(Pack);

void PackedFactor::Pack(const double* lower, std::size_t dim, double scale) {
  dim_ = dim;
  const std::size_t bands = (dim + kRows - 1) / kRows;
  values_.resize(kRows * (kRows * bands * (bands + 1) / 2));
  HWY_DYNAMIC_DISPATCH(Pack)(lower, dim, scale, values_.data());
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
