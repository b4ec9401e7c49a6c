#include "service/engine/exported_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

#include "manyarms/error.h"
#include "service/store/rows.h"

namespace manyarms::service {
namespace {

constexpr std::int64_t kPage = 10'000;

std::string DecisionQuery(const LogExportOptions& options) {
  return fmt::format(
      "SELECT {} FROM decisions WHERE bandit = $1 AND sequence > $2 AND "
      "time >= $3 AND time < $4 {} AND {} ORDER BY sequence LIMIT {}",
      kDecisionColumns, options.learner ? "AND learner = $5" : "",
      NotForgotten("decisions"), kPage);
}

// A decision that was open in a snapshot may have got its reward twice: before
// the snapshot was restored, and afterwards.
std::string RewardQuery(const LogExportOptions& options) {
  return fmt::format(
      "SELECT {} FROM rewards WHERE bandit = $1 AND sequence > $2 AND "
      "(kind = 'observed' AND time >= $3 AND time < $4 OR "
      "kind IN ('learned', 'default') AND EXISTS (SELECT 1 FROM decisions AS d "
      "WHERE d.sequence = rewards.decision AND d.bandit = rewards.bandit "
      "AND d.time >= $3 AND d.time < $4) AND NOT EXISTS (SELECT 1 FROM rewards "
      "AS earlier WHERE earlier.decision = rewards.decision "
      "AND earlier.sequence < rewards.sequence "
      "AND earlier.kind IN ('learned', 'default'))) "
      "{} AND {} ORDER BY sequence LIMIT {}",
      kRewardColumns, options.learner ? "AND learner = $5" : "",
      NotForgotten("rewards"), kPage);
}

}  // namespace

template <class Row>
const Row* EventPages<Row>::Peek() {
  if (next_ == page_.size() && !at_end_) Refill();
  return next_ == page_.size() ? nullptr : &page_[next_];
}

template <class Row>
void EventPages<Row>::Refill() {
  page_.clear();
  next_ = 0;
  query_->Integer(bandit_);
  BindCount(last_, *query_);
  constexpr double kEver = std::numeric_limits<double>::max();
  query_->Real(options_.since.value_or(-kEver));
  query_->Real(options_.until.value_or(kEver));
  if (options_.learner) query_->Text(*options_.learner);
  while (query_->Next()) page_.push_back(row_at_(*query_));
  at_end_ = page_.size() < static_cast<std::size_t>(kPage);
  if (!page_.empty()) last_ = page_.back().sequence;
}

template class EventPages<DecisionRow>;
template class EventPages<RewardRow>;

EventPages<DecisionRow> DecisionsOf(sql::Database& database,
                                    BanditNumber bandit,
                                    const LogExportOptions& options) {
  return {database, bandit, options, DecisionQuery(options), &DecisionAt};
}

EventPages<RewardRow> RewardsOf(sql::Database& database, BanditNumber bandit,
                                const LogExportOptions& options) {
  return {database, bandit, options, RewardQuery(options), &RewardAt};
}

// From when until when an arm had its features.
struct ArmHistory::Lives {
  Sequence added = 0;
  Sequence removed = 0;  // 0: not yet
  std::uint32_t place = 0;
  std::size_t arm = 0;
};

ArmHistory::ArmHistory(sql::Database& database, BanditNumber bandit,
                       std::size_t dim, Sequence first)
    : dim_(dim) {
  std::vector<Lives> lives;
  ReadArms(database, bandit, lives);
  ReadFormerArms(database, bandit, first, lives);
  // Of a place, one after another: where the same arm follows at once, it only
  // got other features.
  std::ranges::sort(lives, {}, [](const Lives& one) {
    return std::tuple(one.place, one.added);
  });
  for (std::size_t i = 0; i < lives.size(); ++i) {
    const Lives& one = lives[i];
    events_.push_back({.sequence = one.added, .arm = one.arm});
    if (one.removed == 0) continue;
    const bool goes_on = i + 1 < lives.size() &&
                         lives[i + 1].place == one.place &&
                         lives[i + 1].added == one.removed &&
                         ids_[lives[i + 1].arm] == ids_[one.arm];
    if (goes_on) continue;
    events_.push_back(
        {.sequence = one.removed, .removed = true, .arm = one.arm});
  }
  // Those of one change: an arm may have gone to another place.
  std::ranges::sort(events_, {}, [](const Event& event) {
    return std::tuple(event.sequence, !event.removed, event.arm);
  });
}

void ArmHistory::ReadArms(sql::Database& database, BanditNumber bandit,
                          std::vector<Lives>& lives) {
  const auto query = database.Prepare(
      "SELECT place, arm, name, features, added, 0 FROM arms "
      "WHERE bandit = $1 AND place > $2 AND arm IS NOT NULL "
      "ORDER BY place LIMIT $3");
  std::int64_t rows = kPage;
  for (std::int64_t place = -1; rows == kPage;) {
    query->Integer(bandit).Integer(place).Integer(kPage);
    for (rows = 0; query->Next(); ++rows) {
      lives.push_back(Take(*query));
      place = lives.back().place;
    }
  }
}

void ArmHistory::ReadFormerArms(sql::Database& database, BanditNumber bandit,
                                Sequence first, std::vector<Lives>& lives) {
  const auto query = database.Prepare(
      "SELECT place, arm, name, features, added, removed FROM former_arms "
      "WHERE bandit = $1 AND removed >= $2 AND (added > $3 OR (added = $3 AND "
      "place > $4)) ORDER BY added, place LIMIT $5");
  Lives last;
  std::int64_t place = -1;
  for (std::int64_t rows = kPage; rows == kPage;) {
    query->Integer(bandit);
    BindCount(first, *query);
    BindCount(last.added, *query);
    query->Integer(place).Integer(kPage);
    for (rows = 0; query->Next(); ++rows) {
      last = Take(*query);
      place = last.place;
      lives.push_back(last);
    }
  }
}

ArmHistory::Lives ArmHistory::Take(const sql::Statement& row) {
  const auto bytes = row.BytesAt(3);
  if (bytes.size() != dim_ * sizeof(float)) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("the store is damaged: an arm has {} bytes of "
                            "features, and {} are expected",
                            bytes.size(), dim_ * sizeof(float)));
  }
  const std::size_t arm = ids_.size();
  features_.resize(features_.size() + dim_);
  std::memcpy(&features_[arm * dim_], bytes.data(), bytes.size());
  if (!row.IsNull(2)) names_ += row.TextAt(2);
  name_ends_.push_back(names_.size());
  ids_.push_back(static_cast<ArmId>(row.IntegerAt(1)));
  return {.added = static_cast<Sequence>(row.IntegerAt(4)),
          .removed = static_cast<Sequence>(row.IntegerAt(5)),
          .place = static_cast<std::uint32_t>(row.IntegerAt(0)),
          .arm = arm};
}

std::string ArmHistory::name(std::size_t arm) const {
  const std::size_t begin = arm == 0 ? 0 : name_ends_[arm - 1];
  return names_.substr(begin, name_ends_[arm] - begin);
}

std::span<const float> ArmHistory::features(std::size_t arm) const {
  return std::span(features_).subspan(arm * dim_, dim_);
}

}  // namespace manyarms::service
