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

// Shorter arms form one group: their scales would not be normal numbers.
constexpr float kShortest = 0x1p-100F;

// A page that grows is moved, which takes some microseconds up to this size.
constexpr std::size_t kMovedBytes = std::size_t{64} << 10;

constexpr std::size_t kPositions = 1U << 10;  // slots that share an allocation

std::uint32_t KeyOf(float value, int shift) {
  return std::bit_cast<std::uint32_t>(std::max(value, kShortest)) >> shift;
}
float UpperEnd(std::uint32_t key, int shift) {
  return std::bit_cast<float>((key + 1) << shift);
}

std::uint32_t BlocksIn(std::size_t bytes, std::size_t block_bytes) {
  return static_cast<std::uint32_t>(
      std::bit_floor(std::max<std::size_t>(bytes / block_bytes, 1)));
}

}  // namespace

CompactCopy::CompactCopy(std::size_t dim)
    : dim_(dim),
      block_bytes_(kernels::CompactBlockBytes(dim)),
      first_page_(BlocksIn(kMovedBytes, block_bytes_)),
      last_page_(BlocksIn(kHugePage, block_bytes_)),
      block_pool_(block_bytes_),
      slot_pool_(kLanes * sizeof(Slot)),
      scratch_(MakeLargeBuffer<std::uint8_t>(block_bytes_)) {}

// Pages have f, f, 2f, 4f, ... blocks, and `last_page_` from then on.
CompactCopy::Place CompactCopy::PlaceOf(Group& group, std::uint32_t arm) const {
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
  Group::Page& at = group.pages_[page];
  return {.block = at.blocks + within * block_bytes_,
          .lane = arm % kLanes,
          .slot = at.slots + std::size_t{within} * kLanes + arm % kLanes};
}

CompactCopy::Group& CompactCopy::GroupOf(float length, float peak) {
  const std::uint32_t length_key = KeyOf(length, kLengthShift);
  const std::uint32_t peak_key = KeyOf(peak, kPeakShift);
  // Both fit: exponents have 8 bits.
  const std::uint32_t key = length_key << 9 | peak_key;
  // Neighbours in length and in peak have different places.
  Recent& recent = recent_[(length_key * 8 + peak_key) % recent_.size()];
  if (recent.group != nullptr && recent.key == key) return *recent.group;
  const auto found = groups_.find(key);
  Group& group =
      found != groups_.end() ? *found->second : MakeGroup(length_key, peak_key);
  recent = {key, &group};
  return group;
}

CompactCopy::Group& CompactCopy::MakeGroup(std::uint32_t length_key,
                                           std::uint32_t peak_key) {
  auto group = std::make_unique<Group>();
  group->length_ = UpperEnd(length_key, kLengthShift);
  group->scale_ = UpperEnd(peak_key, kPeakShift) / 127;
  by_length_.reserve(by_length_.size() + 1);
  Group& made = *groups_.emplace(length_key << 9 | peak_key, std::move(group))
                     .first->second;
  const auto at =
      std::ranges::upper_bound(by_length_, made.length_, std::greater<>(),
                               [](const Group* g) { return g->length(); });
  by_length_.insert(at, &made);
  return made;
}

// Makes room for one more block.
void CompactCopy::MakeRoom(Group& group) {
  std::uint32_t room = 0;
  for (const Group::Page& page : group.pages_) room += page.room;
  if (group.arms_ / kLanes < room) return;
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
  } else {
    group.pages_.push_back(page);
  }
}

void CompactCopy::Free(const Group::Page& page) {
  block_pool_.GiveBack(page.blocks, page.room);
  slot_pool_.GiveBack(reinterpret_cast<std::uint8_t*>(page.slots),  // NOLINT
                      page.room);
}

