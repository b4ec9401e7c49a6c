#include "search/search.h"

namespace manyarms {

Index::Index(const SearchTask& task, const ArmStore& store, Scope scope)
    : task_(task), store_(store) {
  if (scope == Scope::kOwnSet) own_ = std::make_unique<Members>();
}

void Index::Add(std::span<const Slot> slots) {
  if (own_) own_->Add(slots);
  Insert(slots);
}

void Index::Remove(Slot slot) {
  Erase(slot);
  if (own_) own_->Remove(slot);
}

void Index::Clear() {
  EraseAll();
  own_->Clear();
}

}  // namespace manyarms
