#ifndef MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_
#define MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_

#include <algorithm>
#include <cstddef>
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
    kept.reserve(blocks_.size() + added.size());
    auto gone = changed.begin();
    for (MaskedBlock masked : blocks_) {
      while (gone != changed.end() && gone->block < masked.block) ++gone;
      if (gone != changed.end() && gone->block == masked.block) {
        masked.lanes &= ~gone->lanes;
      }
      if (masked.lanes != 0) kept.push_back(masked);
    }
    const auto middle = static_cast<std::ptrdiff_t>(kept.size());
    kept.insert(kept.end(), added.begin(), added.end());
    std::ranges::inplace_merge(kept, kept.begin() + middle, {},
                               &MaskedBlock::block);
    // A block with arms that were kept and arms that are added occurs twice.
    std::size_t end = 0;
    for (const MaskedBlock& masked : kept) {
      if (end > 0 && kept[end - 1].block == masked.block) {
        kept[end - 1].lanes |= masked.lanes;
      } else {
        kept[end++] = masked;
      }
    }
    kept.resize(end);
    blocks_ = std::move(kept);
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
