#include <fmt/format.h>

#include "service/store/rows.h"
#include "service/store/store_state.h"

namespace manyarms::service {
namespace {

std::string Query(std::string_view columns, std::string_view table,
                  std::string_view which) {
  return fmt::format("SELECT {} FROM {} WHERE {} AND {}", columns, table, which,
                     NotForgotten(table));
}

}  // namespace

std::vector<DecisionRow> Store::FindDecisions(BanditNumber bandit,
                                              Sequence first,
                                              std::uint32_t count) {
  static const std::string text =
      Query(kDecisionColumns, "decisions",
            "sequence >= $1 AND sequence < $2 AND bandit = $3");
  return state_->readers.With([&](Reader& reader) {
    auto& query = reader.Prepared(text);
    BindCount(first, query);
    BindCount(first + count, query);
    query.Integer(bandit);
    std::vector<DecisionRow> decisions;
    while (query.Next()) decisions.push_back(DecisionAt(query));
    return decisions;
  });
}

std::vector<RewardRow> Store::FindRewards(BanditNumber bandit,
                                          Sequence decision) {
  static const std::string text =
      Query(kRewardColumns, "rewards", "decision = $1 AND bandit = $2");
  return state_->readers.With([&](Reader& reader) {
    auto& query = reader.Prepared(text);
    BindCount(decision, query);
    query.Integer(bandit);
    std::vector<RewardRow> rewards;
    while (query.Next()) rewards.push_back(RewardAt(query));
    return rewards;
  });
}

std::vector<DecisionRow> Store::FindEvent(BanditNumber bandit,
                                          const std::string& event) {
  static const std::string text =
      Query(kDecisionColumns, "decisions", "bandit = $1 AND event = $2");
  return state_->readers.With([&](Reader& reader) {
    auto& query = reader.Prepared(text);
    query.Integer(bandit).Text(event);
    std::vector<DecisionRow> decisions;
    while (query.Next()) decisions.push_back(DecisionAt(query));
    return decisions;
  });
}

std::vector<Store::RecentEvent> Store::RecentEvents(BanditNumber bandit,
                                                    std::size_t most) {
  static const std::string text =
      Query("event, sequence, slate, learner", "decisions",
            "bandit = $1 AND event IS NOT NULL AND rank = 0") +
      " ORDER BY sequence DESC LIMIT $2";
  return state_->readers.With([&](Reader& reader) {
    auto& query = reader.Prepared(text);
    query.Integer(bandit);
    BindCount(most, query);
    std::vector<RecentEvent> events;
    while (query.Next()) {
      events.push_back({.event = std::string(query.TextAt(0)),
                        .first = static_cast<Sequence>(query.IntegerAt(1)),
                        .count = static_cast<std::uint32_t>(query.IntegerAt(2)),
                        .learner = std::string(query.TextAt(3))});
    }
    return events;
  });
}

std::vector<Store::RecentReward> Store::RecentRewards(BanditNumber bandit,
                                                      std::size_t most) {
  static const std::string text =
      Query("id, decision, sequence, learner", "rewards",
            "bandit = $1 AND id IS NOT NULL") +
      " ORDER BY sequence DESC LIMIT $2";
  return state_->readers.With([&](Reader& reader) {
    auto& query = reader.Prepared(text);
    query.Integer(bandit);
    BindCount(most, query);
    std::vector<RecentReward> rewards;
    while (query.Next()) {
      rewards.push_back(
          {.id = std::string(query.TextAt(0)),
           .decision =
               query.IsNull(1) ? 0 : static_cast<Sequence>(query.IntegerAt(1)),
           .sequence = static_cast<Sequence>(query.IntegerAt(2)),
           .learner = std::string(query.TextAt(3))});
    }
    return rewards;
  });
}

std::vector<SnapshotRow> Store::Snapshots(BanditNumber bandit) {
  return state_->readers.With([&](Reader& reader) {
    auto& query = reader.Prepared(
        "SELECT name, time, arms, learners FROM snapshots WHERE bandit = $1 "
        "ORDER BY name");
    query.Integer(bandit);
    std::vector<SnapshotRow> snapshots;
    while (query.Next()) {
      snapshots.push_back(
          {.name = std::string(query.TextAt(0)),
           .time = query.RealAt(1),
           .arms = static_cast<std::uint64_t>(query.IntegerAt(2)),
           .learners = static_cast<std::uint64_t>(query.IntegerAt(3))});
    }
    return snapshots;
  });
}

}  // namespace manyarms::service
