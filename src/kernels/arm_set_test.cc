#include "kernels/arm_set.h"

#include <set>

#include "testing.h"

namespace manyarms {
namespace {

std::set<Slot> Members(const ArmSet& arms) {
  std::set<Slot> members;
  for (const MaskedBlock& masked : arms.blocks()) {
    EXPECT_NE(masked.lanes, 0U) << "a block without members is listed";
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((masked.lanes >> lane & 1U) == 0) continue;
      EXPECT_TRUE(members.insert(masked.block * kLanes + lane).second);
    }
  }
  return members;
}

TEST(ArmSet, AgreesWithASetOfSlots) {
  ArmSet arms;
  std::set<Slot> model;
  RandomStream random(1, RandomStream::Role::kPick, 0);
  for (int i = 0; i < 20000; ++i) {
    // Mostly additions for a while, then mostly removals, and so on.
    const auto slot = static_cast<Slot>(random.Below(500));
    const bool add = random.Below(10) < (i / 2000 % 2 == 0 ? 8U : 2U);
    if (add && model.insert(slot).second) arms.Add(slot);
    if (!add && model.erase(slot) == 1) arms.Remove(slot);
    ASSERT_EQ(arms.size(), model.size());
    ASSERT_EQ(arms.Contains(slot), model.contains(slot));
    if (i % 100 == 0) {
      ASSERT_EQ(Members(arms), model);
      const std::vector<Slot> slots = arms.Slots();
      ASSERT_EQ(std::set<Slot>(slots.begin(), slots.end()), model);
      ASSERT_EQ(slots.size(), model.size());
    }
  }
  arms.Clear();
  EXPECT_EQ(arms.size(), 0U);
  EXPECT_TRUE(arms.blocks().empty());
  arms.Add(33);
  EXPECT_EQ(Members(arms), std::set<Slot>{33});
}

}  // namespace
}  // namespace manyarms
