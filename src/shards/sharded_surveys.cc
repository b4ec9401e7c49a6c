// How a sharded bandit gets to know arms.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "bandit/state.h"
#include "base/check.h"
#include "shards/sharded_bandit.h"

namespace manyarms {
namespace {

// The part of all arms that are sent beyond those that the last choice needs.
double SpareShare(std::size_t arms) {
  return std::min(1.0 / 32, 8 / std::sqrt(static_cast<double>(arms)));
}

}  // namespace

bool ShardedBandit::wants_survey() const {
  return schedule_.due() && !survey_ && guard_->occasion().has_value() &&
         !state().model.has_contexts();
}

std::string ShardedBandit::RequestSurvey() {
  State& bandit = state();
  if (bandit.model.has_contexts()) {
    throw Error(ErrorCode::kUnsupported,
                "there are no surveys with contexts: their bounds would hold "
                "in one context only");
  }
  if (!guard_->occasion()) {
    throw Error(ErrorCode::kOutdated,
                "no choice among all arms was sent yet, so no survey can be "
                "planned");
  }
  const Guard::Occasion& occasion = *guard_->occasion();
  const Objective objective = bandit.index->task().objective;
  manyarms::SurveyRequest request{.question = occasion.question,
                                  .mean = bandit.posterior.Mean(),
                                  .threshold = occasion.threshold,
                                  .radius = 0,
                                  .spare = SpareShare(arms_)};
  manyarms::Question& question = request.question;
  question.number = ++requests_;
  question.version = bandit.posterior.version();
  question.widest_width = bandit.posterior.WidestWidth();
  question.factor = objective == Objective::kInnerProduct
                        ? bandit.posterior.InverseFactor()
                        : bandit.posterior.Inverse();
  // The next choices are expected to be as far from the new snapshot as this
  // one was from its own.
  if (guard_->rest() != nullptr) {
    const double radius =
        guard_->rest()->Radius({.belief = &bandit.posterior,
                                .direction = &question.direction,
                                .factor = &question.factor,
                                .exploration = question.exploration});
    request.radius = std::isfinite(radius) ? std::min(radius, kMostRadius) : 0;
  }
  survey_ = {.number = question.number,
             .snapshot = Snapshot(objective, bandit.posterior, question.factor),
             .arms = arms_,
             .changed = {}};
  return request.Bytes();
}

void ShardedBandit::AbandonSurvey() {
  if (!survey_) return;
  survey_.reset();
  schedule_.Failed();
}

bool ShardedBandit::Adopt(std::span<const std::string> surveys) {
  if (!survey_) return false;
  const std::size_t dim = state().store.dim();
  std::vector<PlacedCeiling> ceilings;
  SentArms contenders;
  std::size_t arms = 0;
  bool pays = true;
  for (const std::string& bytes : surveys) {
    const ShardSurvey survey = ShardSurvey::From(bytes, dim);
    if (survey.request != survey_->number) {
      throw Error(ErrorCode::kOutdated,
                  fmt::format("this is an answer to survey {}, the last is {}",
                              survey.request, survey_->number));
    }
    arms += survey.arms;
    pays = pays && survey.pays;
    ceilings.push_back(survey.rest);
    contenders.Append(survey.contenders);
  }
  // Each change makes a difference of one arm at most, whether a shard's
  // survey came before it or after.
  const std::size_t difference =
      arms > survey_->arms ? arms - survey_->arms : survey_->arms - arms;
  if (difference > survey_->changed.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the surveys are about {} arms, there are {}: some "
                            "shards' surveys are missing",
                            arms, survey_->arms));
  }
  CheckDistinct("surveyed arm", contenders.ids);
  if (!pays) {
    AbandonSurvey();
    return false;
  }

  RestBounds rest(state().index->task().objective, survey_->snapshot,
                  std::move(ceilings));
  // Arms that have changed since the survey began are judged by what they are
  // now, whatever a shard has seen of them.
  SentArms changed;
  for (const auto& [id, row] : survey_->changed) {
    if (!row.empty()) changed.Append(id, row);
  }
  const std::vector<bool> joins = rest.MayJoin(changed.rows);
  SentArms known;
  for (std::size_t i = 0; i < changed.ids.size(); ++i) {
    if (!joins[i]) {
      known.Append(changed.ids[i],
                   std::span(changed.rows).subspan(i * dim, dim));
    }
  }
  for (std::size_t i = 0; i < contenders.ids.size(); ++i) {
    if (survey_->changed.contains(contenders.ids[i])) continue;
    known.Append(contenders.ids[i],
                 std::span(contenders.rows).subspan(i * dim, dim));
  }
  DropAnswer();
  KnowInstead(known);
  guard_->SetRest(std::move(rest));
  survey_.reset();
  fresh_ = 0;
  ++surveys_;
  schedule_.Adopted();
  return true;
}

// Arms that were known before keep their slots.
void ShardedBandit::KnowInstead(const SentArms& arms) {
  const std::size_t dim = state().store.dim();
  const std::unordered_set<ArmId> stay(arms.ids.begin(), arms.ids.end());
  std::vector<ArmId> leave = bandit_.Ids();
  std::erase_if(leave, [&](ArmId id) { return stay.contains(id); });
  SentArms come;
  for (std::size_t i = 0; i < arms.ids.size(); ++i) {
    if (!Knows(arms.ids[i])) {
      come.Append(arms.ids[i], std::span(arms.rows).subspan(i * dim, dim));
    }
  }
  Ignore(leave);
  Know(come.ids, come.rows);
}

}  // namespace manyarms
