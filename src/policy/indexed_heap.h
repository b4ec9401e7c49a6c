#ifndef MANYARMS_POLICY_INDEXED_HEAP_H_
#define MANYARMS_POLICY_INDEXED_HEAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/slot.h"

namespace manyarms {

struct HeapEntry {
  float key;
  Slot slot;
};

/// A binary heap of slots from which any slot can be removed. Several heaps
/// may share one array of places if a slot is in at most one of them at a time.
/// `Before(a, b)` says whether key a belongs nearer to the top than key b.
///
/// Push and Remove take O(log n). Members can be enumerated by position.
template <class Before>
class IndexedHeap {
 public:
  using Entry = HeapEntry;

  /// `places` holds each slot's position in its heap. It must outlive the heap,
  /// which grows it as needed.
  explicit IndexedHeap(std::vector<std::uint32_t>& places) : places_(places) {}

  void Push(Slot slot, float key) {
    if (slot >= places_.size()) places_.resize(slot + 1);
    entries_.push_back({key, slot});
    SiftUp(entries_.size() - 1);
  }

  /// Adds many entries at once, in O(n) if they are at least as many as those
  /// in the heap.
  void PushAll(std::span<const Entry> entries) {
    if (entries.size() < entries_.size()) {
      for (const Entry& entry : entries) Push(entry.slot, entry.key);
      return;
    }
    Slot last = 0;
    for (const Entry& entry : entries) last = std::max(last, entry.slot);
    if (last >= places_.size()) places_.resize(last + 1);
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      places_[entries_[i].slot] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = entries_.size() / 2; i-- > 0;) SiftDown(i);
  }

  /// REQUIRES: the slot is in the heap.
  void Remove(Slot slot) {
    const std::size_t hole = places_[slot];
    const Entry last = entries_.back();
    entries_.pop_back();
    if (hole == entries_.size()) return;
    entries_[hole] = last;
    SiftUp(SiftDown(hole));
  }

  /// REQUIRES: not empty.
  const Entry& top() const { return entries_.front(); }

  const Entry& operator[](std::size_t i) const { return entries_[i]; }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  void Clear() { entries_.clear(); }

 private:
  void Put(std::size_t at, const Entry& entry) {
    entries_[at] = entry;
    places_[entry.slot] = static_cast<std::uint32_t>(at);
  }

  void SiftUp(std::size_t at) {
    const Entry entry = entries_[at];
    while (at > 0) {
      const std::size_t parent = (at - 1) / 2;
      if (!Before()(entry.key, entries_[parent].key)) break;
      Put(at, entries_[parent]);
      at = parent;
    }
    Put(at, entry);
  }

  std::size_t SiftDown(std::size_t at) {
    const Entry entry = entries_[at];
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= entries_.size()) break;
      if (child + 1 < entries_.size() &&
          Before()(entries_[child + 1].key, entries_[child].key)) {
        ++child;
      }
      if (!Before()(entries_[child].key, entry.key)) break;
      Put(at, entries_[child]);
      at = child;
    }
    Put(at, entry);
    return at;
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t>& places_;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_INDEXED_HEAP_H_
