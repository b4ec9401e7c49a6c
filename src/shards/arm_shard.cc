#include "shards/arm_shard.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "bandit/model.h"
#include "base/check.h"
#include "policy/kinds.h"
#include "policy/policy.h"
#include "search/certified/collected.h"
#include "search/certified/survey.h"
#include "shards/question.h"
#include "shards/shardable.h"

namespace manyarms {
namespace {

// A shard of up to this number of arms sends all of them to a learner that
// wants a survey: they take less than a plan.
constexpr std::size_t kFewArms = 256;

// The most bytes of contenders that a survey sends.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

}  // namespace

ArmShard::ArmShard(const BanditOptions& options)
    : options_(Shardable(options)),
      scale_(ScaleOf(options_)),
      store_(scale_.inner_dim()),
      index_(MakeSharedIndex(options_.policy, options_.search, store_,
                             options_.seed)),
      finder_(index_->MakeSharedFinder()),
      eligible_arms_(store_) {}

void ArmShard::Reserve(std::size_t arms) { store_.Reserve(arms); }

void ArmShard::Add(std::span<const ArmId> ids, const FeatureRows& features) {
  index_->Add(scale_.changes_features()
                  ? store_.Add(ids, scale_.InnerRows(ids.size(), features))
                  : store_.Add(ids, features));
}

void ArmShard::Remove(std::span<const ArmId> ids) {
  const std::vector<Slot> slots = store_.DistinctSlots(ids);
  store_.Remove(slots);
  index_->Remove(slots);
}

void ArmShard::Update(std::span<const ArmId> ids, const FeatureRows& features) {
  const std::vector<float> rows = scale_.InnerRows(ids.size(), features);
  const std::vector<Slot> slots = store_.DistinctSlots(ids);
  store_.Replace(slots, rows);
  index_->Replace(slots);
}

bool ArmShard::Contains(ArmId id) const { return store_.Find(id).has_value(); }

std::vector<ArmId> ArmShard::Ids() const { return store_.Ids(); }

std::vector<float> ArmShard::Features(std::span<const ArmId> ids) const {
  std::vector<float> inner(store_.dim());
  std::vector<float> rows;
  rows.reserve(ids.size() * options_.dim);
  for (const ArmId id : ids) {
    store_.CopyFeatures(store_.At(id), inner);
    scale_.AppendOuter(inner, rows);
  }
  return rows;
}

SentArms ArmShard::Sent(std::span<const Slot> slots) const {
  SentArms arms;
  arms.ids.reserve(slots.size());
  arms.rows.resize(slots.size() * store_.dim());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    arms.ids.push_back(store_.id(slots[i]));
    store_.CopyFeatures(
        slots[i], std::span(arms.rows).subspan(i * store_.dim(), store_.dim()));
  }
  return arms;
}

std::string ArmShard::Send(std::span<const ArmId> ids) const {
  std::vector<Slot> slots;
  slots.reserve(ids.size());
  for (const ArmId id : ids) slots.push_back(store_.At(id));
  return Sent(slots).Bytes();
}

std::string ArmShard::Top(std::string_view question, std::size_t count,
                          const Eligible& eligible) {
  const Question asked =
      Question::From(question, index_->task().objective, store_.dim());
  const ArmSet* among = eligible_arms_.OfAny(eligible);
  Answer answer{.question = asked.number,
                .eligible = among != nullptr ? among->size() : store_.size(),
                .arms = {},
                .scores = {}};
  const std::size_t wanted = std::min<std::size_t>(count, answer.eligible);
  if (wanted == 0) return answer.Bytes();
  const SentBelief belief(asked);
  const std::vector<Hit> hits =
      finder_->Top(belief.query(), {.count = wanted, .among = among});
  std::vector<Slot> slots;
  for (const Hit& hit : hits) {
    slots.push_back(hit.slot);
    answer.scores.push_back(hit.score);
  }
  answer.arms = Sent(slots);
  return answer.Bytes();
}

std::string ArmShard::Survey(std::string_view request) const {
  const SurveyRequest asked =
      SurveyRequest::From(request, index_->task().objective, store_.dim());
  ShardSurvey survey = size() <= kFewArms
                           ? SurveyOfAll()
                           : PlannedSurvey(asked).value_or(ShardSurvey{});
  survey.request = asked.question.number;
  survey.arms = size();
  return survey.Bytes();
}

ShardSurvey ArmShard::SurveyOfAll() const {
  ShardSurvey survey;
  survey.pays = true;
  survey.contenders = Sent(store_.Slots());
  return survey;
}

// None if no survey pays.
std::optional<ShardSurvey> ArmShard::PlannedSurvey(
    const SurveyRequest& request) const {
  const Objective objective = index_->task().objective;
  const SentBelief belief(request.question, request.mean);
  const std::size_t row = sizeof(ArmId) + store_.dim() * sizeof(float);
  const Query query = belief.query();
  std::optional<SurveyPlan> plan = PlanSurvey(
      store_, store_.members().arms().blocks(),
      Snapshot(objective, belief, *query.factor),
      {.query = query,
       .threshold = request.threshold,
       .radius = request.radius,
       .mean_walk = static_cast<double>(size()),
       .spare = request.spare,
       .arms = size(),
       .most_contenders = kMostBytes / row,
       // As for the orders of a finder: coarse widths are wide, and where
       // squared widths count, the widest arm raises the ceiling of all.
       .has_compact_copy = store_.compact_copy() != nullptr &&
                           objective != Objective::kQuadraticOptimism});
  // Not written as >, so that NaN counts as beyond.
  if (!plan || !plan->price || !(plan->radius <= kMostRadius)) {
    return std::nullopt;
  }
  const std::atomic<bool> cancelled = false;
  const auto collect = [&](Collected& collected) {
    return Collect(store_, store_.members().arms().blocks(), *plan,
                   SurveyLocks::kByAsker, cancelled, collected);
  };
  const auto survey_of = [](const Collected& collected) {
    ShardSurvey survey;
    survey.pays = true;
    survey.rest = {.radii = collected.terms().radii,
                   .ceiling = collected.rest()};
    for (const Contender& contender : collected.contenders()) {
      survey.contenders.ids.push_back(contender.id);
    }
    survey.contenders.rows.assign(collected.features().begin(),
                                  collected.features().end());
    return survey;
  };
  if (plan->coarse_radius) {
    Collected collected(*plan, store_.dim());
    if (collect(collected)) return survey_of(collected);
    // The sample had promised that few arms need a closer look.
    plan->coarse_radius.reset();
  }
  Collected collected(*plan, store_.dim());
  if (!collect(collected)) return std::nullopt;
  return survey_of(collected);
}

}  // namespace manyarms
