#ifndef MANYARMS_SEARCH_CERTIFIED_COARSE_BOUNDS_H_
#define MANYARMS_SEARCH_CERTIFIED_COARSE_BOUNDS_H_

#include <cstdint>

#include "catalogue/compact_copy.h"
#include "search/certified/snapshot.h"

namespace manyarms {

/// Bounds of the arms of a compact copy under a snapshot. The coarse ones need
/// the length of an arm's group and one inner product of bytes: no arm's centre
/// is above CentreAt(group, <h, q>), and no arm's width above Width(group). The
/// fine ones are those of scale q, made larger by what q neglects.
/// docs/design.md has the proof.
class CoarseBounds {
 public:
  /// Refers to the snapshot.
  explicit CoarseBounds(const Snapshot& snapshot);

  /// Fine bounds of all arms of a compact block.
  void Of(const CompactCopy::Group& group, const std::uint8_t* compact,
          kernels::BlockBounds& bounds);

  const kernels::CompactDirection& direction() const { return direction_; }

  double CentreAt(const CompactCopy::Group& group, std::int32_t product) const;
  double Width(const CompactCopy::Group& group) const;

  /// An arm of the group whose <h, q> is below this has a centre + r width
  /// below the cutoff.
  std::int32_t Threshold(const CompactCopy::Group& group, double radius,
                         float cutoff) const;

  /// The width of an arm of this length is at most this times the length, but
  /// for rounding.
  double widest() const { return norm_; }

 private:
  double Slack(const CompactCopy::Group& group) const;

  const Snapshot& snapshot_;
  kernels::BoundTerms terms_;
  kernels::CompactDirection direction_;
  double norm_;
  LargeBuffer<float> block_;  // scratch
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_COARSE_BOUNDS_H_
