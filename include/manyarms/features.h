#ifndef MANYARMS_FEATURES_H_
#define MANYARMS_FEATURES_H_

#include <cstddef>
#include <span>

namespace manyarms {

/// A view of the caller's feature vectors, one in each row: floats or doubles
/// with any strides. It does not own them and copies a row only when asked to.
class FeatureRows {
 public:
  /// Distances in elements, not in bytes.
  struct Strides {
    std::ptrdiff_t row = 0;     ///< from a row to the next
    std::ptrdiff_t column = 1;  ///< from a column to the next
  };

  FeatureRows(const float* values, std::size_t rows, std::size_t columns,
              Strides strides)
      : floats_(values), rows_(rows), columns_(columns), strides_(strides) {}
  FeatureRows(const double* values, std::size_t rows, std::size_t columns,
              Strides strides)
      : doubles_(values), rows_(rows), columns_(columns), strides_(strides) {}

  /// Copies a row; doubles are rounded to float. REQUIRES: out.size() ==
  /// columns().
  void Copy(std::size_t row, std::span<float> out) const {
    if (doubles_ == nullptr) {
      Copy(floats_, row, out);
    } else {
      Copy(doubles_, row, out);
    }
  }

  /// The row itself if its values are floats that follow one another, otherwise
  /// null. REQUIRES: row < rows().
  const float* FloatRow(std::size_t row) const {
    if (floats_ == nullptr || strides_.column != 1) return nullptr;
    return floats_ + static_cast<std::ptrdiff_t>(row) * strides_.row;
  }

  /// A value as it was given. REQUIRES: row < rows(), column < columns().
  double At(std::size_t row, std::size_t column) const {
    const std::ptrdiff_t place =
        static_cast<std::ptrdiff_t>(row) * strides_.row +
        static_cast<std::ptrdiff_t>(column) * strides_.column;
    return doubles_ == nullptr ? static_cast<double>(floats_[place])
                               : doubles_[place];
  }

  const Strides& strides() const { return strides_; }
  bool are_doubles() const { return doubles_ != nullptr; }
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
