#include "policy/indexed_heap.h"

#include <functional>
#include <map>
#include <set>

#include "testing.h"

namespace manyarms {
namespace {

// Two heaps share one array of places and are compared with maps. Slots move
// from one heap to the other, as an arm does when it is eliminated.
TEST(IndexedHeap, AgreesWithAMap) {
  std::vector<std::uint32_t> places;
  IndexedHeap<std::less<>> low(places);
  IndexedHeap<std::greater<>> high(places);
  std::map<Slot, float> low_model;
  std::map<Slot, float> high_model;
  RandomStream random(1, RandomStream::Role::kPick, 0);
  const auto extreme = [](const std::map<Slot, float>& model, auto before) {
    float best = model.begin()->second;
    for (const auto& [slot, key] : model) {
      if (before(key, best)) best = key;
    }
    return best;
  };
  for (int i = 0; i < 20000; ++i) {
    if (i % 1000 == 0) {
      std::vector<IndexedHeap<std::less<>>::Entry> several;
      const auto last = static_cast<Slot>(1000 + random.Below(400));
      for (Slot slot = 1000; slot < last; ++slot) {
        if (low_model.contains(slot)) continue;
        const auto key = static_cast<float>(random.Below(50));
        several.push_back({key, slot});
        low_model[slot] = key;
      }
      low.PushAll(several);
      for (int taken = 0; taken < 300 && !low.empty(); ++taken) {
        const Slot top = low.top().slot;
        ASSERT_EQ(low.top().key, extreme(low_model, std::less<>()));
        low.Remove(top);
        low_model.erase(top);
      }
    }
    const auto slot = static_cast<Slot>(random.Below(200));
    const auto key = static_cast<float>(random.Below(50));  // ties are common
    if (low_model.erase(slot) == 1) {
      low.Remove(slot);
      if (random.Below(2) == 0) {
        high.Push(slot, key);
        high_model[slot] = key;
      }
    } else if (high_model.erase(slot) == 1) {
      high.Remove(slot);
    } else {
      low.Push(slot, key);
      low_model[slot] = key;
    }
    ASSERT_EQ(low.size(), low_model.size());
    ASSERT_EQ(high.size(), high_model.size());
    if (!low.empty()) {
      ASSERT_EQ(low.top().key, extreme(low_model, std::less<>()));
    }
    if (!high.empty()) {
      ASSERT_EQ(high.top().key, extreme(high_model, std::greater<>()));
    }
  }
  std::map<Slot, float> enumerated;
  for (const auto& entry : low) enumerated[entry.slot] = entry.key;
  EXPECT_EQ(enumerated, low_model);
}

}  // namespace
}  // namespace manyarms
