#ifndef MANYARMS_CATALOGUE_ID_INDEX_H_
#define MANYARMS_CATALOGUE_ID_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/large_allocator.h"
#include "kernels/blocks.h"
#include "kernels/slot.h"
#include "manyarms/types.h"

namespace manyarms {

/// Finds the slot of an id, by open addressing with linear probing. An entry is
/// a slot and 32 bits of its id's hash; the id itself is read from the blocks
/// of the store. Common hash sets would store the id a second time, and there
/// may be hundreds of millions.
///
/// An entry's home is its hash scaled to the table's size, so the table is
/// nearly in the order of the hashes, and growing it takes one pass over the
/// old and the new table without reading ids.
///
/// An entry takes 8 bytes, and 44 % to 67 % of the entries are in use. All
/// operations cost O(1) in expectation.
class IdIndex {
 public:
  IdIndex() : entries_(kSmallest, kEmpty) {}

  std::optional<Slot> Find(ArmId id, const BlockTable& ids) const;

  /// Returns whether the slot's id was new; if not, nothing happens.
  /// REQUIRES: `ids` knows the slot's id.
  bool Insert(Slot slot, const BlockTable& ids);

  /// Inserts many, on several threads if they are very many. Returns whether
  /// all ids were new; if not, some of the slots may have been inserted. Needs
  /// 8 bytes a slot while it runs. REQUIRES: there is room for them.
  bool InsertMany(std::span<const Slot> slots, const BlockTable& ids);

  /// REQUIRES: `ids` still knows the slot's id, which is in the index.
  void Erase(Slot slot, const BlockTable& ids);

  /// Makes room for `count` entries in total.
  void Reserve(std::size_t count);

  /// Prefetches what Find and Insert will read for this id.
  void Prefetch(ArmId id) const;

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const {
    return entries_.capacity() * sizeof(Entry);
  }

 private:
  struct Entry {
    Slot slot;  // kNoSlot where the place is empty
    std::uint32_t hash;
  };
  class SortedByRegion;

  static constexpr Entry kEmpty = {kNoSlot, 0};
  static constexpr std::size_t kSmallest = 16;
  static constexpr std::size_t kLineEntries = 64 / sizeof(Entry);

  std::size_t Home(std::uint32_t hash) const {
    return hash * static_cast<std::uint64_t>(entries_.size() / 2) >> 31;
  }
  std::size_t After(std::size_t at) const {
    return at + 1 == entries_.size() ? 0 : at + 1;
  }
  std::size_t Beyond(std::size_t from, std::size_t to) const {
    return to >= from ? to - from : to + entries_.size() - from;
  }
  std::size_t Probe(ArmId id, const BlockTable& ids) const;
  bool InsertInOrder(std::span<const Slot> slots, const BlockTable& ids);
  bool InsertByRegion(std::span<const Slot> slots, const BlockTable& ids);

  std::vector<Entry, LargeAllocator<Entry>> entries_;
  std::size_t size_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_ID_INDEX_H_
