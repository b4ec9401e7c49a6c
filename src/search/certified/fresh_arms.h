#ifndef MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_
#define MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "kernels/arm_set.h"

namespace manyarms {

/// A small set of arms, which takes memory for its own arms only. Add and
/// Remove cost O(n), but O(log n) at the end of the set.
class FreshArms {
 public:
  void Add(Slot slot) {
    const auto found = Find(BlockOf(slot));
    if (found == blocks_.end() || found->block != BlockOf(slot)) {
      blocks_.insert(found, {.block = BlockOf(slot), .lanes = Bit(slot)});
    } else {
      found->lanes |= Bit(slot);
    }
  }

  void Remove(Slot slot) {
    const auto found = Find(BlockOf(slot));
    if (found == blocks_.end() || found->block != BlockOf(slot)) return;
    found->lanes &= ~Bit(slot);
    if (found->lanes == 0) blocks_.erase(found);
  }

  void RemoveBlock(std::uint32_t block) {
    const auto found = Find(block);
    if (found != blocks_.end() && found->block == block) blocks_.erase(found);
  }

  void Clear() { blocks_ = {}; }

  std::span<const MaskedBlock> blocks() const { return blocks_; }
  std::size_t size() const { return CountArms(blocks_); }
  std::size_t memory_bytes() const {
    return blocks_.capacity() * sizeof(MaskedBlock);
  }

 private:
  static std::uint32_t Bit(Slot slot) { return 1U << LaneOf(slot); }

  std::vector<MaskedBlock>::iterator Find(std::uint32_t block) {
    return std::ranges::lower_bound(blocks_, block, {}, &MaskedBlock::block);
  }

  std::vector<MaskedBlock> blocks_;  // in ascending order
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_
