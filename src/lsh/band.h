#ifndef MANYARMS_LSH_BAND_H_
#define MANYARMS_LSH_BAND_H_

#include <cstdint>
#include <vector>

#include "lsh/filter_tree.h"

namespace manyarms::lsh {

/// Identifies a range of lengths. Points must be scaled to length at most 1
/// before they are mapped to the sphere, and a longer point may arrive at any
/// time. So each range of lengths has its own scale and its own trees: no tree
/// is ever rebuilt for a new scale, a tree depends only on the points in it,
/// and short points are not lost among long ones (as in Yan et al. 2018,
/// "Norm-ranging LSH").
using BandNumber = int;

/// Band n holds the lengths in (2^((n-1)/2), 2^(n/2)]. The lowest band also
/// holds all shorter points, including zero.
BandNumber BandOf(double length);
double BandScale(BandNumber band);

/// The points of one band in several independent trees of one shape.
class Band {
 public:
  Band(Reduction reduction, BandNumber number, const TreeShape& shape,
       std::size_t copies, std::uint64_t seed);

  /// REQUIRES: the point's length is in this band, and it was not inserted.
  void Insert(PointNumber number, std::span<const float> point);
  /// REQUIRES: the number was inserted with this point.
  void Erase(PointNumber number, std::span<const float> point);

  double scale() const { return scale_; }
  const TreeShape& shape() const { return trees_.front().shape(); }
  const FilterTree& tree(std::size_t copy) const { return trees_[copy]; }
  std::size_t copies() const { return trees_.size(); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const;

  friend bool operator==(const Band& one, const Band& other) {
    return one.trees_ == other.trees_;
  }

 private:
  const Reduction reduction_;
  const double scale_;
  std::vector<FilterTree> trees_;
  std::vector<float> on_sphere_;  // scratch
  std::size_t size_ = 0;
};

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_BAND_H_
