#ifndef MANYARMS_KERNELS_BLOCKS_H_
#define MANYARMS_KERNELS_BLOCKS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/slot.h"
#include "manyarms/types.h"

namespace manyarms {

/// How many arms a block has. One coordinate of all of them fills a register of
/// the widest instruction set, and a cache line.
inline constexpr std::uint32_t kLanes = 16;

/// The lanes of a block that is full, as bits.
inline constexpr std::uint32_t kAllLanes = (1U << kLanes) - 1;

inline std::uint32_t BlockOf(Slot slot) { return slot / kLanes; }
inline std::uint32_t LaneOf(Slot slot) { return slot % kLanes; }

/// A read-only view of blocks of arms. Coordinate j of the arm in lane l of a
/// block lies at block[j * kLanes + l]. A chunk has 2^chunk_shift blocks, which
/// are adjacent in memory.
struct BlockTable {
  const float* const* feature_chunks = nullptr;
  const ArmId* const* id_chunks = nullptr;
  std::uint32_t chunk_shift = 0;
  std::size_t dim = 0;

  const float* Features(std::uint32_t block) const {
    return feature_chunks[block >> chunk_shift] +
           static_cast<std::size_t>(WithinChunk(block)) * dim * kLanes;
  }

  ArmId Id(Slot slot) const {
    const std::uint32_t block = BlockOf(slot);
    return id_chunks[block >> chunk_shift]
                    [WithinChunk(block) * kLanes + LaneOf(slot)];
  }

 private:
  std::uint32_t WithinChunk(std::uint32_t block) const {
    return block & ((std::uint32_t{1} << chunk_shift) - 1);
  }
};

/// Some lanes of one block.
struct MaskedBlock {
  std::uint32_t block = 0;
  std::uint32_t lanes = 0;  // bit l stands for lane l
};

/// How many lanes the blocks have in all.
inline std::uint64_t CountArms(std::span<const MaskedBlock> blocks) {
  std::uint64_t arms = 0;
  for (const MaskedBlock& masked : blocks) {
    arms += static_cast<std::uint64_t>(std::popcount(masked.lanes));
  }
  return arms;
}

/// Calls `visit` with each lane whose bit is set, in rising order.
template <class Visit>
void ForEachLane(std::uint32_t lanes, const Visit& visit) {
  for (; lanes != 0; lanes &= lanes - 1) {
    visit(static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }
}

/// Divides the slots where another block begins, and calls `visit` with each
/// part.
template <class Visit>
void ForEachBlock(std::span<const Slot> slots, const Visit& visit) {
  while (!slots.empty()) {
    const std::uint32_t block = BlockOf(slots.front());
    std::size_t count = 1;
    while (count < slots.size() && BlockOf(slots[count]) == block) ++count;
    visit(slots.first(count));
    slots = slots.subspan(count);
  }
}

}  // namespace manyarms

#endif  // MANYARMS_KERNELS_BLOCKS_H_
