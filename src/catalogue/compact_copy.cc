#include "catalogue/compact_copy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace manyarms {
namespace {

// Lengths of a group differ by up to 3 %, the largest features by up to half:
// the leading bits of a float are its exponent and the first bits of its
// mantissa. Finer groups would read fewer arms, but there would be more of
// them, with some twenty nanoseconds each.
constexpr int kLengthShift = 23 - 5;
constexpr int kPeakShift = 23 - 1;
static_assert(GroupKey::kPeaks == 1U << (31 - kPeakShift));

// Shorter arms form one group: their scales would not be normal numbers.
constexpr float kShortest = 0x1p-100F;

// A page that grows is moved, which takes some microseconds up to this size.
constexpr std::size_t kMovedBytes = std::size_t{64} << 10;

constexpr std::size_t kPositions = 1U << 10;  // slots whose places are together

std::uint32_t LeadingBits(float value, int shift) {
  return std::bit_cast<std::uint32_t>(std::max(value, kShortest)) >> shift;
}
float UpperEnd(std::uint32_t leading_bits, int shift) {
  return std::bit_cast<float>((leading_bits + 1) << shift);
}

std::uint32_t BlocksIn(std::size_t bytes, std::size_t block_bytes) {
  return static_cast<std::uint32_t>(
      std::bit_floor(std::max<std::size_t>(bytes / block_bytes, 1)));
}

// The lines are in the cache when they are written some arms later. There are
// more groups than the processor could follow by itself.
void FetchForWriting(const std::uint8_t* lines, std::size_t bytes) {
  constexpr std::size_t kMost = 512;
  for (std::size_t at = 0; at < std::min(bytes, kMost); at += 64) {
    __builtin_prefetch(lines + at, 1);
  }
}

}  // namespace

CompactCopy::CompactCopy(std::size_t dim, std::size_t most_bytes)
    : dim_(dim),
      block_bytes_(kernels::CompactBlockBytes(dim)),
      first_page_(BlocksIn(kMovedBytes, block_bytes_)),
      last_page_(BlocksIn(kHugePage, block_bytes_)),
      block_pool_(block_bytes_, most_bytes),
      slot_pool_(kLanes * sizeof(Slot)),
      scratch_(MakeLargeBuffer<std::uint8_t>(block_bytes_)) {}

// Pages have f, f, 2f, 4f, ... blocks, and `last_page_` from then on.
CompactCopy::Place CompactCopy::PlaceOf(const Group& group,
                                        std::uint32_t arm) const {
  const std::uint32_t block = arm / kLanes;
  std::size_t page = 0;
  std::uint32_t within = block;
  if (block >= last_page_) {
    page = static_cast<std::size_t>(std::bit_width(last_page_ / first_page_)) +
           (block - last_page_) / last_page_;
    within = (block - last_page_) % last_page_;
  } else if (block >= first_page_) {
    page = static_cast<std::size_t>(std::bit_width(block / first_page_));
    within = block - (first_page_ << (page - 1));
  }
  const Group::Page& at = group.pages_[page];
  return {.arm = arm,
          .block = at.blocks + within * block_bytes_,
          .slots = at.slots + std::size_t{within} * kLanes};
}

// The keys of all arms in a block of the store.
CompactCopy::Keys CompactCopy::KeysOf(const float* features) const {
  kernels::BlockShapes shapes;
  kernels::ShapesOf(features, dim_, shapes);
  Keys keys;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    keys[lane].bits =
        LeadingBits(shapes.length[lane], kLengthShift) * GroupKey::kPeaks +
        LeadingBits(shapes.peak[lane], kPeakShift);
  }
  return keys;
}

CompactCopy::Group& CompactCopy::GroupOf(GroupKey key) {
  Group* found = groups_.Find(key);
  return found != nullptr ? *found : MakeGroup(key);
}

CompactCopy::Group& CompactCopy::MakeGroup(GroupKey key) {
  Group& made = groups_.Insert(key, Group());
  made.length_ = UpperEnd(key.length(), kLengthShift);
  made.scale_ = UpperEnd(key.peak(), kPeakShift) / 127;
  const auto at =
      std::ranges::upper_bound(by_length_, made.length_, std::greater<>(),
                               [](const Group* g) { return g->length(); });
  by_length_.insert(at, &made);
  return made;
}

// Makes room for this number of arms in all.
void CompactCopy::MakeRoom(Group& group, std::uint32_t arms) {
  std::uint32_t room = 0;
  for (const Group::Page& page : group.pages_) room += page.room;
  while (room * kLanes < arms) {
    const bool moves = room > 0 && room < first_page_;
    const std::uint32_t size =
        std::clamp(moves ? 2 * room : room, 1U, last_page_);
    group.pages_.reserve(group.pages_.size() + 1);
    const Group::Page page{
        .blocks = block_pool_.Take(size),
        .slots = reinterpret_cast<Slot*>(slot_pool_.Take(size)),  // NOLINT
        .room = size};
    if (moves) {
      Group::Page& old = group.pages_.front();
      std::memcpy(page.blocks, old.blocks, room * block_bytes_);
      std::copy_n(old.slots, room * kLanes, page.slots);
      Free(old);
      old = page;
      room = size;
    } else {
      group.pages_.push_back(page);
      room += size;
    }
  }
}

