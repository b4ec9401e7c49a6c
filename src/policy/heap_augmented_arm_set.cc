#include "policy/heap_augmented_arm_set.h"

namespace manyarms {

void HeapAugmentedArmSet::Add(std::span<const Entry> arms) {
  std::vector<Slot> slots;
  slots.reserve(arms.size());
  for (const Entry& arm : arms) slots.push_back(arm.slot);
  heap_.PushAll(arms);
  index_->Add(slots);
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

std::optional<Hit> HeapAugmentedArmSet::Query(const manyarms::Query& query) {
  const std::optional<Hit> best = finder_->Best(query);
  if (!best || index_->answers_are_good_enough()) return best;
  if (best->score < index_->task().sought->score) return std::nullopt;
  return best;
}

void HeapAugmentedArmSet::Remove(Slot slot) {
  heap_.Remove(slot);
  index_->Remove(std::span(&slot, 1));
}

std::vector<Slot> HeapAugmentedArmSet::Drain() {
  std::vector<Slot> slots;
  slots.reserve(heap_.size());
  for (const Entry& arm : heap_) slots.push_back(arm.slot);
  heap_.Clear();
  index_->Clear();
  return slots;
}

}  // namespace manyarms
