// What a sharded bandit does when arms change.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bandit/state.h"
#include "base/check.h"
#include "shards/sharded_bandit.h"

namespace manyarms {
namespace {

// A survey during which more arms change than this is given up: they take
// memory, and would be judged again one by one.
constexpr std::size_t kMostChanges = std::size_t{1} << 18;

}  // namespace

void ShardedBandit::Know(std::span<const ArmId> ids,
                         std::span<const float> rows) {
  if (ids.empty()) return;
  state().Announce(state().store.Add(ids, rows));
  fresh_ += ids.size();
}

void ShardedBandit::Ignore(std::span<const ArmId> ids) {
  if (ids.empty()) return;
  state().Remove(state().store.DistinctSlots(ids));
}

void ShardedBandit::DropRest() {
  guard_->SetRest(std::nullopt);
  state().Remove(state().store.Slots());
  fresh_ = 0;
  schedule_.Dropped();
}

// Every choice scores all fresh arms, and they take memory here.
void ShardedBandit::DropRestIfUseless() {
  if (guard_->rest() != nullptr && fresh_ > arms_ / 2) DropRest();
}

// A question, its answer and draws are about the arms of their moment.
void ShardedBandit::Withdraw() {
  guard_->DropQuestion();
  DropAnswer();
  DropDraws();
}

// Throws Error(kDuplicateId) or, as far as it can be known, Error(kUnknownId).
void ShardedBandit::CheckThereAre(std::span<const ArmId> ids) const {
  CheckDistinct("arm", ids);
  const auto unknown = static_cast<std::size_t>(
      std::ranges::count_if(ids, [this](ArmId id) { return !Knows(id); }));
  if (unknown > unknown_arms()) {
    throw Error(ErrorCode::kUnknownId,
                fmt::format("{} of these arms are not known here, but only {} "
                            "of all {} arms are not",
                            unknown, unknown_arms(), arms_));
  }
}

// `rows` is empty if the arms were removed.
void ShardedBandit::NoteChanges(std::span<const ArmId> ids,
                                std::span<const float> rows) {
  if (!survey_) return;
  if (survey_->changed.size() + ids.size() > kMostChanges) {
    AbandonSurvey();
    return;
  }
  const std::size_t width = ids.empty() ? 0 : rows.size() / ids.size();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto row = rows.subspan(i * width, width);
    survey_->changed[ids[i]].assign(row.begin(), row.end());
  }
}

void ShardedBandit::Added(std::span<const ArmId> ids,
                          const FeatureRows& features) {
  const std::vector<float> rows = state().scale.InnerRows(ids.size(), features);
  CheckDistinct("arm", ids);
  if (ids.size() > kMaxArms - arms_) {
    throw Error(ErrorCode::kTooLarge,
                fmt::format("{} arms and {} more are too many, at most {}",
                            arms_, ids.size(), kMaxArms));
  }
  Withdraw();
  for (const ArmId id : ids) {
    if (!Knows(id)) continue;
    throw Error(ErrorCode::kDuplicateId,
                fmt::format("arm {} exists already", id));
  }
  NoteChanges(ids, rows);
  arms_ += ids.size();
  if (guard_->rest() == nullptr) return;
  const std::size_t dim = state().store.dim();
  const std::vector<bool> joins = guard_->rest()->MayJoin(rows);
  SentArms fresh;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!joins[i]) fresh.Append(ids[i], std::span(rows).subspan(i * dim, dim));
  }
  Know(fresh.ids, fresh.rows);
  DropRestIfUseless();
}

void ShardedBandit::Removed(std::span<const ArmId> ids) {
  CheckThereAre(ids);
  Withdraw();
  NoteChanges(ids, {});
  arms_ -= ids.size();
  std::vector<ArmId> known;
  std::ranges::copy_if(ids, std::back_inserter(known),
                       [this](ArmId id) { return Knows(id); });
  Ignore(known);
  DropRestIfUseless();
}

void ShardedBandit::Updated(std::span<const ArmId> ids,
                            const FeatureRows& features) {
  const std::vector<float> rows = state().scale.InnerRows(ids.size(), features);
  CheckThereAre(ids);
  Withdraw();
  NoteChanges(ids, rows);
  if (guard_->rest() == nullptr) return;
  const std::size_t dim = state().store.dim();
  const std::vector<bool> joins = guard_->rest()->MayJoin(rows);
  std::vector<ArmId> known;
  SentArms fresh;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (Knows(ids[i])) known.push_back(ids[i]);
    if (!joins[i]) fresh.Append(ids[i], std::span(rows).subspan(i * dim, dim));
  }
  Ignore(known);
  Know(fresh.ids, fresh.rows);
  DropRestIfUseless();
}

void ShardedBandit::Loaded(std::size_t arms) {
  if (arms > kMaxArms - arms_) {
    throw Error(ErrorCode::kTooLarge,
                fmt::format("{} arms and {} more are too many, at most {}",
                            arms_, arms, kMaxArms));
  }
  Withdraw();
  AbandonSurvey();
  DropRest();
  arms_ += arms;
}

}  // namespace manyarms
