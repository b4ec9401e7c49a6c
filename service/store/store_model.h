#ifndef MANYARMS_SERVICE_STORE_STORE_MODEL_H_
#define MANYARMS_SERVICE_STORE_STORE_MODEL_H_

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "service/store/store.h"

namespace manyarms::service {

/// For tests: a store in memory, slow and obvious.
class StoreModel {
 public:
  struct FormerArm {
    Store::FormerArm row;
    Time removed = 0;
  };
  using Arms = std::map<std::uint32_t, ArmRow>;
  using Learners = std::map<std::string, LearnerSaved>;
  struct Snapshot {
    Time time = 0;
    Arms arms;
    Learners learners;
  };
  struct Bandit {
    BanditRow row;
    Arms arms;
    std::vector<FormerArm> former;
    Learners learners;
    std::map<Sequence, DecisionRow> decisions;
    std::map<Sequence, RewardRow> rewards;
    std::map<std::string, Snapshot> snapshots;
  };

  std::map<BanditNumber, Bandit> bandits;
  BanditNumber last_bandit = 0;

  void Apply(const Change& change, Sequence sequence) {
    std::visit([&](const auto& one) { Do(one, sequence); }, change);
  }

  void DeleteOlderThan(Time before) {
    for (auto& [number, bandit] : bandits) {
      const Sequence checkpoint = bandit.row.checkpoint;
      const auto is_old = [&](const auto& row) {
        return row.second.time < before && row.first <= checkpoint;
      };
      std::erase_if(bandit.decisions, is_old);
      std::erase_if(bandit.rewards, is_old);
      std::erase_if(bandit.former, [&](const FormerArm& arm) {
        return arm.removed < before && arm.row.removed <= checkpoint;
      });
    }
  }

 private:
  void Do(const BanditCreated& change, Sequence sequence) {
    bandits[change.bandit].row = {.bandit = change.bandit,
                                  .name = change.name,
                                  .settings = change.settings,
                                  .created = change.time,
                                  .checkpoint = sequence};
    last_bandit = std::max(last_bandit, change.bandit);
  }
  void Do(const BanditChanged& change, Sequence) {
    bandits.at(change.bandit).row.settings = change.settings;
  }
  void Do(const BanditDeleted& change, Sequence) {
    bandits.erase(change.bandit);
  }
  void Do(const ArmsPut& change, Sequence sequence) {
    Bandit& bandit = bandits.at(change.bandit);
    for (ArmRow arm : change.arms) {
      BecomesFormer(bandit, arm.place, sequence, change.time);
      arm.added = sequence;
      arm.freed = 0;
      bandit.arms[arm.place] = std::move(arm);
    }
  }
  void Do(const ArmsRemoved& change, Sequence sequence) {
    Bandit& bandit = bandits.at(change.bandit);
    for (const auto& arm : change.arms) {
      BecomesFormer(bandit, arm.place, sequence, change.time);
      bandit.arms[arm.place] = {.place = arm.place, .freed = arm.freed};
    }
  }
  void Do(const DecisionsMade& change, Sequence sequence) {
    for (DecisionRow row : change.decisions) {
      row.sequence = sequence;
      bandits.at(row.bandit).decisions[sequence++] = std::move(row);
    }
  }
  void Do(RewardRow row, Sequence sequence) {
    row.sequence = sequence;
    bandits.at(row.bandit).rewards[sequence] = std::move(row);
  }
  void Do(const LearnerSaved& change, Sequence) {
    bandits.at(change.bandit).learners[change.learner] = change;
  }
  void Do(const LearnerForgotten& change, Sequence) {
    Bandit& bandit = bandits.at(change.bandit);
    const auto is_of_learner = [&](const auto& row) {
      return row.second.learner == change.learner;
    };
    bandit.learners.erase(change.learner);
    std::erase_if(bandit.decisions, is_of_learner);
    std::erase_if(bandit.rewards, is_of_learner);
    for (auto& [name, snapshot] : bandit.snapshots) {
      snapshot.learners.erase(change.learner);
    }
  }
  void Do(const Checkpoint& change, Sequence) {
    bandits.at(change.bandit).row.checkpoint = change.as_of;
  }
  void Do(const SnapshotTaken& change, Sequence) {
    Bandit& bandit = bandits.at(change.bandit);
    bandit.snapshots[change.name] = {
        .time = change.time, .arms = bandit.arms, .learners = bandit.learners};
  }
  void Do(const SnapshotRestored& change, Sequence sequence) {
    Bandit& bandit = bandits.at(change.bandit);
    const Snapshot& snapshot = bandit.snapshots.at(change.name);
    Arms restored = snapshot.arms;
    std::set<std::uint32_t> same;
    for (auto& [place, arm] : restored) {
      const auto now = bandit.arms.find(place);
      if (now != bandit.arms.end() && IsSame(now->second, arm)) {
        arm.added = now->second.added;
        same.insert(place);
      } else if (arm.freed == 0) {
        arm.added = sequence;
      }
    }
    for (const auto& [place, arm] : Arms(bandit.arms)) {
      if (!same.contains(place))
        BecomesFormer(bandit, place, sequence, change.time);
    }
    bandit.arms = std::move(restored);
    bandit.learners = snapshot.learners;
    for (auto& [key, learner] : bandit.learners) {
      learner.as_of = sequence;
      learner.open.clear();
    }
    bandit.row.checkpoint = sequence;
  }
  void Do(const SnapshotDeleted& change, Sequence) {
    bandits.at(change.bandit).snapshots.erase(change.name);
  }

  static bool IsSame(const ArmRow& a, const ArmRow& b) {
    return a.arm == b.arm && a.name == b.name && a.features == b.features &&
           a.tags == b.tags && a.freed == b.freed;
  }

  static void BecomesFormer(Bandit& bandit, std::uint32_t place,
                            Sequence sequence, Time time) {
    const auto arm = bandit.arms.find(place);
    if (arm == bandit.arms.end() || arm->second.freed != 0) return;
    bandit.former.push_back(
        {.row = {.arm = arm->second, .removed = sequence}, .removed = time});
  }
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_STORE_MODEL_H_
