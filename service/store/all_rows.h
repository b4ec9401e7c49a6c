#ifndef MANYARMS_SERVICE_STORE_ALL_ROWS_H_
#define MANYARMS_SERVICE_STORE_ALL_ROWS_H_

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "service/store/store.h"
#include "service/store/store_model.h"

/// For tests: everything that a store or a model has, as lines of text, in
/// which all numbers are exact.
namespace manyarms::service {

inline std::string Line(const ArmRow& arm) {
  return fmt::format("arm {} {} '{}' {} {} {} {}", arm.place, arm.arm, arm.name,
                     arm.features, arm.tags, arm.added, arm.freed);
}

inline std::string Line(const DecisionRow& row) {
  return fmt::format(
      "decision {} {} '{}' {} {} {} {} '{}' {} {} {} {} {} {} {} '{}' '{}' {} "
      "{}",
      row.sequence, row.bandit, row.learner, row.number, row.rank, row.slate,
      row.arm, row.arm_name, row.features, row.context, row.score, row.eligible,
      row.uniform, row.probability.value_or(-1),
      row.policy_arm ? std::to_string(*row.policy_arm) : "none",
      row.policy_arm_name, row.event, row.active, row.time);
}

inline std::string Line(const RewardRow& row) {
  return fmt::format("reward {} {} {} {} '{}' {} '{}' {} '{}' {} {} {}",
                     row.sequence, row.bandit, static_cast<int>(row.kind),
                     row.decision, row.learner, row.reward, row.id,
                     row.arm ? std::to_string(*row.arm) : "none", row.arm_name,
                     row.features, row.context, row.time);
}

inline std::string Line(const LearnerSaved& row) {
  std::string text;
  for (const std::byte byte : row.knowledge) {
    text += fmt::format("{:02x}", static_cast<int>(byte));
  }
  return fmt::format("learner '{}' {} '{}' {}", row.learner, text, row.open,
                     row.as_of);
}

inline std::string Line(const Store::FormerArm& former) {
  return fmt::format("former {} until {}", Line(former.arm), former.removed);
}

inline std::string Line(const BanditRow& row) {
  return fmt::format("bandit {} '{}' '{}' {} {}", row.bandit, row.name,
                     row.settings, row.created, row.checkpoint);
}

inline void AddSlate(const std::vector<DecisionRow>& slate,
                     std::vector<std::string>& lines) {
  for (const DecisionRow& row : slate) {
    lines.push_back(fmt::format("{} of {}", Line(row), slate.size()));
  }
}

inline std::vector<std::string> AllRows(Store& store) {
  std::vector<std::string> lines;
  for (const BanditRow& bandit : store.Bandits()) {
    const BanditNumber number = bandit.bandit;
    lines.push_back(Line(bandit));
    lines.push_back(fmt::format("{} places", store.Places(number)));
    store.ReadArms(number, [&](ArmRow&& arm) { lines.push_back(Line(arm)); });
    store.ReadFormerArms(number, [&](Store::FormerArm&& former) {
      lines.push_back(Line(former));
    });
    store.ReadLearners(number, [&](LearnerSaved&& learner) {
      lines.push_back(Line(learner));
    });
    store.ReadEvents(number, 0, [&](Store::Event&& event) {
      if (const auto* made = std::get_if<DecisionsMade>(&event)) {
        AddSlate(made->decisions, lines);
      } else {
        lines.push_back(Line(std::get<RewardRow>(event)));
      }
    });
    for (const SnapshotRow& snapshot : store.Snapshots(number)) {
      lines.push_back(fmt::format("snapshot '{}' {} {} {}", snapshot.name,
                                  snapshot.time, snapshot.arms,
                                  snapshot.learners));
    }
  }
  return lines;
}

inline std::vector<std::string> AllRows(const StoreModel& model) {
  std::vector<std::string> lines;
  for (const auto& [number, bandit] : model.bandits) {
    lines.push_back(Line(bandit.row));
    const auto last = bandit.arms.rbegin();
    lines.push_back(fmt::format(
        "{} places", last == bandit.arms.rend() ? 0 : last->first + 1));
    for (const auto& [place, arm] : bandit.arms) lines.push_back(Line(arm));
    auto former = bandit.former;
    std::ranges::sort(former, [](const auto& a, const auto& b) {
      return std::pair(a.row.arm.added, a.row.arm.place) <
             std::pair(b.row.arm.added, b.row.arm.place);
    });
    for (const auto& arm : former) lines.push_back(Line(arm.row));
    for (const auto& [key, learner] : bandit.learners) {
      lines.push_back(Line(learner));
    }
    auto reward = bandit.rewards.begin();
    for (const auto& [sequence, decision] : bandit.decisions) {
      for (; reward != bandit.rewards.end() && reward->first < sequence;
           ++reward) {
        lines.push_back(Line(reward->second));
      }
      lines.push_back(fmt::format("{} of {}", Line(decision), decision.slate));
    }
    for (; reward != bandit.rewards.end(); ++reward) {
      lines.push_back(Line(reward->second));
    }
    for (const auto& [name, snapshot] : bandit.snapshots) {
      const auto arms = std::ranges::count_if(
          snapshot.arms, [](const auto& arm) { return arm.second.freed == 0; });
      lines.push_back(fmt::format("snapshot '{}' {} {} {}", name, snapshot.time,
                                  arms, snapshot.learners.size()));
    }
  }
  return lines;
}

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_ALL_ROWS_H_
