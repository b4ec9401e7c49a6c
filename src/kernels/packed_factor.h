#ifndef MANYARMS_KERNELS_PACKED_FACTOR_H_
#define MANYARMS_KERNELS_PACKED_FACTOR_H_

#include <cstddef>
#include <vector>

namespace manyarms::kernels {

/// A lower triangular matrix in the order in which the kernels read it: four
/// rows at a time, interleaved, so that one load of a coordinate serves four
/// rows. Rows are padded with zeros, which do not change any sum.
class PackedFactor {
 public:
  PackedFactor() = default;
  PackedFactor(const double* lower, std::size_t dim, double scale = 1) {
    Pack(lower, dim, scale);
  }

  /// Takes `scale` times a matrix that is row-major, dim x dim. The part above
  /// the diagonal is not read.
  void Pack(const double* lower, std::size_t dim, double scale = 1);

  static constexpr std::size_t kRows = 4;

  const float* data() const { return values_.data(); }
  std::size_t dim() const { return dim_; }
  std::size_t memory_bytes() const {
    return values_.capacity() * sizeof(float);
  }

 private:
  std::size_t dim_ = 0;
  std::vector<float> values_;
};

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_PACKED_FACTOR_H_
