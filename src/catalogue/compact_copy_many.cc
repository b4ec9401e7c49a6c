// Adding many arms to a compact copy at once, on several threads.

#include <algorithm>
#include <limits>

#include "base/parallel_for.h"
#include "catalogue/compact_copy.h"

namespace manyarms {

// The arms are divided into ranges. First the arms of each group are counted in
// each range. Then it is known where in its group each range begins, and all
// ranges can be written at the same time. Two of them may share a compact
// block, but no word of it.
class CompactCopy::Addition {
 public:
  Addition(CompactCopy& copy, std::span<const Slot> slots,
           const BlockTable& store)
      : copy_(copy),
        slots_(slots),
        store_(store),
        ranges_((slots.size() - 1) / kRange + 1),
        share_of_(MakeLargeBuffer<ShareNumber>(slots.size())) {}

  void Run() {
    ForEachRange(
        [this](std::size_t begin, std::size_t end) { Count(begin, end); });
    GivePlaces();
    ForEachRange(
        [this](std::size_t begin, std::size_t end) { Write(begin, end); });
    TakeErrors();
  }

 private:
  // The arms of one range that belong to one group.
  struct Share {
    GroupKey key;
    std::uint32_t arms = 0;
    Group* group = nullptr;
    Place next = {};  // where the next of them goes
    float error = 0;
  };

  // In the order in which the groups occur in the range.
  using Shares = std::vector<Share>;
  using ShareNumber = std::uint16_t;
  static_assert(kRange <= std::numeric_limits<ShareNumber>::max());

  template <class Work>
  void ForEachRange(const Work& work) const {
    ParallelFor(slots_.size(), kRange, work);
  }

  void Count(std::size_t begin, std::size_t end) {
    Shares shares;
    GroupMap<ShareNumber> numbers;
    const auto number_of = [&](GroupKey key) {
      if (const ShareNumber* found = numbers.Find(key)) return *found;
      shares.push_back({.key = key});
      return numbers.Insert(key, static_cast<ShareNumber>(shares.size() - 1));
    };
    ShareNumber* share_of = &share_of_[begin];
    ForEachBlock(Range(begin, end), [&](std::span<const Slot> slots) {
      const Keys keys = copy_.KeysOf(FeaturesOf(slots));
      for (const Slot slot : slots) {
        const ShareNumber number = number_of(keys[LaneOf(slot)]);
        ++shares[number].arms;
        *share_of++ = number;
      }
    });
    ranges_[begin / kRange] = std::move(shares);
  }

  // Groups are made in the order in which they would be if the arms came one by
  // one, and arms keep their order.
  void GivePlaces() {
    ForEachShare([this](Share& share) {
      Group& group = copy_.GroupOf(share.key);
      share.group = &group;
      share.next = {.arm = group.arms()};
      group.end_ = {.arm = group.arms() + share.arms};
    });
    ForEachShare([this](Share& share) {
      copy_.MakeRoom(*share.group, share.group->arms());
      // The block in which the group ends may be new and not become full.
      const std::uint32_t last = share.group->arms() / kLanes * kLanes;
      const std::uint32_t first = share.next.arm;
      if (first <= last && last < first + share.arms) {
        copy_.ClearBlock(copy_.PlaceOf(*share.group, last));
      }
    });
  }

  void Write(std::size_t begin, std::size_t end) {
    Shares& shares = ranges_[begin / kRange];
    const ShareNumber* share_of = &share_of_[begin];
    const auto compact = MakeLargeBuffer<std::uint8_t>(copy_.block_bytes_);
    std::array<float, kLanes> scales;
    scales.fill(1);
    std::array<float, kLanes> errors;
    ForEachBlock(Range(begin, end), [&](std::span<const Slot> slots) {
      for (std::size_t i = 0; i < slots.size(); ++i) {
        scales[LaneOf(slots[i])] = shares[share_of[i]].group->scale_;
      }
      kernels::MakeCompact(FeaturesOf(slots), copy_.dim_, scales, compact.get(),
                           errors);
      for (const Slot slot : slots) {
        Share& share = shares[*share_of++];
        copy_.Put(*share.group, share.next, slot, compact.get());
        share.error = std::max(share.error, errors[LaneOf(slot)]);
      }
    });
  }

  void TakeErrors() {
    ForEachShare([](Share& share) {
      share.group->error_ = std::max(share.group->error_, share.error);
    });
  }

  template <class Visit>
  void ForEachShare(const Visit& visit) {
    for (Shares& shares : ranges_) {
      for (Share& share : shares) visit(share);
    }
  }

  std::span<const Slot> Range(std::size_t begin, std::size_t end) const {
    return slots_.subspan(begin, end - begin);
  }
  const float* FeaturesOf(std::span<const Slot> slots_of_a_block) const {
    return store_.Features(BlockOf(slots_of_a_block.front()));
  }

  CompactCopy& copy_;
  const std::span<const Slot> slots_;
  const BlockTable& store_;
  std::vector<Shares> ranges_;
  LargeBuffer<ShareNumber> share_of_;  // by arm, within its range
};

void CompactCopy::AddMany(std::span<const Slot> slots,
                          const BlockTable& store) {
  Addition(*this, slots, store).Run();
}

}  // namespace manyarms
