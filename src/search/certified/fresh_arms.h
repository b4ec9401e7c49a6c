#ifndef MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_
#define MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "kernels/arm_set.h"

namespace manyarms {

/// A small set of arms: memory for those in it only, however many arms there
/// are.
class FreshArms {
 public:
  /// Removes the arms in `changed` and adds those in `added`, which are among
  /// them. Both are in ascending order of blocks. O(n).
  void Replace(std::span<const MaskedBlock> changed,
               std::span<const MaskedBlock> added) {
    std::vector<MaskedBlock> kept;
    kept.reserve(blocks_.size());
    auto gone = changed.begin();
    for (MaskedBlock masked : blocks_) {
      while (gone != changed.end() && gone->block < masked.block) ++gone;
      if (gone != changed.end() && gone->block == masked.block) {
        masked.lanes &= ~gone->lanes;
      }
      if (masked.lanes != 0) kept.push_back(masked);
    }
    std::vector<MaskedBlock> merged;
    merged.reserve(kept.size() + added.size());
    std::ranges::merge(kept, added, std::back_inserter(merged), {},
                       &MaskedBlock::block, &MaskedBlock::block);
    // A block of which some arms were kept and others added occurs twice.
    std::size_t end = 0;
    for (const MaskedBlock& masked : merged) {
      if (end > 0 && merged[end - 1].block == masked.block) {
        merged[end - 1].lanes |= masked.lanes;
      } else {
        merged[end++] = masked;
      }
    }
    merged.resize(end);
    blocks_ = std::move(merged);
    size_ = CountArms(blocks_);
  }

  /// Gives its memory back, too.
  void Clear() {
    std::vector<MaskedBlock>().swap(blocks_);
    size_ = 0;
  }

  std::span<const MaskedBlock> blocks() const { return blocks_; }
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const {
    return blocks_.capacity() * sizeof(MaskedBlock);
  }

 private:
  std::vector<MaskedBlock> blocks_;  // in ascending order
  std::size_t size_ = 0;             // every choice asks for it
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_
