#include "policy/elimination.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/arm_set.h"
#include "testing.h"

namespace manyarms {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The slow twin: Algorithms 2 and 3 without heaps and searches, which looks at
// all arms every time. It shares only the computation of intervals with
// Elimination.
class SlowElimination {
 public:
  SlowElimination(const Confidence& confidence, double accuracy)
      : confidence_(confidence),
        accuracy_(accuracy),
        last_(static_cast<int>(std::ceil(std::log2(1 / (8 * accuracy))))) {}

  void Add(const std::vector<Slot>& slots) {
    const auto bounds = confidence_.Bounds(slots);
    for (const ArmBounds& arm : bounds) Raise(arm);
    for (const ArmBounds& arm : bounds) Place(arm);
    Sweep();
  }

  void Remove(Slot slot) {
    stage_.erase(slot);
    key_.erase(slot);
    if (slot == carrier_) Lower();
  }

  // The arms that may be played now: one, or all of the last stage.
  std::vector<Slot> Playable() {
    for (;;) {
      int first = last_ + 1;
      for (const auto& [slot, stage] : stage_) first = std::min(first, stage);
      if (first > last_) {
        ++recoveries_;
        Lower();
        continue;
      }
      std::vector<Slot> members;
      for (const auto& [slot, stage] : stage_) {
        if (stage == first) members.push_back(slot);
      }
      if (first == last_) return members;
      const auto bounds = confidence_.Bounds(members);
      const auto widest =
          std::ranges::max_element(bounds, {}, &ArmBounds::uncertainty);
      const double sought = std::ldexp(1.0, -first - 1);
      const double u = widest->uncertainty;
      if (u * u >= sought * sought * (1 - accuracy_ * accuracy_)) {
        return {widest->slot};
      }
      for (const Slot slot : members) stage_.erase(slot);
      Add(members);
    }
  }

  std::uint64_t recoveries() const { return recoveries_; }

 private:
  void Raise(const ArmBounds& arm) {
    if (arm.lower() > threshold_) {
      threshold_ = arm.lower();
      carrier_ = arm.slot;
    }
  }
  void Place(const ArmBounds& arm) {
    int stage = 0;
    while (stage < last_ && arm.uncertainty <= std::ldexp(1.0F, -stage - 1)) {
      ++stage;
    }
    const float width = std::ldexp(1.0F, -stage);
    stage_[arm.slot] = stage;
    key_[arm.slot] = arm.uncertainty <= width ? arm.mean + width : kInfinity;
  }
  void Sweep() {
    std::erase_if(stage_, [this](const auto& entry) {
      return key_[entry.first] < threshold_;
    });
  }
  void Lower() {
    threshold_ = -kInfinity;
    carrier_ = kNoSlot;
    std::vector<Slot> left;
    left.reserve(stage_.size());
    for (const auto& [slot, stage] : stage_) left.push_back(slot);
    for (const ArmBounds& arm : confidence_.Bounds(left)) Raise(arm);
    Sweep();
    std::vector<Slot> back;
    for (const auto& [slot, key] : key_) {
      if (!stage_.contains(slot) && key >= threshold_) back.push_back(slot);
    }
    Add(back);
  }

  const Confidence& confidence_;
  double accuracy_;
  int last_;
  std::map<Slot, int> stage_;  // of the arms that are not eliminated
  std::map<Slot, float> key_;  // of all arms
  float threshold_ = -kInfinity;
  Slot carrier_ = kNoSlot;
  std::uint64_t recoveries_ = 0;
};

// A world in which Elimination and its slow twin run side by side.
class Race {
 public:
  Race(std::size_t dim, double radius, double accuracy, std::uint64_t seed)
      : dim_(dim),
        seed_(seed),
        store_(dim),
        posterior_(dim, 1.0),
        confidence_(store_, posterior_, radius),
        slow_(confidence_, accuracy),
        fast_({.exploration = radius, .accuracy = accuracy}, ScanOptions{},
              {.store = store_,
               .posterior = posterior_,
               .index = nullptr,
               .model = ContextModel({.arm_dim = dim})},
              seed) {
    theta_ = testing::GaussianRows(1, dim, seed + 1000);
  }

  void Add(std::size_t count) {
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> features(dim_);
      RandomStream(seed_, RandomStream::Role::kArm, next_).Gaussians(features);
      slots.push_back(store_.Add(next_, features));
      live_.push_back(slots.back());
      ++next_;
    }
    fast_.Add(slots);
    slow_.Add(slots);
  }

  void Remove(Slot slot) {
    std::erase(live_, slot);
    fast_.Remove(slot);
    slow_.Remove(slot);
    store_.Remove(store_.id(slot));
  }

  // Does one step and returns the arm that was played.
  Slot Step(double noise) {
    const Hit hit = fast_.Choose({});
    const std::vector<Slot> playable = slow_.Playable();
    EXPECT_TRUE(std::ranges::find(playable, hit.slot) != playable.end())
        << "played " << hit.slot << " where " << playable.size()
        << " arms were playable, the first " << playable[0];
    std::vector<float> features(dim_);
    store_.CopyFeatures(hit.slot, features);
    double reward =
        noise *
        RandomStream(seed_, RandomStream::Role::kNoise, step_++).Gaussian();
    for (std::size_t j = 0; j < dim_; ++j) reward += theta_[j] * features[j];
    posterior_.Update(features, reward);
    return hit.slot;
  }

