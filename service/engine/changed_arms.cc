// Changes of served arms.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "manyarms/error.h"
#include "service/engine/names.h"
#include "service/engine/served_arms_state.h"

namespace manyarms::service {
namespace {

// Tags in alphabetical order, each once.
std::vector<std::string> Ordered(std::vector<std::string> tags) {
  std::ranges::sort(tags);
  // NOLINTNEXTLINE(modernize-use-ranges): clang 14 cannot compile it
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

void CheckEachOnce(const std::vector<ArmInfo>& arms) {
  if (arms.size() < 2) return;
  std::vector<std::size_t> order(arms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto name = [&](std::size_t i) -> const ArmName& {
    return arms[i].arm;
  };
  std::ranges::sort(order, {}, name);
  const auto twice = std::ranges::adjacent_find(order, {}, name);
  if (twice == order.end()) return;
  throw Error(ErrorCode::kDuplicateId,
              fmt::format("arm {} is given twice", ToString(name(*twice))));
}

}  // namespace

// An arm that is as it was is left out.
void ServedArms::State::PlanFor(const ArmInfo& arm, std::size_t at,
                                bool only_new, TakenTags& taken,
                                Plan& plan) const {
  const std::optional<ArmPlace> place = FindPlace(arm.arm);
  if (!place) {
    plan.added.push_back({.at = at, .tags = taken.Take(arm.tags)});
    plan.ids.push_back(named ? next_stamp + plan.ids.size()
                             : std::get<ArmId>(arm.arm));
    plan.rows.insert(plan.rows.end(), arm.features.begin(), arm.features.end());
    return;
  }
  if (only_new) {
    throw Refused(Refusal::kConflict,
                  fmt::format("arm {} is there already", ToString(arm.arm)));
  }
  const ArmId id = places.id(*place);
  const bool is_renewed = population.Features({&id, 1}) != arm.features;
  if (!is_renewed && tags.TagsOf(places.tags(*place)) == arm.tags) return;
  plan.changed.push_back(
      {.at = at, .place = *place, .tags = taken.Take(arm.tags)});
  if (!is_renewed) return;
  plan.former.push_back(id);
  plan.renewed.insert(plan.renewed.end(), arm.features.begin(),
                      arm.features.end());
}

// Nothing fails here after the population has changed, unless memory runs out.
ServedArms::Put ServedArms::State::Apply(const Plan& plan,
                                         std::vector<ArmInfo>& arms) {
  Put put{.change = {.bandit = bandit},
          .added = plan.added.size(),
          .changed = plan.changed.size()};
  put.change.arms.resize(plan.added.size() + plan.changed.size());
  places.Reserve(plan.added.size());
  if (!plan.ids.empty()) population.Add(plan.ids, plan.rows);
  if (!plan.former.empty()) {
    const std::size_t dim = population.dim();
    population.Update(plan.former,
                      FeatureRows(plan.renewed.data(), plan.former.size(), dim,
                                  {.row = static_cast<std::ptrdiff_t>(dim)}));
  }
  const std::vector<ArmPlace> added = population.catalogue().Places(plan.ids);
  auto row = put.change.arms.begin();
  const auto write = [&](std::size_t at, ArmPlace place) {
    row->place = place;
    row->arm = places.id(place);
    row->name = places.name(place);
    row->features = std::move(arms[at].features);
    row->tags = std::move(arms[at].tags);
    ++row;
  };
  for (std::size_t i = 0; i < added.size(); ++i) {
    const Plan::One& one = plan.added[i];
    ArmPlaces::Arm arm{.id = plan.ids[i], .tags = one.tags};
    if (named) arm.name = std::move(std::get<std::string>(arms[one.at].arm));
    places.Put(added[i], std::move(arm));
    if (!free.empty()) free.pop_back();
    write(one.at, added[i]);
  }
  for (const Plan::One& one : plan.changed) {
    tags.Release(places.SetTags(one.place, one.tags));
    write(one.at, one.place);
  }
  if (named) next_stamp += added.size();
  masks.Clear();
  return put;
}

ServedArms::Put ServedArms::PutArms(std::vector<ArmInfo> arms, bool only_new) {
  State& state = *state_;
  for (ArmInfo& arm : arms) {
    Check(arm, state.named, state.population.dim(), state.limits);
    arm.tags = Ordered(std::move(arm.tags));
  }
  CheckEachOnce(arms);
  Plan plan;
  TakenTags taken(state.tags);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    state.PlanFor(arms[i], i, only_new, taken, plan);
  }
  const std::uint64_t all = size() + plan.added.size();
  if (all > state.limits.arms && !plan.added.empty()) {
    throw Refused(Refusal::kTooMany,
                  fmt::format("there would be {} arms, at most {} are allowed",
                              all, state.limits.arms));
  }
  Put put = state.Apply(plan, arms);
  taken.Keep();
  return put;
}

ArmsRemoved ServedArms::RemoveArms(std::span<const ArmName> arms) {
  State& state = *state_;
  const std::vector<ArmId> ids = DistinctIdsOf(arms);
  const std::vector<ArmPlace> places = state.population.catalogue().Places(ids);
  ArmsRemoved change;
  change.bandit = state.bandit;
  change.arms.reserve(ids.size());
  ReserveGrowing(state.free, state.free.size() + ids.size());
  state.population.Remove(ids);
  for (const ArmPlace place : places) {
    change.arms.push_back({.place = place, .freed = state.next_stamp++});
    state.tags.Release(state.places.tags(place));
    state.places.Remove(place);
    state.free.push_back(place);
  }
  state.masks.Clear();
  return change;
}

}  // namespace manyarms::service
