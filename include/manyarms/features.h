#ifndef MANYARMS_FEATURES_H_
#define MANYARMS_FEATURES_H_

#include <cstddef>
#include <span>

namespace manyarms {

/// Feature vectors as the caller holds them, one row each: floats or doubles,
/// at whatever distance from one another. Refers to them, and copies nothing
/// until somebody asks for a row.
class FeatureRows {
 public:
  /// So many elements lie between a value and the next in the same column or
  /// row.
  struct Strides {
    std::ptrdiff_t row = 0;
    std::ptrdiff_t column = 1;
  };

  FeatureRows(const float* values, std::size_t rows, std::size_t columns,
              Strides strides)
      : floats_(values), rows_(rows), columns_(columns), strides_(strides) {}
  FeatureRows(const double* values, std::size_t rows, std::size_t columns,
              Strides strides)
      : doubles_(values), rows_(rows), columns_(columns), strides_(strides) {}

  /// REQUIRES: out.size() == columns(). Doubles are rounded.
  void Copy(std::size_t row, std::span<float> out) const {
    if (doubles_ == nullptr) {
      Copy(floats_, row, out);
    } else {
      Copy(doubles_, row, out);
    }
  }

  /// A value as it was given. REQUIRES: row < rows(), column < columns().
  double At(std::size_t row, std::size_t column) const {
    const std::ptrdiff_t place =
        static_cast<std::ptrdiff_t>(row) * strides_.row +
        static_cast<std::ptrdiff_t>(column) * strides_.column;
    return doubles_ == nullptr ? static_cast<double>(floats_[place])
                               : doubles_[place];
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

 private:
  template <class Real>
  void Copy(const Real* values, std::size_t row, std::span<float> out) const {
    const Real* value =
        values + static_cast<std::ptrdiff_t>(row) * strides_.row;
    for (float& to : out) {
      to = static_cast<float>(*value);
      value += strides_.column;
    }
  }

  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
  std::size_t rows_;
  std::size_t columns_;
  Strides strides_;
};

}  // namespace manyarms

#endif  // MANYARMS_FEATURES_H_
