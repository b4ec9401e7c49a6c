#include "search/certified/fresh_arms.h"

#include <set>

#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

std::vector<MaskedBlock> Blocks(const std::set<Slot>& slots) {
  std::vector<MaskedBlock> blocks;
  for (const Slot slot : slots) {
    if (blocks.empty() || blocks.back().block != BlockOf(slot)) {
      blocks.push_back({.block = BlockOf(slot)});
    }
    blocks.back().lanes |= 1U << LaneOf(slot);
  }
  return blocks;
}

TEST(FreshArms, AreThoseOfASet) {
  FreshArms fresh;
  std::set<Slot> slow;
  RandomStream random(1, RandomStream::Role::kChurn, 0);
  for (int round = 0; round < 500; ++round) {
    std::set<Slot> changed;
    std::set<Slot> added;
    for (std::uint64_t i = random.Below(40); i > 0; --i) {
      const auto slot = static_cast<Slot>(random.Below(400));
      changed.insert(slot);
      if (random.Below(2) == 0) added.insert(slot);
    }
    fresh.Replace(Blocks(changed), Blocks(added));
    for (const Slot slot : changed) slow.erase(slot);
    slow.insert(added.begin(), added.end());
    ASSERT_EQ(fresh.size(), slow.size());
    ASSERT_TRUE(
        std::ranges::equal(fresh.blocks(), Blocks(slow),
                           [](const MaskedBlock& a, const MaskedBlock& b) {
                             return a.block == b.block && a.lanes == b.lanes;
                           }));
  }
}

TEST(FreshArms, GiveTheirMemoryBack) {
  FreshArms fresh;
  const std::vector<MaskedBlock> some(1000, {.block = 0, .lanes = 1});
  fresh.Replace({}, some);
  EXPECT_GT(fresh.memory_bytes(), 0U);
  fresh.Clear();
  EXPECT_EQ(fresh.memory_bytes(), 0U);
  EXPECT_EQ(fresh.size(), 0U);
}

}  // namespace
}  // namespace manyarms
