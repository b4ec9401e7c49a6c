#include "search/certified/survey_budget.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace manyarms {
namespace {

// A walk no longer than this takes less time than all else in a choice.
constexpr std::uint64_t kShortWalk = 64;

// A plan bounds 4,096 arms and inverts a factor; one is made when several times
// as much was spent on choices.
std::uint64_t PlanPrice(std::size_t dim) {
  return 16384 * (1 + (dim + 15) / 16) + dim * dim;
}

// The part of all arms that are contenders though the last query did not need
// them: more where choices were left uncertain, less where arms are very many.
constexpr double kMostSpare = 1.0 / 4;
double LeastSpare(std::size_t arms) {
  return std::min(1.0 / 32, 32 / std::sqrt(static_cast<double>(arms)));
}

}  // namespace

void SurveyBudget::Earn(std::uint64_t arms, bool certain) {
  recent_.arms += arms;
  ++recent_.choices;
  if (!certain) recent_.uncertain = true;
}

bool SurveyBudget::MayPlan(std::size_t arms, std::size_t dim) const {
  return recent_.arms >= std::max(PlanPrice(dim), PassPrice(arms, dim));
}

std::optional<SurveyPlan> SurveyBudget::Plan(Objective objective,
                                             const Situation& situation) {
  const Recent recent = std::exchange(recent_, {});
  credit_ += recent.arms;
  if (recent.arms < kShortWalk * recent.choices) return std::nullopt;
  const std::size_t arms = situation.arms.size();
  const double spare = std::max(
      LeastSpare(arms),
      recent.uncertain ? std::min(2 * spare_, kMostSpare) : spare_ / 2);
  Snapshot snapshot(objective, *situation.query.belief);
  const Snapshot* before = situation.in_use;
  if (before == nullptr && !probe_) {
    probe_ = std::move(snapshot);
    return std::nullopt;
  }
  // The next queries will be about as far from the snapshot as the last ones
  // were from theirs, where that was too far to be certain.
  const bool far = before == nullptr || recent.uncertain;
  const double radius =
      (before != nullptr ? *before : *probe_).Radius(situation.query) /
      (far ? 1 : 2);
  if (before == nullptr) probe_ = snapshot;
  std::optional<SurveyPlan> plan =
      PlanSurvey(situation.store, situation.arms.blocks(), std::move(snapshot),
                 {.query = situation.query,
                  .threshold = situation.threshold,
                  .radius = radius,
                  .mean_walk = static_cast<double>(recent.arms) /
                               static_cast<double>(recent.choices),
                  .spare = spare,
                  .arms = arms,
                  .most_contenders = situation.most_contenders});
  if (plan && (!plan->price || credit_ < *plan->price)) return std::nullopt;
  if (plan) {
    spare_ = spare;
  } else {
    credit_ = 0;
  }
  return plan;
}

}  // namespace manyarms
