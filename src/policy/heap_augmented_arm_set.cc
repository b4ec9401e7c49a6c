#include "policy/heap_augmented_arm_set.h"

namespace manyarms {

void HeapAugmentedArmSet::Add(std::span<const Entry> arms) {
  std::vector<Slot> slots;
  slots.reserve(arms.size());
  for (const Entry& arm : arms) slots.push_back(arm.slot);
  heap_.PushAll(arms);
  search_->Add(slots);
}

std::vector<HeapAugmentedArmSet::Entry> HeapAugmentedArmSet::Eliminate(
    float threshold) {
  std::vector<Entry> eliminated;
  while (!heap_.empty() && heap_.top().key < threshold) {
    eliminated.push_back(heap_.top());
    Remove(heap_.top().slot);
  }
  return eliminated;
}

std::optional<Hit> HeapAugmentedArmSet::Query(const manyarms::Query& query,
                                              double sought) {
  const std::optional<Hit> best = search_->Best(query);
  if (!best || best->score < sought) return std::nullopt;
  return best;
}

void HeapAugmentedArmSet::Remove(Slot slot) {
  heap_.Remove(slot);
  search_->Remove(slot);
}

std::vector<Slot> HeapAugmentedArmSet::Drain() {
  std::vector<Slot> slots;
  slots.reserve(heap_.size());
  for (const Entry& arm : heap_) slots.push_back(arm.slot);
  heap_.Clear();
  search_->Clear();
  return slots;
}

}  // namespace manyarms
