#include "search/search.h"

namespace manyarms {

Index::Index(const SearchTask& task, const ArmStore& store, Scope scope)
    : task_(task), store_(store) {
  if (scope == Scope::kOwnSet) own_ = std::make_unique<Members>();
}

void Index::Add(std::span<const Slot> slots) {
  if (own_) own_->Add(slots);
  MembersChanged({}, slots);
}

void Index::Remove(std::span<const Slot> slots) {
  if (own_) {
    for (const Slot slot : slots) own_->Remove(slot);
  }
  MembersChanged(slots, {});
}

void Index::Replace(std::span<const Slot> slots) {
  MembersChanged(slots, slots);
}

void Index::Clear() {
  own_->Clear();
  MembersCleared();
}

}  // namespace manyarms
