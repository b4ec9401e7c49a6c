#include "search/lifted_points.h"

#include <algorithm>

namespace manyarms {

LiftedPoints::LiftedPoints(Objective objective, const ArmStore& store,
                           float factor)
    : objective_(objective),
      store_(store),
      factor_(factor),
      table_(LiftedDim(objective, store.dim())),
      features_(store.dim()),
      lifted_(table_.dim()) {}

LiftedPoints::Number LiftedPoints::Add(Slot slot) {
  store_.CopyFeatures(slot, features_);
  LiftArm(objective_, features_, lifted_);
  for (float& value : lifted_) value *= factor_;
  const Number number = table_.Add(lifted_);
  slot_of_number_.resize(std::max(slot_of_number_.size(), table_.end()));
  slot_of_number_[number] = slot;
  number_of_slot_[slot] = number;
  return number;
}

void LiftedPoints::Remove(Slot slot) {
  const auto found = number_of_slot_.find(slot);
  table_.Remove(found->second);
  number_of_slot_.erase(found);
}

std::vector<Slot> LiftedPoints::Slots() const {
  std::vector<Slot> slots;
  slots.reserve(table_.size());
  for (Number n = 0; n < table_.end(); ++n) {
    if (table_.Contains(n)) slots.push_back(slot_of_number_[n]);
  }
  std::ranges::sort(slots);
  return slots;
}

void LiftedPoints::Clear() {
  table_.Clear();
  slot_of_number_.clear();
  number_of_slot_.clear();
}

}  // namespace manyarms