  // ChooseTop by its definition.
  std::vector<Slot> ObviousTop(std::size_t count,
                               const std::vector<Slot>& among) const {
    std::vector<ArmBounds> bounds = confidence_.Bounds(among);
    float threshold = -kInfinity;
    for (const ArmBounds& arm : bounds) {
      threshold = std::max(threshold, arm.mean - arm.uncertainty);
    }
    std::erase_if(bounds, [&](const ArmBounds& arm) {
      return arm.mean + arm.uncertainty < threshold;
    });
    std::ranges::sort(bounds, [&](const ArmBounds& a, const ArmBounds& b) {
      if (a.uncertainty != b.uncertainty) return a.uncertainty > b.uncertainty;
      return store_.id(a.slot) < store_.id(b.slot);
    });
    std::vector<Slot> slots;
    slots.reserve(bounds.size());
    for (const ArmBounds& arm : bounds) slots.push_back(arm.slot);
    slots.resize(std::min(count, slots.size()));
    return slots;
  }
  std::vector<Slot> Top(std::size_t count, const ArmSet* among) {
    std::vector<Slot> slots;
    for (const Hit& hit :
         fast_.ChooseTop({.count = count, .among = among}, {})) {
      slots.push_back(hit.slot);
    }
    return slots;
  }

  const std::vector<Slot>& live() const { return live_; }
  const Elimination& fast() const { return fast_; }
  const SlowElimination& slow() const { return slow_; }

 private:
  std::size_t dim_;
  std::uint64_t seed_;
  ArmStore store_;
  Posterior posterior_;
  Confidence confidence_;
  SlowElimination slow_;
  Elimination fast_;
  std::vector<float> theta_;
  std::vector<Slot> live_;
  ArmId next_ = 0;
  std::uint64_t step_ = 0;
};

TEST(Elimination, AgreesWithTheObviousWhileArmsAreAdded) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Race race(4, 2.0, 0.01, seed);
    race.Add(200);
    for (int t = 1; t <= 1500 && !::testing::Test::HasFailure(); ++t) {
      if (t % 20 == 0) race.Add(2);
      race.Step(1.0);
    }
  }
}

// The choices in between are the same as without ChooseTop.
TEST(Elimination, TheTopGoesByIntervalsAndLeavesTheStagesAlone) {
  Race asked(4, 2.0, 0.01, 1);
  Race alone(4, 2.0, 0.01, 1);
  asked.Add(300);
  alone.Add(300);
  bool left_some_out = false;
  for (int t = 1; t <= 800 && !::testing::Test::HasFailure(); ++t) {
    ArmSet among;
    std::vector<Slot> some;
    for (const Slot slot : asked.live()) {
      if (slot % 7 != static_cast<Slot>(t) % 7) continue;
      among.Add(slot);
      some.push_back(slot);
    }
    EXPECT_EQ(asked.Top(5, &among), asked.ObviousTop(5, some));
    const std::vector<Slot> all = asked.Top(1000, nullptr);
    EXPECT_EQ(all, asked.ObviousTop(1000, asked.live()));
    left_some_out |= all.size() < asked.live().size();
    EXPECT_EQ(asked.Step(1.0), alone.Step(1.0));
  }
  EXPECT_TRUE(left_some_out);
}

// Half of the removals are of the arm just played, which is most often the one
// that sets the threshold, or close to it.
TEST(Elimination, AgreesWithTheObviousUnderChurn) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Race race(3, 2.0, 0.01, seed);
    race.Add(150);
    RandomStream random(seed, RandomStream::Role::kChurn, 0);
    for (int t = 1; t <= 1500 && !::testing::Test::HasFailure(); ++t) {
      const Slot played = race.Step(1.0);
      if (t % 5 == 0) {
        race.Add(1);
        race.Remove(random.Below(2) == 0
                        ? played
                        : race.live()[random.Below(race.live().size())]);
      }
    }
  }
}

// The exploration is far too small for the noise, so that intervals fail and
// all arms are eliminated at times.
TEST(Elimination, RecoversWhenEverythingWasEliminated) {
  std::uint64_t recoveries = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Race race(4, 0.3, 0.01, seed);
    race.Add(50);
    for (int t = 1; t <= 1000 && !::testing::Test::HasFailure(); ++t) {
      if (t % 20 == 0) race.Add(1);
      race.Step(3.0);
    }
    recoveries += race.fast().stats().recoveries;
    EXPECT_EQ(race.fast().stats().recoveries, race.slow().recoveries());
  }
  EXPECT_GT(recoveries, 0U);  // or this test tests nothing
}

// The best arm eliminates the second best and is then removed. The second best
// must be found again.
TEST(Elimination, BringsBackWhatARemovedArmHadEliminated) {
  ArmStore store(2);
  Posterior posterior(2, 1.0);
  Elimination policy({}, ScanOptions{},
                     {.store = store,
                      .posterior = posterior,
                      .index = nullptr,
                      .model = ContextModel({.arm_dim = 2})},
                     1);
  const std::vector<std::vector<float>> arms = {{1, 0}, {0.5, 0}, {0, 1}};
  const std::vector<double> means = {10, 5, 0};
  std::vector<Slot> slots;
  slots.reserve(3);
  for (ArmId id = 0; id < 3; ++id) slots.push_back(store.Add(id, arms[id]));
  policy.Add(slots);
  const auto play = [&](int steps) {
    Slot last = kNoSlot;
    for (int t = 0; t < steps; ++t) {
      last = policy.Choose({}).slot;
      posterior.Update(arms[last], means[last]);
    }
    return last;
  };
  EXPECT_EQ(play(3000), slots[0]);
  policy.Remove(slots[0]);
  store.Remove(0);
  EXPECT_EQ(play(100), slots[1]);
  policy.Remove(slots[1]);
  store.Remove(1);
  EXPECT_EQ(play(100), slots[2]);
  EXPECT_EQ(policy.stats().recoveries, 0U);
}

}  // namespace
}  // namespace manyarms
