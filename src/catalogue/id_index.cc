#include "catalogue/id_index.h"

#include <algorithm>
#include <utility>

namespace manyarms {
namespace {

// The upper half of SplitMix64's finaliser: consecutive ids, which are common,
// spread out.
std::uint32_t Hash(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
}

}  // namespace

// The place of the id, or the empty place where it would be inserted.
std::size_t IdIndex::Probe(ArmId id, const BlockTable& ids) const {
  const std::uint32_t hash = Hash(id);
  std::size_t at = Home(hash);
  while (entries_[at].slot != kNoSlot &&
         (entries_[at].hash != hash || ids.Id(entries_[at].slot) != id)) {
    at = After(at);
  }
  return at;
}

std::optional<Slot> IdIndex::Find(ArmId id, const BlockTable& ids) const {
  const Slot slot = entries_[Probe(id, ids)].slot;
  if (slot == kNoSlot) return std::nullopt;
  return slot;
}

bool IdIndex::Insert(Slot slot, const BlockTable& ids) {
  Reserve(size_ + 1);
  const ArmId id = ids.Id(slot);
  Entry& place = entries_[Probe(id, ids)];
  if (place.slot != kNoSlot) return false;
  place = {slot, Hash(id)};
  ++size_;
  return true;
}

void IdIndex::Erase(Slot slot, const BlockTable& ids) {
  std::size_t hole = Probe(ids.Id(slot), ids);
  // Entries that had to probe past the hole move back, so that there are no
  // tombstones, which would fill the table in the course of additions and
  // removals.
  for (std::size_t at = After(hole); entries_[at].slot != kNoSlot;
       at = After(at)) {
    const std::size_t home = Home(entries_[at].hash);
    const bool reaches_hole = Beyond(home, at) >= Beyond(hole, at);
    if (reaches_hole) {
      entries_[hole] = entries_[at];
      hole = at;
    }
  }
  entries_[hole] = {};
  --size_;
}

void IdIndex::Reserve(std::size_t count) {
  const std::size_t needed = count + count / 2;  // two thirds full
  if (needed <= entries_.size()) return;
  const std::size_t capacity =
      std::max(needed, entries_.size() + entries_.size() / 2);

  decltype(entries_) old(capacity);
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (entry.slot == kNoSlot) continue;
    std::size_t at = Home(entry.hash);
    while (entries_[at].slot != kNoSlot) at = After(at);
    entries_[at] = entry;
  }
}

void IdIndex::Prefetch(ArmId id) const {
  __builtin_prefetch(&entries_[Home(Hash(id))], 1);
}

}  // namespace manyarms
