#ifndef MANYARMS_LSH_POINT_TABLE_H_
#define MANYARMS_LSH_POINT_TABLE_H_

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/large_allocator.h"
#include "lsh/filter_tree.h"

namespace manyarms::lsh {

/// Points stored as rows, so that reading one touches as few cache lines as
/// possible. (A catalogue interleaves sixteen arms, which suits a scan, but
/// puts each feature of one arm on a different cache line.)
class PointTable {
 public:
  explicit PointTable(std::size_t dim)
      : dim_(dim), stride_((dim + 3) / 4 * 4) {}

  /// Copies the point and returns a number that no other point in the table
  /// has. Numbers of removed points are reused.
  PointNumber Add(std::span<const float> point);
  void Remove(PointNumber number);
  void Clear();

  std::span<const float> operator[](PointNumber number) const {
    return {row(number), dim_};
  }

  /// The same row, padded with zeros to stride(), a multiple of four.
  const float* row(PointNumber number) const {
    return values_.data() + std::size_t{number} * stride_;
  }
  void Prefetch(PointNumber number) const {
    __builtin_prefetch(row(number));
    if (stride_ > 16) __builtin_prefetch(row(number) + 16);
  }
  std::size_t stride() const { return stride_; }
  std::size_t dim() const { return dim_; }

  /// All point numbers are below this.
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

/// A bound on the difference of two inner products of the same float vectors,
/// summed in different orders. `lengths` is the product of the two lengths.
inline double RoundingError(std::size_t dim, double lengths) {
  return 2 * static_cast<double>(dim + 8) * 0x1p-24 * lengths;
}

/// The inner product in double precision.
double InnerProduct(std::span<const float> p, std::span<const float> q);
inline double Length(std::span<const float> p) {
  return std::sqrt(InnerProduct(p, p));
}

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_POINT_TABLE_H_
