#ifndef MANYARMS_CATALOGUE_ID_INDEX_H_
#define MANYARMS_CATALOGUE_ID_INDEX_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/blocks.h"
#include "manyarms/types.h"

namespace manyarms {

/// Finds the slot of an id. Open addressing with linear probing; the table
/// holds slots only and reads the ids from where they are stored anyway.
/// Written here because the hash sets that are packaged as headers spend 8
/// bytes or more on an entry, and there may be hundreds of millions.
///
/// 4 bytes an entry at 35 % to 70 % load. All operations O(1) expected.
class IdIndex {
 public:
  IdIndex() : slots_(kSmallest, kNoSlot) {}

  std::optional<Slot> Find(ArmId id, const BlockTable& ids) const;

  /// Returns whether the slot's id was new; if not, nothing happens.
  /// REQUIRES: `ids` knows the slot's id.
  bool Insert(Slot slot, const BlockTable& ids);

  /// REQUIRES: `ids` still knows the slot's id, which is in the index.
  void Erase(Slot slot, const BlockTable& ids);

  /// Makes room for `count` entries in all.
  void Reserve(std::size_t count, const BlockTable& ids);

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr std::size_t kSmallest = 16;

  std::size_t Mask() const { return slots_.size() - 1; }
  std::size_t Home(ArmId id) const;
  std::size_t Probe(ArmId id, const BlockTable& ids) const;

  std::vector<Slot> slots_;  // a power of two of them; kNoSlot where empty
  std::size_t size_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_ID_INDEX_H_
