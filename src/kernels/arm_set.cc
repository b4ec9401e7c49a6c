#include "kernels/arm_set.h"

#include <bit>

namespace manyarms {

void ArmSet::Add(Slot slot) {
  AddLanes({.block = BlockOf(slot), .lanes = 1U << LaneOf(slot)});
}

void ArmSet::AddLanes(const MaskedBlock& masked) {
  const std::uint32_t block = masked.block;
  if (block >= place_.size()) place_.resize(block + 1, kNowhere);
  if (place_[block] == kNowhere) {
    blocks_.push_back({.block = block, .lanes = 0});
    place_[block] = static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  blocks_[place_[block]].lanes |= masked.lanes;
  // Counting bits may be a call, and most often there is one.
  const bool one = (masked.lanes & (masked.lanes - 1)) == 0;
  size_ += one ? 1 : static_cast<std::size_t>(std::popcount(masked.lanes));
}

void ArmSet::AddBlock(const MaskedBlock& masked) {
  if (masked.block >= place_.size()) place_.resize(masked.block + 1, kNowhere);
  place_[masked.block] = static_cast<std::uint32_t>(blocks_.size());
  blocks_.push_back(masked);
  size_ += static_cast<std::size_t>(std::popcount(masked.lanes));
}

void ArmSet::Remove(Slot slot) {
  const std::uint32_t block = BlockOf(slot);
  const std::uint32_t place = place_[block];
  blocks_[place].lanes &= ~(1U << LaneOf(slot));
  --size_;
  if (blocks_[place].lanes != 0) return;

  blocks_[place] = blocks_.back();
  place_[blocks_[place].block] = place;
  place_[block] = kNowhere;
  blocks_.pop_back();
}

std::vector<Slot> ArmSet::Slots() const {
  std::vector<Slot> slots;
  slots.reserve(size_);
  for (const MaskedBlock& masked : blocks_) {
    ForEachLane(masked.lanes, [&](std::uint32_t lane) {
      slots.push_back(masked.block * kLanes + lane);
    });
  }
  return slots;
}

void ArmSet::Clear() {
  for (const MaskedBlock& masked : blocks_) place_[masked.block] = kNowhere;
  blocks_.clear();
  size_ = 0;
}

}  // namespace manyarms