std::uint32_t& CompactCopy::PositionOf(Slot slot) {
  while (slot / kPositions >= positions_.size()) {
    positions_.push_back(
        std::make_unique_for_overwrite<std::uint32_t[]>(kPositions));
  }
  return positions_[slot / kPositions][slot % kPositions];
}

void CompactCopy::Add(const MaskedBlock& masked, const float* features) {
  kernels::BlockShapes shapes;
  kernels::ShapesOf(features, dim_, shapes);
  std::array<Group*, kLanes> groups{};
  std::array<float, kLanes> scales;
  scales.fill(1);
  ForEachLane(masked.lanes, [&](std::uint32_t lane) {
    groups[lane] = &GroupOf(shapes.length[lane], shapes.peak[lane]);
    scales[lane] = groups[lane]->scale_;
  });
  std::array<float, kLanes> errors;
  kernels::MakeCompact(features, dim_, scales, scratch_.get(), errors);
  ForEachLane(masked.lanes, [&](std::uint32_t lane) {
    Append(*groups[lane], masked.block * kLanes + lane, scratch_.get(),
           errors[lane]);
  });
}

// `compact` has the arm in the lane of its slot.
void CompactCopy::Append(Group& group, Slot slot, const std::uint8_t* compact,
                         float error) {
  std::uint32_t& position = PositionOf(slot);
  const std::uint32_t arm = group.arms_;
  const std::uint32_t lane = arm % kLanes;
  if (lane == 0 || group.next_block_ == nullptr) {
    if (lane == 0) MakeRoom(group);
    const Place place = PlaceOf(group, arm);
    group.next_block_ = place.block;
    group.next_slots_ = place.slot - lane;
    // Sums are computed for all lanes of a block, so all of them are set.
    if (lane == 0) std::fill_n(place.block, block_bytes_, std::uint8_t{128});
  }
  kernels::CopyCompact(compact, LaneOf(slot), group.next_block_, lane, dim_);
  group.error_ = std::max(group.error_, error);
  group.next_slots_[lane] = slot;
  position = arm;
  ++group.arms_;
  ++arms_;
}

void CompactCopy::Remove(Slot slot, const float* features) {
  kernels::BlockShapes shapes;
  kernels::ShapesOf(features, dim_, shapes);
  Group& group =
      GroupOf(shapes.length[LaneOf(slot)], shapes.peak[LaneOf(slot)]);
  const std::uint32_t arm = PositionOf(slot);
  const std::uint32_t last = group.arms_ - 1;
  if (arm != last) {
    const Place from = PlaceOf(group, last);
    const Place to = PlaceOf(group, arm);
    kernels::CopyCompact(from.block, from.lane, to.block, to.lane, dim_);
    *to.slot = *from.slot;
    PositionOf(*from.slot) = arm;
  }
  --group.arms_;
  --arms_;
  group.next_block_ = nullptr;
  DropSparePage(group);
}

// One page may be empty, so that arms that come and go do not allocate memory
// each time.
void CompactCopy::DropSparePage(Group& group) {
  if (group.pages_.size() < 3) return;
  std::uint32_t before = 0;  // the last two pages, in blocks
  for (std::size_t i = 0; i + 2 < group.pages_.size(); ++i) {
    before += group.pages_[i].room;
  }
  if (group.arms_ > before * kLanes) return;
  Free(group.pages_.back());
  group.pages_.pop_back();
}

std::size_t CompactCopy::memory_bytes() const {
  // A group's entry in the map, and its pages, of which it has a few.
  constexpr std::size_t kGroup =
      sizeof(Group) + 5 * sizeof(void*) + 4 * sizeof(Group::Page);
  return sizeof(*this) + block_bytes_ + block_pool_.memory_bytes() +
         slot_pool_.memory_bytes() + groups_.size() * kGroup +
         by_length_.capacity() * sizeof(const Group*) +
         positions_.capacity() * sizeof(positions_[0]) +
         positions_.size() * kPositions * sizeof(std::uint32_t);
}

}  // namespace manyarms
