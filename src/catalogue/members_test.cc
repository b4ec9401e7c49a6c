#include "catalogue/members.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "manyarms/random.h"

namespace manyarms {
namespace {

// The slow twin: a set with a log of unlimited length.
struct SlowMembers {
  std::set<Slot> arms;
  std::vector<Members::Change> log;
};

// Whatever happens, the log and the epochs of blocks report every change.
TEST(Members, TellEveryChangeToThoseWhoFollow) {
  Members members;
  SlowMembers slow;
  // The slow log's length at each epoch. The two differ, because Clear counts
  // as one change.
  std::map<Epoch, std::size_t> length_at = {{0, 0}};
  RandomStream random(1, RandomStream::Role::kChurn, 0);
  int by_log = 0;
  int by_blocks = 0;
  for (int step = 0; step < 40'000; ++step) {
    const auto slot = static_cast<Slot>(random.Below(5000));
    if (random.Below(2'000) == 0) {
      std::vector<Slot> many;
      for (Slot next = 5000; next < 5000 + 1 + random.Below(4000); ++next) {
        if (!slow.arms.contains(next)) many.push_back(next);
      }
      for (const Slot arm : many) slow.log.push_back({arm, true});
      slow.arms.insert(many.begin(), many.end());
      members.Add(many);
      if (many.empty()) continue;
    } else if (random.Below(10'000) == 0) {
      for (const Slot arm : slow.arms) slow.log.push_back({arm, false});
      slow.arms.clear();
      members.Clear();
    } else if (slow.arms.contains(slot)) {
      members.Remove(slot);
      slow.arms.erase(slot);
      slow.log.push_back({slot, false});
    } else {
      members.Add(slot);
      slow.arms.insert(slot);
      slow.log.push_back({slot, true});
    }
    ASSERT_GT(members.epoch(), length_at.rbegin()->first);
    length_at[members.epoch()] = slow.log.size();
    if (step % 97 != 0) continue;

    // Asks for all changes since a random earlier epoch.
    const auto since =
        std::next(length_at.begin(),
                  static_cast<std::ptrdiff_t>(random.Below(length_at.size())));
    const std::span missed = std::span(slow.log).subspan(since->second);
    std::set<std::uint32_t> blocks;
    for (const Members::Change& change : missed) {
      blocks.insert(BlockOf(change.slot));
    }
    const auto changed = members.ChangedBlocks(since->first);
    EXPECT_TRUE(std::ranges::equal(changed, blocks));
    std::map<std::uint32_t, std::uint32_t> lanes;
    const bool by_slot = members.LogReaches(since->first);
    for (const Members::Change& change : missed) {
      lanes[BlockOf(change.slot)] |=
          by_slot ? 1U << LaneOf(change.slot) : kAllLanes;
    }
    EXPECT_TRUE(std::ranges::equal(
        members.ChangedSlots(since->first), lanes,
        [](const MaskedBlock& masked, const auto& entry) {
          return masked.block == entry.first && masked.lanes == entry.second;
        }));
    if (by_slot) {
      EXPECT_TRUE(std::ranges::equal(
          members.Changes(since->first), missed,
          [](const Members::Change& a, const Members::Change& b) {
            return a.slot == b.slot && a.added == b.added;
          }));
      ++by_log;
    } else {
      ++by_blocks;
    }
    EXPECT_EQ(members.size(), slow.arms.size());
    for (const Slot arm : slow.arms) ASSERT_TRUE(members.Contains(arm));
  }
  EXPECT_GT(by_log, 10);
  EXPECT_GT(by_blocks, 10);
}

TEST(Members, TakeTwoBytesAnArmHoweverManyCameAndWent) {
  Members members;
  for (Slot slot = 0; slot < 100'000; ++slot) members.Add(slot);
  for (int round = 0; round < 20; ++round) {
    for (Slot slot = 0; slot < 100'000; slot += 2) members.Remove(slot);
    for (Slot slot = 0; slot < 100'000; slot += 2) members.Add(slot);
  }
  // 12 bytes a block for the set, 8 for its epoch, two changes of 8 bytes for
  // the log; vectors may have room for twice as much.
  EXPECT_LT(members.memory_bytes(), 2 * 100'000 / kLanes * (12 + 8 + 16));
}

}  // namespace
}  // namespace manyarms
