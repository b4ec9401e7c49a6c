// Adding many arms at once, block by block and on several threads.

#include <algorithm>
#include <atomic>
#include <new>

#include "base/check.h"
#include "base/large_allocator.h"
#include "base/parallel_for.h"
#include "catalogue/arm_store.h"
#include "kernels/block_rows.h"

namespace manyarms {
namespace {

// A thread writes at least this number of blocks at a time: with 16 features a
// megabyte, which takes several times as long as starting a thread.
constexpr std::size_t kBlocksTogether = 1024;

}  // namespace

// The arms of one call. The first of them get slots of removed arms, the others
// slots that were never used, one after another.
struct ArmStore::Batch {
  std::span<const ArmId> ids;
  const FeatureRows& features;
  std::vector<Slot> slots;
  std::size_t reused;  // how many slots are those of removed arms
};

// Returns nothing, and leaves the store as it was, if some arm cannot be added,
// or if there is no memory for doing it this way.
std::optional<std::vector<Slot>> ArmStore::AddMany(
    std::span<const ArmId> ids, const FeatureRows& features) {
  const std::size_t reused = std::min(ids.size(), free_slots_.size());
  const std::size_t unused = ids.size() - reused;
  Batch batch = {ids, features, {}, reused};
  batch.slots.reserve(ids.size());
  AdviseHugePages(batch.slots.data(), ids.size() * sizeof(Slot));
  batch.slots.assign(
      free_slots_.rbegin(),
      free_slots_.rbegin() + static_cast<std::ptrdiff_t>(reused));
  for (std::size_t i = 0; i < unused; ++i) {
    batch.slots.push_back(slots_used_ + static_cast<Slot>(i));
  }
  MakeChunks(slots_used_ + unused);

  bool written = false;
  bool added = false;
  try {
    written = Write(batch);
    if (written && index_.InsertMany(batch.slots, blocks())) {
      members_.Add(batch.slots);
      added = true;
    }
  } catch (const std::bad_alloc&) {
  }
  if (!added) {
    Undo(batch, written);
    return std::nullopt;
  }
  free_slots_.resize(free_slots_.size() - reused);
  slots_used_ += static_cast<Slot>(unused);
  AddToCompactCopy(batch.slots);
  return std::move(batch.slots);
}

// Writes ids and features. Returns whether all features are good.
bool ArmStore::Write(const Batch& batch) {
  const std::size_t count = batch.ids.size();
  // From here on the arms fill one new block after another.
  const std::size_t to_next_block = (kLanes - LaneOf(slots_used_)) % kLanes;
  const std::size_t lead = std::min(count, batch.reused + to_next_block);
  // The lanes of the last block that get no arm.
  if (lead < count && (count - lead) % kLanes != 0) {
    ClearBlock(BlockOf(batch.slots.back()));
  }
  std::atomic<bool> good = true;
  const auto write = [&](std::size_t begin, std::size_t end) {
    if (good && !WriteRange(batch, begin, end)) good = false;
  };
  constexpr std::size_t kTogether = kBlocksTogether * kLanes;
  ParallelFor(lead, kTogether, write);
  ParallelFor(count - lead, kTogether, [&](std::size_t begin, std::size_t end) {
    write(lead + begin, lead + end);
  });
  return good;
}

bool ArmStore::WriteRange(const Batch& batch, std::size_t begin,
                          std::size_t end) {
  const FeatureRows& features = batch.features;
  std::vector<float> copy(kLanes * dim_);
  for (std::size_t i = begin; i < end;) {
    const Slot slot = batch.slots[i];
    if (i < batch.reused || LaneOf(slot) != 0 || end - i < kLanes) {
      // The copy is checked, because another thread of the caller may change
      // the original meanwhile.
      const auto row = std::span(copy).first(dim_);
      features.Copy(i, row);
      if (!AreFeatures(row)) return false;
      SetFeatures(slot, row);
      *IdOf(slot) = batch.ids[i];
      ++i;
      continue;
    }
    const float* rows = features.FloatRow(i);
    std::ptrdiff_t stride = features.strides().row;
    if (rows == nullptr) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        features.Copy(i + lane, std::span(copy).subspan(lane * dim_, dim_));
      }
      rows = copy.data();
      stride = static_cast<std::ptrdiff_t>(dim_);
    }
    if (!kernels::WriteBlock(rows, stride, dim_, FeaturesOf(slot))) {
      return false;
    }
    std::copy_n(&batch.ids[i], kLanes, IdOf(slot));
    i += kLanes;
  }
  return true;
}

// REQUIRES: slots_used_ and free_slots_ are still those before the call.
void ArmStore::Undo(const Batch& batch, bool written) {
  for (const Slot slot : batch.slots) {
    if (members_.Contains(slot)) members_.Remove(slot);
    if (written && index_.Find(id(slot), blocks()) == slot) {
      index_.Erase(slot, blocks());
    }
    // What was written may not be a number. Later blocks are cleared or filled
    // before they are used.
    if (BlockOf(slot) >= block_count()) continue;
    float* lane = FeaturesOf(slot);
    for (std::size_t j = 0; j < dim_; ++j) lane[j * kLanes] = 0;
  }
}

}  // namespace manyarms
