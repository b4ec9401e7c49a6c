// Arms in the slots that they had elsewhere.

#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "base/check.h"
#include "catalogue/arm_store.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

// Which slots have no arm. Throws Error(kInvalidArgument) unless each slot
// below their number has an arm or is free.
std::vector<bool> CheckedFreeSlots(std::span<const Slot> slots,
                                   std::span<const Slot> free) {
  const std::size_t count = slots.size() + free.size();
  std::vector<bool> is_free(count);
  for (const Slot slot : free) {
    if (slot >= count || is_free[slot]) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("free place {} is given twice, or beyond the {} "
                              "places that there are",
                              slot, count));
    }
    is_free[slot] = true;
  }
  Slot next = 0;
  for (const Slot slot : slots) {
    while (next < count && is_free[next]) ++next;
    if (slot != next) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("an arm lies in place {}, the next one is {}",
                              slot, next));
    }
    ++next;
  }
  return is_free;
}

}  // namespace

void ArmStore::AddPlaced(std::span<const Slot> slots,
                         std::span<const ArmId> ids,
                         std::span<const float> features,
                         std::span<const Slot> free) {
  if (ids.size() != slots.size()) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} arms given for {} places", ids.size(), slots.size()));
  }
  CheckRowCount(features.size(), ids.size(), dim_);
  CheckRoom(slots.size() + free.size());
  const std::vector<bool> is_free = CheckedFreeSlots(slots, free);
  if (free.empty()) {  // as Add does it, which is faster
    if (!ids.empty()) Add(ids, features);
    return;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CheckFeatures(features.subspan(i * dim_, dim_), dim_);
  }
  CheckDistinct("arm", ids);
  const std::scoped_lock lock(*changing_);
  index_.Reserve(ids.size());
  std::size_t next = 0;
  for (Slot slot = 0; slot < is_free.size(); ++slot) {
    TakeSlot();
    if (is_free[slot]) continue;
    Put(slot, ids[next], features.subspan(next * dim_, dim_));
    members_.Add(slot);
    ++next;
  }
  free_slots_.assign(free.begin(), free.end());
  AddToCompactCopy(slots);
}

void ArmStore::Save(ByteWriter& writer) const {
  writer.Transfer(slots_used_);
  writer.Transfer(free_slots_);
  std::vector<float> row(dim_);
  for (const Slot slot : Slots()) {
    CopyFeatures(slot, row);
    writer.Transfer(id(slot));
    writer.Values(std::span<const float>(row));
  }
}

void ArmStore::Restore(ByteReader& reader) {
  const auto slots = reader.Next<Slot>();
  std::vector<Slot> free;
  reader.Transfer(free);
  CheckSaved(slots <= kMaxArms && free.size() <= slots &&
                 (slots - free.size()) <=
                     reader.left() / (sizeof(ArmId) + sizeof(float) * dim_),
             "it ends too early");
  std::vector<bool> is_free(slots);
  for (const Slot slot : free) {
    CheckSaved(slot < slots && !is_free[slot], "its slots are mixed up");
    is_free[slot] = true;
  }
  index_.Reserve(slots - free.size());
  std::vector<float> row(dim_);
  for (Slot slot = 0; slot < slots; ++slot) {
    TakeSlot();
    if (is_free[slot]) continue;
    const auto id = reader.Next<ArmId>();
    reader.Values(std::span<float>(row));
    CheckFeatures(row, dim_);
    CheckSaved(Put(slot, id, row), "it has an arm twice");
    members_.Add(slot);
  }
  free_slots_ = std::move(free);
  AddToCompactCopy(Slots());
}

}  // namespace manyarms
