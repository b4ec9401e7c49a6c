#include "search/certified/survey_budget.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace manyarms {
namespace {

// A walk of up to this number of arms takes less time than the rest of a
// choice.
constexpr std::uint64_t kShortWalk = 64;

// A plan computes the bounds of 4,096 arms and inverts a factor. It is made
// after choices have cost several times as much.
std::uint64_t PlanPrice(std::size_t dim) {
  return 16384 * (1 + (dim + 15) / 16) + dim * dim;
}

// The part of all arms that become contenders beyond those that the last query
// needs: more after uncertain walks, less of very many arms.
constexpr double kMostSpare = 1.0 / 4;
double LeastSpare(std::size_t arms, bool has_compact_copy) {
  // With a compact copy it costs little if the order is not enough.
  const double per_root = has_compact_copy ? 1 : 32;
  return std::min(1.0 / 32, per_root / std::sqrt(static_cast<double>(arms)));
}

// Up to this number of times as much as usual is earned before the next plan.
constexpr std::uint64_t kLongestWait = 64;

// After a survey of the compact copy was given up, this number of surveys read
// all arms.
constexpr std::uint64_t kSurveysOfAll = 8;

}  // namespace

void SurveyBudget::Earn(std::uint64_t arms, bool certain) {
  recent_.arms += arms;
  ++recent_.count;
  ++with_order_.count;
  if (certain) return;
  ++recent_.uncertain;
  ++with_order_.uncertain;
}

void SurveyBudget::WaitLonger() {
  wait_factor_ = std::min(2 * wait_factor_, kLongestWait);
}

void SurveyBudget::DroppedUselessOrder() {
  with_order_ = {};
  WaitLonger();
}

void SurveyBudget::GivenUp() {
  surveys_of_all_ = kSurveysOfAll;
  WaitLonger();
}

bool SurveyBudget::MayPlan(std::uint64_t pass, std::size_t dim) const {
  return recent_.arms >= wait_factor_ * std::max(PlanPrice(dim), pass);
}

std::optional<SurveyPlan> SurveyBudget::Plan(Objective objective,
                                             const Situation& situation) {
  const Choices recent = std::exchange(recent_, {});
  credit_ += recent.arms;
  if (recent.arms < kShortWalk * recent.count) return std::nullopt;
  const std::size_t arms = situation.arms.size();
  const bool uncertain = recent.uncertain > 0;
  const double spare =
      std::max(LeastSpare(arms, situation.has_compact_copy),
               uncertain ? std::min(2 * spare_, kMostSpare) : spare_ / 2);
  const Query& query = situation.query;
  Snapshot snapshot = query.factor != nullptr
                          ? Snapshot(objective, *query.belief, *query.factor)
                          : Snapshot(objective, *query.belief);
  const Snapshot* before = situation.in_use;
  if (before == nullptr && !probe_) {
    probe_ = std::move(snapshot);
    return std::nullopt;
  }
  // After uncertain walks, and before the first order, the next queries are
  // expected to be as far from the new snapshot as the last ones were from
  // theirs, otherwise half as far.
  const bool far = before == nullptr || uncertain;
  const double radius =
      (before != nullptr ? *before : *probe_).Radius(query) /
      (far ? 1 : 2);
  if (before == nullptr) probe_ = snapshot;
  std::optional<SurveyPlan> plan = PlanSurvey(
      situation.store, situation.arms.blocks(), std::move(snapshot),
      {.query = query,
       .threshold = situation.threshold,
       .radius = radius,
       .mean_walk =
           static_cast<double>(recent.arms) / static_cast<double>(recent.count),
       .spare = spare,
       .arms = arms,
       .most_contenders = situation.most_contenders,
       .has_compact_copy = situation.has_compact_copy && surveys_of_all_ == 0});
  if (!plan) {
    WaitLonger();
  } else if (before != nullptr && 2 * recent.uncertain < recent.count) {
    wait_factor_ = 1;
  }
  if (plan && (!plan->price || credit_ < *plan->price)) return std::nullopt;
  if (plan) {
    spare_ = spare;
  } else {
    credit_ = 0;
  }
  return plan;
}

}  // namespace manyarms
