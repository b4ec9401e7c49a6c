#include "catalogue/arm_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>

#include "base/check.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

// If the dimension is a power of two, a chunk is as large as a huge page, and
// one TLB entry serves all of it.
constexpr std::size_t kChunkBytes = kHugePage;

// Places in the look-up are prefetched this number of arms ahead, far enough to
// hide the latency of memory.
constexpr std::size_t kAhead = 12;

// From this number of arms on, arms are added block by block.
constexpr std::size_t kMany = 1024;

}  // namespace

ArmStore::ArmStore(std::size_t dim) : dim_(dim) {
  CheckDim(dim);
  const std::size_t block_bytes = dim * kLanes * sizeof(float);
  chunk_shift_ = static_cast<std::uint32_t>(
      std::bit_width(std::max<std::size_t>(kChunkBytes / block_bytes, 1)) - 1);
  changing_ = std::make_unique<SharedMutex>(LockLevel::kArms);
}

ArmStore::~ArmStore() = default;
ArmStore::ArmStore(ArmStore&&) noexcept = default;
ArmStore& ArmStore::operator=(ArmStore&&) noexcept = default;

std::vector<Slot> ArmStore::Add(std::span<const ArmId> ids,
                                const FeatureRows& features) {
  CheckShape(features, ids.size(), dim_);
  CheckRoom(ids.size());
  const std::scoped_lock lock(*changing_);
  index_.Reserve(size() + ids.size());
  if (ids.size() >= kMany) {
    if (auto slots = AddMany(ids, features)) return *std::move(slots);
    // Now find the first arm that cannot be added.
  }
  std::vector<float> row(dim_);
  std::vector<Slot> slots;
  slots.reserve(ids.size());
  const Slot used_before = slots_used_;
  std::size_t put = 0;
  try {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i + kAhead < ids.size()) index_.Prefetch(ids[i + kAhead]);
      // The copy is checked, because another thread of the caller may change
      // the original meanwhile.
      features.Copy(i, row);
      CheckRow(row, i, features);
      slots.push_back(TakeSlot());
      if (!Put(slots.back(), ids[i], row)) {
        throw Error(ErrorCode::kDuplicateId,
                    fmt::format("arm {} is there already or twice in one call",
                                ids[i]));
      }
      ++put;
    }
    members_.Add(slots);
  } catch (...) {  // leave the store as it was
    for (std::size_t i = slots.size(); i-- > 0;) {
      if (members_.Contains(slots[i])) members_.Remove(slots[i]);
      if (i < put) index_.Erase(slots[i], blocks());
      if (slots[i] < used_before) free_slots_.push_back(slots[i]);
    }
    slots_used_ = used_before;
    throw;
  }
  AddToCompactCopy(slots);
  return slots;
}

std::vector<Slot> ArmStore::Add(std::span<const ArmId> ids,
                                std::span<const float> features) {
  CheckRowCount(features.size(), ids.size(), dim_);
  return Add(ids, FeatureRows(features.data(), ids.size(), dim_,
                              {.row = static_cast<std::ptrdiff_t>(dim_)}));
}

// Returns whether the id was new.
bool ArmStore::Put(Slot slot, ArmId id, std::span<const float> features) {
  *IdOf(slot) = id;
  if (!index_.Insert(slot, blocks())) return false;
  SetFeatures(slot, features);
  return true;
}

void ArmStore::SetFeatures(Slot slot, std::span<const float> features) {
  float* lane = FeaturesOf(slot);
  for (std::size_t j = 0; j < dim_; ++j) lane[j * kLanes] = features[j];
}

void ArmStore::Replace(std::span<const Slot> slots,
                       std::span<const float> features) {
  const std::scoped_lock lock(*changing_);
  for (const Slot slot : slots) {
    RemoveFromCompactCopy(slot);
    members_.Remove(slot);
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    SetFeatures(slots[i], features.subspan(i * dim_, dim_));
    members_.Add(slots[i]);
  }
  AddToCompactCopy(slots);
}

Slot ArmStore::Add(ArmId id, std::span<const float> features) {
  return Add(std::span(&id, 1), features).front();
}

void ArmStore::Reserve(std::size_t arms) {
  if (arms > kMaxArms) {
    throw Error(
        ErrorCode::kTooLarge,
        fmt::format("{} arms are beyond the limit of {}", arms, kMaxArms));
  }
  const std::scoped_lock lock(*changing_);
  index_.Reserve(arms);
}

void ArmStore::CheckRoom(std::size_t arms) const {
  if (arms > kMaxArms - size()) {
    throw Error(ErrorCode::kTooLarge,
                fmt::format("{} arms and {} more are beyond the limit of {}",
                            size(), arms, kMaxArms));
  }
}

Slot ArmStore::TakeSlot() {
  if (!free_slots_.empty()) {
    const Slot slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }
  MakeChunks(std::size_t{slots_used_} + 1);
  if (LaneOf(slots_used_) == 0) ClearBlock(BlockOf(slots_used_));
  return slots_used_++;
}

