#ifndef MANYARMS_KERNELS_ARM_SET_H_
#define MANYARMS_KERNELS_ARM_SET_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/blocks.h"
#include "kernels/slot.h"

namespace manyarms {

/// A set of slots, kept in the form that the kernels read: a list of blocks,
/// each with the lanes that are in the set. Blocks without a member are not
/// listed, so that a scan of a small set is short however large the catalogue
/// is.
///
/// Operations take O(1) unless they say otherwise; a set that fills its blocks
/// takes about one byte per member.
class ArmSet {
 public:
  /// REQUIRES: the slot is not in the set.
  void Add(Slot slot);

  /// Adds several slots of one block. REQUIRES: none of them is in the set.
  void AddLanes(const MaskedBlock& masked);

  /// The same for a block that is new. REQUIRES: there is at least one, and no
  /// slot of that block is in the set.
  void AddBlock(const MaskedBlock& masked);

  /// Makes room for this number of blocks in all.
  void ReserveBlocks(std::size_t blocks) {
    blocks_.reserve(blocks);
    place_.reserve(blocks);
  }

  /// REQUIRES: the slot is in the set.
  void Remove(Slot slot);

  /// Takes time in proportion to the blocks that have members.
  void Clear();

  bool Contains(Slot slot) const {
    return (lanes(BlockOf(slot)) >> LaneOf(slot) & 1U) != 0;
  }

  /// Which lanes of one block are in the set.
  std::uint32_t lanes(std::uint32_t block) const {
    const bool listed = block < place_.size() && place_[block] != kNowhere;
    return listed ? blocks_[place_[block]].lanes : 0;
  }

  /// All members, in no particular order. Takes O(n).
  std::vector<Slot> Slots() const;

  std::size_t size() const { return size_; }
  std::span<const MaskedBlock> blocks() const { return blocks_; }

  std::size_t memory_bytes() const {
    return blocks_.capacity() * sizeof(MaskedBlock) +
           place_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  std::vector<MaskedBlock> blocks_;
  std::vector<std::uint32_t> place_;  // of a block in blocks_, or kNowhere
  std::size_t size_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_KERNELS_ARM_SET_H_
