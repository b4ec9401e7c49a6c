#ifndef MANYARMS_SERVICE_STORE_RANDOM_CHANGES_H_
#define MANYARMS_SERVICE_STORE_RANDOM_CHANGES_H_

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "service/store/store_model.h"

namespace manyarms::service {

/// For tests: changes that a service could make, given what a model has.
class RandomChanges {
 public:
  RandomChanges(std::uint64_t seed, const StoreModel& model)
      : random_(seed), model_(model) {}

  /// `last` is the last number given so far.
  Change Next(Sequence last) {
    time_ += 1;
    if (model_.bandits.empty() || (model_.bandits.size() < 3 && OneIn(30))) {
      return ABandit();
    }
    auto of = model_.bandits.begin();
    std::advance(of, Below(model_.bandits.size()));
    const StoreModel::Bandit& bandit = of->second;
    const BanditNumber number = of->first;
    switch (Below(40)) {
      case 0:
        return BanditChanged{.bandit = number, .settings = Text()};
      case 1:
        if (OneIn(3)) return BanditDeleted{number};
        return Checkpoint{.bandit = number, .as_of = last};
      case 2:
        return LearnerForgotten{.bandit = number, .learner = Learner()};
      case 3:
        return SnapshotTaken{
            .bandit = number, .name = SnapshotName(), .time = time_};
      case 4:
      case 5:
        return OfSnapshot(number, bandit);
      case 6:
      case 7:
      case 8:
      case 9:
        return Saved(number, last);
      case 10:
      case 11:
      case 12:
      case 13:
      case 14:
        return Arms(number, bandit);
      case 15:
      case 16:
      case 17:
        return Removed(number, bandit);
      default:
        if (OneIn(2)) return Decisions(number);
        return Reward(number, bandit);
    }
  }

  Time time() const { return time_; }
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  std::string Learner() { return learners_[Below(learners_.size())]; }

 private:
  // Among them the empty one, one that sorts otherwise by a locale, and quotes.
  const std::vector<std::string> learners_ = {
      "", "a", "B", "b", "z\u00e9ro", "it's", "\U0001F600", "a b", "%s;--"};

  std::string Text() { return fmt::format("text {}", Below(1000)); }
  std::string SnapshotName() { return fmt::format("snapshot {}", Below(3)); }

  Change ABandit() {
    return BanditCreated{
        .bandit = model_.last_bandit + 1,
        .name = fmt::format("bandit {}", model_.last_bandit + 1),
        .settings = Text(),
        .time = time_};
  }

  Change OfSnapshot(BanditNumber number, const StoreModel::Bandit& bandit) {
    const std::string name = SnapshotName();
    if (OneIn(4)) return SnapshotDeleted{.bandit = number, .name = name};
    if (!bandit.snapshots.contains(name)) {
      return SnapshotTaken{.bandit = number, .name = name, .time = time_};
    }
    return SnapshotRestored{.bandit = number, .name = name, .time = time_};
  }

  Change Saved(BanditNumber number, Sequence last) {
    LearnerSaved saved = {.bandit = number,
                          .learner = Learner(),
                          .open = fmt::format("[{}]", Text()),
                          .as_of = last};
    saved.knowledge.resize(OneIn(4) ? 20'000 : Below(200));
    for (auto& byte : saved.knowledge) byte = std::byte(Below(256));
    return saved;
  }

  std::vector<float> Floats(std::size_t size) {
    std::vector<float> values(size);
    std::normal_distribution<float> normal;
    for (float& value : values) value = normal(random_);
    return values;
  }

  // Arms with and without names, and ids of all 64 bits.
  ArmId AnArm() { return OneIn(5) ? random_() : Below(100); }
  std::string ArmName() { return OneIn(3) ? std::string() : Text(); }

  Change Arms(BanditNumber number, const StoreModel::Bandit& bandit) {
    ArmsPut put = {.bandit = number, .time = time_};
    auto place = static_cast<std::uint32_t>(Below(bandit.arms.size() + 1));
    for (std::uint64_t i = Below(5) + 1; i > 0; --i, ++place) {
      ArmRow arm = {.place = place,
                    .arm = AnArm(),
                    .name = ArmName(),
                    .features = Floats(3)};
      for (std::uint64_t tag = Below(3); tag > 0; --tag) {
        arm.tags.push_back(fmt::format("{}\"\\,", Text()));
      }
      put.arms.push_back(std::move(arm));
    }
    return put;
  }

  Change Removed(BanditNumber number, const StoreModel::Bandit& bandit) {
    ArmsRemoved removed = {.bandit = number, .time = time_};
    for (const auto& [place, arm] : bandit.arms) {
      if (arm.freed == 0 && OneIn(3)) {
        removed.arms.push_back({.place = place, .freed = ++freed_});
      }
    }
    return removed;
  }

  Change Decisions(BanditNumber number) {
    DecisionsMade made;
    const auto slate = static_cast<std::uint32_t>(OneIn(3) ? Below(6) + 1 : 1);
    const std::string learner = Learner();
    const std::string event = OneIn(3) ? std::string() : Text();
    for (std::uint32_t rank = 0; rank < slate; ++rank) {
      DecisionRow row;
      row.bandit = number;
      row.learner = learner;
      row.number = Below(1000) + 1;
      row.rank = rank;
      row.slate = slate;
      row.arm = AnArm();
      row.arm_name = ArmName();
      row.features = Floats(3);
      row.context = Floats(OneIn(2) ? 2 : 0);
      row.score = static_cast<double>(Floats(1)[0]) / 3;
      row.eligible = random_() >> 20;
      row.uniform = OneIn(2);
      if (OneIn(2)) row.probability = 1.0 / static_cast<double>(1 + Below(99));
      if (OneIn(3)) row.policy_arm = AnArm();
      if (OneIn(3)) row.policy_arm_name = Text();
      row.event = event;
      row.active = OneIn(2);
      row.time = time_;
      made.decisions.push_back(std::move(row));
    }
    return made;
  }

  Change Reward(BanditNumber number, const StoreModel::Bandit& bandit) {
    RewardRow row;
    row.bandit = number;
    row.kind = static_cast<RewardKind>(Below(7));
    row.learner = Learner();
    if (row.kind == RewardKind::kObserved) {
      if (OneIn(2)) row.arm = AnArm();
      if (row.arm) row.arm_name = ArmName();
      row.features = Floats(3);
      row.context = Floats(OneIn(2) ? 2 : 0);
    } else if (bandit.decisions.empty()) {
      row.decision = 1;
    } else {
      auto decision = bandit.decisions.begin();
      std::advance(decision, Below(bandit.decisions.size()));
      row.decision = decision->first;
      row.learner = decision->second.learner;
    }
    row.reward = static_cast<double>(Floats(1)[0]) / 7;
    if (OneIn(2)) row.id = Text();
    row.time = time_;
    return row;
  }

  std::mt19937_64 random_;
  const StoreModel& model_;
  Time time_ = 1.7e9;
  std::uint64_t freed_ = 0;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_RANDOM_CHANGES_H_