void CompactCopy::Free(const Group::Page& page) {
  block_pool_.GiveBack(page.blocks, page.room);
  slot_pool_.GiveBack(reinterpret_cast<std::uint8_t*>(page.slots),  // NOLINT
                      page.room);
}

// In a large copy the positions of many slots lie together on a huge page.
void CompactCopy::MakePositions(Slot last) {
  constexpr std::size_t kMost = kHugePage / (kPositions * sizeof(Slot));
  const std::size_t needed = last / kPositions + 1;
  while (positions_.size() < needed) {
    const std::size_t together = std::min(
        kMost, std::max(needed - positions_.size(), positions_.size() / 8));
    position_buffers_.push_back(
        MakeLargeBuffer<std::uint32_t>(together * kPositions));
    for (std::size_t i = 0; i < together; ++i) {
      positions_.push_back(position_buffers_.back().get() + i * kPositions);
    }
  }
}

std::uint32_t& CompactCopy::PositionOf(Slot slot) {
  return positions_[slot / kPositions][slot % kPositions];
}

void CompactCopy::Add(std::span<const Slot> slots, const BlockTable& store) {
  if (slots.empty()) return;
  MakePositions(std::ranges::max(slots));
  if (slots.size() > kRange) {
    AddMany(slots, store);
  } else {
    ForEachBlock(slots, [&](std::span<const Slot> of_block) {
      AddBlock(of_block, store.Features(BlockOf(of_block.front())));
    });
  }
  arms_ += slots.size();
}

// Adds arms of one block of the store.
void CompactCopy::AddBlock(std::span<const Slot> slots, const float* features) {
  const Keys keys = KeysOf(features);
  std::array<Group*, kLanes> groups;
  std::array<float, kLanes> scales;
  scales.fill(1);
  for (const Slot slot : slots) {
    const std::uint32_t lane = LaneOf(slot);
    groups[lane] = &GroupOf(keys[lane]);
    scales[lane] = groups[lane]->scale_;
  }
  std::array<float, kLanes> errors;
  kernels::MakeCompact(features, dim_, scales, scratch_.get(), errors);
  for (const Slot slot : slots) {
    Group& group = *groups[LaneOf(slot)];
    if (group.end_.lane() == 0) {
      MakeRoom(group, group.end_.arm + 1);
      ClearBlock(PlaceOf(group, group.end_.arm));
    }
    Put(group, group.end_, slot, scratch_.get());
    group.error_ = std::max(group.error_, errors[LaneOf(slot)]);
  }
}

// Sums are computed for all lanes of a block, so all of them are set.
void CompactCopy::ClearBlock(const Place& place) {
  std::fill_n(place.block, block_bytes_, std::uint8_t{128});
}

// Writes the arm, which `compact` has in the lane of its slot, to a place for
// which there is room, and moves on to the next place.
void CompactCopy::Put(const Group& group, Place& next, Slot slot,
                      const std::uint8_t* compact) {
  const std::uint32_t lane = next.lane();
  if (lane == 0 || next.block == nullptr) {
    next = PlaceOf(group, next.arm);
    FetchForWriting(next.block + block_bytes_, block_bytes_);
  }
  kernels::CopyCompact(compact, LaneOf(slot), next.block, lane, dim_);
  next.slots[lane] = slot;
  PositionOf(slot) = next.arm++;
}

void CompactCopy::Remove(Slot slot, const BlockTable& store) {
  const Keys keys = KeysOf(store.Features(BlockOf(slot)));
  Group& group = GroupOf(keys[LaneOf(slot)]);
  const Place to = PlaceOf(group, PositionOf(slot));
  const Place last = PlaceOf(group, group.end_.arm - 1);
  if (to.arm != last.arm) {
    const Slot moved = last.slots[last.lane()];
    kernels::CopyCompact(last.block, last.lane(), to.block, to.lane(), dim_);
    to.slots[to.lane()] = moved;
    PositionOf(moved) = to.arm;
  }
  group.end_ = last;
  --arms_;
  DropSparePage(group);
}

// One page may be empty, so that arms that come and go do not allocate memory
// each time.
void CompactCopy::DropSparePage(Group& group) {
  if (group.pages_.size() < 3) return;
  std::uint32_t before = 0;  // blocks in all pages but the last two
  for (std::size_t i = 0; i + 2 < group.pages_.size(); ++i) {
    before += group.pages_[i].room;
  }
  if (group.arms() > before * kLanes) return;
  Free(group.pages_.back());
  group.pages_.pop_back();
}

std::size_t CompactCopy::memory_bytes() const {
  // A group's entry in the map, and its pages, of which it has a few.
  constexpr std::size_t kGroup =
      sizeof(Group) + 4 * sizeof(void*) + 4 * sizeof(Group::Page);
  return sizeof(*this) + block_bytes_ + block_pool_.memory_bytes() +
         slot_pool_.memory_bytes() + groups_.size() * kGroup +
         by_length_.capacity() * sizeof(const Group*) +
         positions_.capacity() * sizeof(positions_[0]) +
         position_buffers_.capacity() * sizeof(position_buffers_[0]) +
         positions_.size() * kPositions * sizeof(std::uint32_t);
}

}  // namespace manyarms
