#include "catalogue/members.h"

#include <algorithm>
#include <new>

namespace manyarms {
namespace {

// If there were more changes than this, and more than one for each block, it
// costs less to read the epochs of all blocks than a log.
constexpr std::size_t kShortLog = 1024;

}  // namespace

// The change is noted before it is made: if memory runs out in between, a
// change is noted that did not happen, which does no harm.
void Members::Add(Slot slot) {
  Note({.slot = slot, .added = true});
  arms_.Add(slot);
}

// Arms that exceed the length of the log would remove all its entries, and are
// not written to it one by one.
void Members::Add(std::span<const Slot> slots) {
  if (slots.size() < 2 * LogLength()) {
    for (const Slot slot : slots) Add(slot);
    return;
  }
  const Slot last = std::ranges::max(slots);
  if (BlockOf(last) >= changed_.size()) changed_.resize(BlockOf(last) + 1);
  log_start_ = epoch() + slots.size();
  log_.clear();
  arms_.ReserveBlocks(changed_.size());
  ForEachBlock(slots, [this](std::span<const Slot> of_block) {
    MaskedBlock masked = {.block = BlockOf(of_block.front()), .lanes = 0};
    for (const Slot slot : of_block) masked.lanes |= 1U << LaneOf(slot);
    changed_[masked.block] = log_start_;
    arms_.AddLanes(masked);
  });
}

void Members::Remove(Slot slot) {
  Note({.slot = slot, .added = false});
  arms_.Remove(slot);
}

void Members::Clear() {
  log_start_ = epoch() + 1;
  log_.clear();
  for (const MaskedBlock& masked : arms_.blocks()) {
    changed_[masked.block] = log_start_;
  }
  arms_.Clear();
}

std::size_t Members::LogLength() const {
  return std::max(kShortLog, changed_.size());
}

void Members::Note(const Change& change) {
  const std::size_t kept = LogLength();
  if (log_.size() >= 2 * kept) {
    const auto end = log_.end() - static_cast<std::ptrdiff_t>(kept);
    log_start_ += static_cast<Epoch>(end - log_.begin());
    log_.erase(log_.begin(), end);
  }
  const std::uint32_t block = BlockOf(change.slot);
  if (block >= changed_.size()) changed_.resize(block + 1);
  try {
    log_.push_back(change);
  } catch (const std::bad_alloc&) {  // the epochs of blocks remain
    log_start_ = epoch() + 1;
    log_.clear();
  }
  changed_[block] = epoch();
}

std::vector<std::uint32_t> Members::ChangedBlocks(Epoch since) const {
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t block = 0; block < changed_.size(); ++block) {
    if (changed_[block] > since) blocks.push_back(block);
  }
  return blocks;
}

std::vector<MaskedBlock> Members::ChangedSlots(Epoch since) const {
  std::vector<MaskedBlock> changed;
  if (!LogReaches(since)) {
    for (const std::uint32_t block : ChangedBlocks(since)) {
      changed.push_back({.block = block, .lanes = kAllLanes});
    }
    return changed;
  }
  std::vector<Slot> slots;
  for (const Change& change : Changes(since)) slots.push_back(change.slot);
  std::ranges::sort(slots);
  for (const Slot slot : slots) {
    if (changed.empty() || changed.back().block != BlockOf(slot)) {
      changed.push_back({.block = BlockOf(slot), .lanes = 0});
    }
    changed.back().lanes |= 1U << LaneOf(slot);
  }
  return changed;
}

std::size_t Members::memory_bytes() const {
  return arms_.memory_bytes() + changed_.capacity() * sizeof(Epoch) +
         log_.capacity() * sizeof(Change);
}

}  // namespace manyarms
