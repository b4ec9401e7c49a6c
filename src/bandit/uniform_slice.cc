#include "bandit/uniform_slice.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "kernels/blocks.h"

namespace manyarms {
namespace {

// Different members, each found by drawing slots until one holds a member that
// was not drawn before.
std::vector<Slot> DrawSlots(const ArmSet& arms, std::uint64_t slots,
                            std::size_t count, RandomStream& random) {
  std::vector<Slot> drawn;
  drawn.reserve(count);
  std::unordered_set<Slot> seen;
  while (drawn.size() < count) {
    const auto slot = static_cast<Slot>(random.Below(slots));
    if (!arms.Contains(slot) || !seen.insert(slot).second) continue;
    drawn.push_back(slot);
  }
  return drawn;
}

// The same by Fisher and Yates. In ascending order, because a set lists its
// members in an order that depends on its history.
std::vector<Slot> ShuffleSlots(const ArmSet& arms, std::size_t count,
                               RandomStream& random) {
  std::vector<Slot> slots = arms.Slots();
  std::ranges::sort(slots);
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(slots[i], slots[i + random.Below(slots.size() - i)]);
  }
  slots.resize(count);
  return slots;
}

}  // namespace

UniformSlice::UniformSlice(double share, std::uint64_t seed,
                           DecisionId decision)
    : random_(seed, RandomStream::Role::kUniform, decision),
      has_decision_(share > 0 && random_.Uniform() < share) {}

std::vector<Slot> UniformSlice::Draw(const ArmStore& store, const ArmSet* among,
                                     std::size_t count) {
  const ArmSet& arms = among != nullptr ? *among : store.members().arms();
  const std::uint64_t slots = std::uint64_t{store.block_count()} * kLanes;
  count = std::min(count, arms.size());
  // An arm takes slots/arms tries, or twice as many because of those that were
  // drawn before. Listing takes as long as there are arms.
  const std::uint64_t tries = slots / arms.size() * count;
  return 2 * tries <= arms.size() ? DrawSlots(arms, slots, count, random_)
                                  : ShuffleSlots(arms, count, random_);
}

}  // namespace manyarms