// Makes all chunks that have a slot below `slots`. In each list only reserve
// can throw.
void ArmStore::MakeChunks(std::size_t slots) {
  const std::size_t arms = std::size_t{kLanes} << chunk_shift_;
  const std::size_t chunks = (slots + arms - 1) / arms;
  if (chunks <= chunks_.size()) return;
  // The ids of one chunk are fewer bytes than a huge page. In a large store the
  // ids of several chunks lie together on one.
  const std::size_t most =
      std::max<std::size_t>(kHugePage / (arms * sizeof(ArmId)), 1);
  while (id_chunks_.size() < chunks) {
    const std::size_t together = std::min(
        most, std::max(chunks - id_chunks_.size(), id_chunks_.size() / 8));
    LargeBuffer<ArmId> ids = MakeLargeBuffer<ArmId>(together * arms);
    id_chunks_.reserve(id_chunks_.size() + together);
    id_buffers_.reserve(id_buffers_.size() + 1);
    for (std::size_t i = 0; i < together; ++i) {
      id_chunks_.push_back(ids.get() + i * arms);
    }
    id_buffers_.push_back(std::move(ids));
  }
  chunks_.reserve(chunks);
  feature_chunks_.reserve(chunks);
  while (chunks_.size() < chunks) {
    chunks_.push_back(MakeLargeBuffer<float>(arms * dim_));
    feature_chunks_.push_back(chunks_.back().get());
  }
}

// Scores of lanes that hold no arm yet are computed along with the others, so
// they must hold numbers.
void ArmStore::ClearBlock(std::uint32_t block) {
  std::fill_n(FeaturesOf(block * kLanes), dim_ * kLanes, 0.0F);
}

float* ArmStore::FeaturesOf(Slot slot) {
  const std::uint32_t block = BlockOf(slot);
  const std::size_t within = block & ((std::uint32_t{1} << chunk_shift_) - 1);
  return chunks_[block >> chunk_shift_].get() + within * dim_ * kLanes +
         LaneOf(slot);
}

ArmId* ArmStore::IdOf(Slot slot) {
  const std::uint32_t within = slot & ((kLanes << chunk_shift_) - 1);
  return id_chunks_[BlockOf(slot) >> chunk_shift_] + within;
}

void ArmStore::Remove(std::span<const Slot> slots) {
  const std::scoped_lock lock(*changing_);
  // First, because nothing else here can run out of memory.
  free_slots_.insert(free_slots_.end(), slots.begin(), slots.end());
  for (const Slot slot : slots) {
    RemoveFromCompactCopy(slot);
    members_.Remove(slot);
    index_.Erase(slot, blocks());
  }
}

Slot ArmStore::Remove(ArmId id) {
  const Slot slot = At(id);
  Remove(std::span(&slot, 1));
  return slot;
}

std::optional<Slot> ArmStore::Find(ArmId id) const {
  return index_.Find(id, blocks());
}

Slot ArmStore::At(ArmId id) const {
  const std::optional<Slot> slot = Find(id);
  if (!slot) {
    throw Error(ErrorCode::kUnknownId,
                fmt::format("there is no arm {} among {}", id, size()));
  }
  return *slot;
}

std::vector<Slot> ArmStore::DistinctSlots(std::span<const ArmId> ids) const {
  std::vector<Slot> slots;
  slots.reserve(ids.size());
  for (const ArmId id : ids) slots.push_back(At(id));
  CheckDistinct("arm", ids);
  return slots;
}

std::vector<ArmId> ArmStore::Ids() const {
  std::vector<ArmId> ids;
  ids.reserve(size());
  for (const Slot slot : Slots()) ids.push_back(id(slot));
  return ids;
}

std::vector<Slot> ArmStore::Slots() const {
  std::vector<Slot> slots;
  slots.reserve(size());
  for (std::uint32_t block = 0; block < block_count(); ++block) {
    ForEachLane(members_.arms().lanes(block), [&](std::uint32_t lane) {
      slots.push_back(block * kLanes + lane);
    });
  }
  return slots;
}

void ArmStore::CopyFeatures(Slot slot, std::span<float> out) const {
  const float* lane = blocks().Features(BlockOf(slot)) + LaneOf(slot);
  for (std::size_t j = 0; j < dim_; ++j) out[j] = lane[j * kLanes];
}

void ArmStore::KeepCompactCopy(std::size_t most_bytes) {
  const std::scoped_lock lock(*changing_);
  if (compact_) return;
  const std::vector<Slot> slots = Slots();
  compact_ = std::make_unique<CompactCopy>(dim_, most_bytes);
  AddToCompactCopy(slots);
}

// The copy only makes answers faster, so without memory for it there is none.
void ArmStore::AddToCompactCopy(std::span<const Slot> slots) {
  if (!compact_) return;
  try {
    compact_->Add(slots, blocks());
  } catch (const std::bad_alloc&) {
    compact_.reset();
  }
}

// REQUIRES: the slot still has the features that the copy has.
void ArmStore::RemoveFromCompactCopy(Slot slot) {
  if (!compact_) return;
  try {
    compact_->Remove(slot, blocks());
  } catch (const std::bad_alloc&) {
    compact_.reset();
  }
}

std::size_t ArmStore::memory_bytes() const {
  const std::size_t arms = std::size_t{kLanes} << chunk_shift_;
  return chunks_.size() * arms * dim_ * sizeof(float) +
         id_chunks_.size() * arms * sizeof(ArmId) + index_.memory_bytes() +
         members_.memory_bytes() + free_slots_.capacity() * sizeof(Slot) +
         (compact_ ? compact_->memory_bytes() : 0) +
         chunks_.capacity() * sizeof(chunks_[0]) +
         id_buffers_.capacity() * sizeof(id_buffers_[0]) +
         feature_chunks_.capacity() * sizeof(feature_chunks_[0]) +
         id_chunks_.capacity() * sizeof(id_chunks_[0]);
}

std::shared_lock<SharedMutex> ArmStore::ReadLock() const {
  return std::shared_lock(*changing_);
}

}  // namespace manyarms
