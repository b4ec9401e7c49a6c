#include "catalogue/id_index.h"

#include <utility>

namespace manyarms {
namespace {

// The finaliser of SplitMix64: consecutive ids, which are common, spread out.
std::uint64_t Mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

std::size_t IdIndex::Home(ArmId id) const { return Mix(id) & Mask(); }

// Where the id is, or the empty place where it would go.
std::size_t IdIndex::Probe(ArmId id, const BlockTable& ids) const {
  std::size_t at = Home(id);
  while (slots_[at] != kNoSlot && ids.Id(slots_[at]) != id) {
    at = (at + 1) & Mask();
  }
  return at;
}

std::optional<Slot> IdIndex::Find(ArmId id, const BlockTable& ids) const {
  const Slot slot = slots_[Probe(id, ids)];
  if (slot == kNoSlot) return std::nullopt;
  return slot;
}

bool IdIndex::Insert(Slot slot, const BlockTable& ids) {
  Reserve(size_ + 1, ids);
  Slot& place = slots_[Probe(ids.Id(slot), ids)];
  if (place != kNoSlot) return false;
  place = slot;
  ++size_;
  return true;
}

void IdIndex::Erase(Slot slot, const BlockTable& ids) {
  std::size_t hole = Probe(ids.Id(slot), ids);
  // Moves back what had to probe past the hole, so that no tombstones are
  // needed and churn does not fill the table.
  for (std::size_t at = (hole + 1) & Mask(); slots_[at] != kNoSlot;
       at = (at + 1) & Mask()) {
    const std::size_t home = Home(ids.Id(slots_[at]));
    const bool reaches_hole = ((at - home) & Mask()) >= ((at - hole) & Mask());
    if (reaches_hole) {
      slots_[hole] = slots_[at];
      hole = at;
    }
  }
  slots_[hole] = kNoSlot;
  --size_;
}

void IdIndex::Reserve(std::size_t count, const BlockTable& ids) {
  std::size_t capacity = slots_.size();
  while (count * 10 > capacity * 7) capacity *= 2;
  if (capacity == slots_.size()) return;

  std::vector<Slot> old(capacity, kNoSlot);
  old.swap(slots_);
  for (const Slot slot : old) {
    if (slot != kNoSlot) slots_[Probe(ids.Id(slot), ids)] = slot;
  }
}

}  // namespace manyarms
