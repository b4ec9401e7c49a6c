#ifndef MANYARMS_LSH_POINT_TABLE_H_
#define MANYARMS_LSH_POINT_TABLE_H_

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/large_allocator.h"
#include "lsh/filter_tree.h"

namespace manyarms::lsh {

/// Points as rows, so that looking at one costs as few cache lines as it has.
/// (A catalogue keeps sixteen arms side by side, which suits a scan; one of
/// them alone is spread over a line for every feature.)
class PointTable {
 public:
  explicit PointTable(std::size_t dim)
      : dim_(dim), stride_((dim + 3) / 4 * 4) {}

  /// Copies the point and gives it a number that nobody else has now.
  PointNumber Add(std::span<const float> point);
  void Remove(PointNumber number);
  void Clear();

  std::span<const float> operator[](PointNumber number) const {
    return {row(number), dim_};
  }

  /// As operator[], with zeros up to a multiple of four.
  const float* row(PointNumber number) const {
    return values_.data() + std::size_t{number} * stride_;
  }
  void Prefetch(PointNumber number) const {
    __builtin_prefetch(row(number));
    if (stride_ > 16) __builtin_prefetch(row(number) + 16);
  }
  std::size_t stride() const { return stride_; }
  std::size_t dim() const { return dim_; }

  /// All numbers are below.
  std::size_t end() const { return there_.size(); }
  std::size_t size() const { return end() - free_.size(); }
  bool Contains(PointNumber number) const {
    return number < there_.size() && there_[number];
  }

 private:
  const std::size_t dim_;
  const std::size_t stride_;
  std::vector<float, LargeAllocator<float>> values_;
  std::vector<bool> there_;
  std::vector<PointNumber> free_;
};

/// A bound on what two inner products of floats, each summed in some order, may
/// differ by, for vectors whose lengths have this product.
inline double RoundingError(std::size_t dim, double lengths) {
  return 2 * static_cast<double>(dim + 8) * 0x1p-24 * lengths;
}

/// In double precision.
double InnerProduct(std::span<const float> p, std::span<const float> q);
inline double Length(std::span<const float> p) {
  return std::sqrt(InnerProduct(p, p));
}

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_POINT_TABLE_H_
