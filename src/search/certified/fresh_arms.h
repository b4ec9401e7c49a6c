#ifndef MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_
#define MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "kernels/arm_set.h"

namespace manyarms {

/// A small set of arms: memory for those in it only, however many arms there
/// are. Adding and removing costs O(n), but O(1) at the end.
class FreshArms {
 public:
  void Add(Slot slot) {
    auto found = Find(BlockOf(slot));
    if (found == blocks_.end() || found->block != BlockOf(slot)) {
      found = blocks_.insert(found, {.block = BlockOf(slot)});
    }
    SetLanes(*found, found->lanes | Bit(slot));
  }

  void Remove(Slot slot) { RemoveLanes(BlockOf(slot), Bit(slot)); }
  void RemoveBlock(std::uint32_t block) { RemoveLanes(block, ~0U); }

  void Clear() {
    blocks_ = {};
    size_ = 0;
  }

  std::span<const MaskedBlock> blocks() const { return blocks_; }
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const {
    return blocks_.capacity() * sizeof(MaskedBlock);
  }

 private:
  static std::uint32_t Bit(Slot slot) { return 1U << LaneOf(slot); }
  static std::size_t Count(std::uint32_t lanes) {
    return static_cast<std::size_t>(std::popcount(lanes));
  }

  std::vector<MaskedBlock>::iterator Find(std::uint32_t block) {
    return std::ranges::lower_bound(blocks_, block, {}, &MaskedBlock::block);
  }

  void SetLanes(MaskedBlock& masked, std::uint32_t lanes) {
    size_ = size_ - Count(masked.lanes) + Count(lanes);
    masked.lanes = lanes;
  }

  void RemoveLanes(std::uint32_t block, std::uint32_t lanes) {
    const auto found = Find(block);
    if (found == blocks_.end() || found->block != block) return;
    SetLanes(*found, found->lanes & ~lanes);
    if (found->lanes == 0) blocks_.erase(found);
  }

  std::vector<MaskedBlock> blocks_;  // in ascending order
  std::size_t size_ = 0;             // every choice asks for it
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_FRESH_ARMS_H_
