#include "kernels/packed_factor.h"

#include <algorithm>

namespace manyarms::kernels {

void PackedFactor::Pack(const double* lower, std::size_t dim) {
  dim_ = dim;
  const std::size_t bands = (dim + kRows - 1) / kRows;
  values_.resize(kRows * (kRows * bands * (bands + 1) / 2));
  float* out = values_.data();
  for (std::size_t row = 0; row < dim; row += kRows) {
    for (std::size_t j = 0; j < std::min(row + kRows, dim); ++j) {
      for (std::size_t i = row; i < row + kRows; ++i) {
        const bool inside = i < dim && j <= i;
        *out++ = inside ? static_cast<float>(lower[j * dim + i]) : 0.0F;
      }
    }
  }
}

}  // namespace manyarms::kernels
