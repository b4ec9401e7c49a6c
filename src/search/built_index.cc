#include "search/built_index.h"

namespace manyarms {

void BuiltIndex::MembersChanged(std::span<const Slot> removed,
                                std::span<const Slot> added) {
  const auto lock = Lock();
  for (const Slot slot : removed) Erase(slot);
  if (!added.empty()) Insert(added);
  reached_ = members().epoch();  // only now: Insert may throw
}

void BuiltIndex::MembersCleared() {
  const auto lock = Lock();
  EraseAll();
  reached_ = members().epoch();
}

}  // namespace manyarms
