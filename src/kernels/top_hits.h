#ifndef MANYARMS_KERNELS_TOP_HITS_H_
#define MANYARMS_KERNELS_TOP_HITS_H_

#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/blocks.h"

namespace manyarms::kernels {

/// The best so many of the arms that were offered: higher scores first, equal
/// ones by the smaller id.
class TopHits {
 public:
  /// `bar`: arms with a score below it need not be kept. REQUIRES: count > 0.
  explicit TopHits(std::size_t count,
                   float bar = -std::numeric_limits<float>::infinity())
      : count_(count), least_(bar) {}

  /// No arm with a score below this can be among them any more.
  float bar() const {
    return heap_.size() == count_ ? heap_.front().hit.score : least_;
  }
  bool full() const { return heap_.size() == count_; }
  std::size_t count() const { return count_; }

  void Offer(const Hit& hit, ArmId id);

  /// Of one block: a score for each lane.
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
  float least_;
  std::vector<Entry> heap_;  // the worst on top
};

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_TOP_HITS_H_
