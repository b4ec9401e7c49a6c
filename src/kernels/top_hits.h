#ifndef MANYARMS_KERNELS_TOP_HITS_H_
#define MANYARMS_KERNELS_TOP_HITS_H_

#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/blocks.h"
#include "kernels/slot.h"

namespace manyarms::kernels {

/// The lowest bar: every score but NaN reaches it.
inline constexpr float kNoBar = -std::numeric_limits<float>::infinity();

/// The best `count` of the arms that were offered: higher scores first, equal
/// ones by the smaller id.
class TopHits {
 public:
  /// Arms with a score below `bar` are not kept. REQUIRES: count > 0.
  explicit TopHits(std::size_t count, float bar = kNoBar)
      : count_(count), lowest_bar_(bar) {}

  /// A score must be at least this for its arm to be among the best.
  float bar() const {
    return heap_.size() == count_ ? heap_.front().hit.score : lowest_bar_;
  }
  bool full() const { return heap_.size() == count_; }
  std::size_t count() const { return count_; }

  /// A score that is NaN is never kept.
  void Offer(const Hit& hit, ArmId id);

  /// Offers the given lanes of one block; `scores` has one for each lane.
  void Offer(const BlockTable& table, const MaskedBlock& masked,
             const float* scores);

  struct Entry {
    Hit hit;
    ArmId id;
  };
  /// In no particular order.
  const std::vector<Entry>& entries() const { return heap_; }

  /// Best first.
  std::vector<Hit> Sorted() const;

 private:
  std::size_t count_;
  float lowest_bar_;
  std::vector<Entry> heap_;  // the worst of them in front
};

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_TOP_HITS_H_
