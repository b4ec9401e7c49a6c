#include "service/engine/served_arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "base/check.h"
#include "manyarms/error.h"
#include "service/engine/arm_places.h"
#include "service/engine/digest.h"
#include "service/engine/mask_cache.h"
#include "service/engine/names.h"
#include "service/engine/reserve_growing.h"
#include "service/engine/tag_expression.h"
#include "service/engine/tag_sets.h"

namespace manyarms::service {

namespace {

// Tags in alphabetical order, each once.
std::vector<std::string> Ordered(std::vector<std::string> tags) {
  std::ranges::sort(tags);
  const auto twice = std::ranges::unique(tags);
  tags.erase(twice.begin(), twice.end());
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

// Sets of tags that were taken for arms which may not come.
class TakenTags {
 public:
  explicit TakenTags(TagSets& tags) : tags_(tags) {}
  ~TakenTags() {
    for (const TagSets::SetNumber set : taken_) tags_.Release(set);
  }
  TakenTags(const TakenTags&) = delete;
  TakenTags& operator=(const TakenTags&) = delete;

  TagSets::SetNumber Take(std::span<const std::string> tags) {
    ReserveGrowing(taken_, taken_.size() + 1);
    taken_.push_back(tags_.Take(tags));
    return taken_.back();
  }
  void Keep() { taken_.clear(); }

 private:
  TagSets& tags_;
  std::vector<TagSets::SetNumber> taken_;
};

}  // namespace

// Arms that are to be put, by what has to be done with them.
struct ServedArms::Plan {
  struct One {
    std::size_t at = 0;  // among those that were given
    ArmPlace place = 0;
    TagSets::SetNumber tags = 0;
  };
  std::vector<One> added;
  std::vector<One> changed;   // features, tags or both
  std::vector<ArmId> ids;     // of those added
  std::vector<float> rows;    // likewise
  std::vector<ArmId> former;  // with other features
  std::vector<float> renewed;
};

class ServedArms::State {
 public:
  State(BanditNumber number, bool has_names, const Limits& given,
        Population& of)
      : bandit(number),
        named(has_names),
        limits(given),
        population(of),
        places(has_names) {}

  void CheckKind(const ArmName& arm) const;
  std::optional<ArmPlace> FindPlace(const ArmName& arm) const;
  ArmPlace PlaceOf(const ArmName& arm) const;
  ArmPlace PlaceOf(ArmId arm) const {
    return population.catalogue().Places({&arm, 1}).front();
  }
  ArmInfo InfoAt(ArmPlace place) const;
  void PlanFor(const ArmInfo& arm, std::size_t at, bool only_new,
               TakenTags& taken, Plan& plan) const;
  Put Apply(const Plan& plan, std::vector<ArmInfo>& arms);

  const BanditNumber bandit;
  const bool named;
  const Limits limits;
  Population& population;
  ArmPlaces places;
  TagSets tags;
  // The places without an arm, in the order in which they were freed.
  std::vector<ArmPlace> free;
  // Ids of arms with names, and the order in which places were freed, come from
  // one counter. The latest number that it gave is in the table of arms, so
  // that it goes on there after a restart.
  std::uint64_t next_stamp = 1;
  mutable MaskCache masks;
};

ServedArms::ServedArms(BanditNumber bandit, bool named, const Limits& limits,
                       Population& population)
    : state_(std::make_unique<State>(bandit, named, limits, population)) {}
ServedArms::~ServedArms() = default;

void ServedArms::State::CheckKind(const ArmName& arm) const {
  if (std::holds_alternative<std::string>(arm) == named) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("arm {}: arms of this bandit have {}", ToString(arm),
                          named ? "names, which are texts" : "numbers"));
}

std::optional<ArmPlace> ServedArms::State::FindPlace(const ArmName& arm) const {
  if (named) return places.Find(std::get<std::string>(arm));
  const ArmId id = std::get<ArmId>(arm);
  if (!population.Contains(id)) return std::nullopt;
  return PlaceOf(id);
}

ArmPlace ServedArms::State::PlaceOf(const ArmName& arm) const {
  CheckKind(arm);
  const std::optional<ArmPlace> place = FindPlace(arm);
  if (!place) {
    throw Error(ErrorCode::kUnknownId,
                fmt::format("there is no arm {}", ToString(arm)));
  }
  return *place;
}

ArmInfo ServedArms::State::InfoAt(ArmPlace place) const {
  const ArmId id = places.id(place);
  return {.arm = named ? ArmName(places.name(place)) : ArmName(id),
          .features = population.Features({&id, 1}),
          .tags = tags.TagsOf(places.tags(place))};
}

void ServedArms::Restore(const std::function<void(const Use&)>& read) {
  State& state = *state_;
  std::vector<ArmId> ids;
  std::vector<ArmPlace> places;
  std::vector<float> rows;
  std::vector<std::pair<std::uint64_t, ArmPlace>> freed;
  read([&](ArmRow&& row) {
    if (row.freed != 0) {
      freed.emplace_back(row.freed, row.place);
      state.next_stamp = std::max(state.next_stamp, row.freed + 1);
      return;
    }
    ids.push_back(row.arm);
    places.push_back(row.place);
    rows.insert(rows.end(), row.features.begin(), row.features.end());
    if (state.named) {
      state.next_stamp = std::max(state.next_stamp, row.arm + 1);
    }
    state.places.Reserve(1);
    state.places.Put(row.place, {.id = row.arm,
                                 .name = std::move(row.name),
                                 .tags = state.tags.Take(row.tags)});
  });
  std::ranges::sort(freed);
  for (const auto& [stamp, place] : freed) state.free.push_back(place);
  state.population.AddPlaced(
      {.ids = ids, .places = places, .features = rows, .free = state.free});
  state.masks.Clear();
}

void ServedArms::Check(const ArmInfo& arm) const {
  const State& state = *state_;
  state.CheckKind(arm.arm);
  if (state.named) {
    CheckName("an arm's name", std::get<std::string>(arm.arm),
              state.limits.text);
  }
  try {
    CheckFeatures(arm.features, state.population.dim());
    CheckCount("number of tags", arm.tags.size(), 0, state.limits.tags);
    for (const std::string& tag : arm.tags) {
      CheckName("a tag", tag, state.limits.text);
    }
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("arm {}: {}", ToString(arm.arm), error.what()));
  }
}

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
    Check(arm);
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
  const std::vector<ArmId> ids = IdsOf(arms);
  CheckDistinct("arm", ids);
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

std::size_t ServedArms::size() const { return state_->places.arms(); }

bool ServedArms::Contains(const ArmName& arm) const {
  state_->CheckKind(arm);
  return state_->FindPlace(arm).has_value();
}

ArmId ServedArms::IdOf(const ArmName& arm) const {
  return state_->places.id(state_->PlaceOf(arm));
}

std::vector<ArmId> ServedArms::IdsOf(std::span<const ArmName> arms) const {
  std::vector<ArmId> ids;
  ids.reserve(arms.size());
  for (const ArmName& arm : arms) ids.push_back(IdOf(arm));
  return ids;
}

const std::string& ServedArms::TextOf(ArmId arm) const {
  static const std::string none;
  if (!state_->named) return none;
  return state_->places.name(state_->PlaceOf(arm));
}

ArmName ServedArms::NameOf(ArmId arm) const {
  return state_->named ? ArmName(TextOf(arm)) : ArmName(arm);
}

ArmInfo ServedArms::Find(const ArmName& arm) const {
  return state_->InfoAt(state_->PlaceOf(arm));
}

std::pair<std::vector<ArmInfo>, std::optional<std::uint64_t>> ServedArms::List(
    std::uint64_t from, std::size_t most) const {
  const ArmPlaces& places = state_->places;
  std::vector<ArmInfo> arms;
  for (std::uint64_t place = from; place < places.places(); ++place) {
    if (!places.HasArm(static_cast<ArmPlace>(place))) continue;
    if (arms.size() == most) return {std::move(arms), place};
    arms.push_back(state_->InfoAt(static_cast<ArmPlace>(place)));
  }
  return {std::move(arms), std::nullopt};
}

std::vector<std::pair<std::string, std::uint64_t>> ServedArms::Tags() const {
  return state_->tags.Counts();
}

std::shared_ptr<const std::vector<std::uint16_t>> ServedArms::PlacesOf(
    const std::string& expression) const {
  return state_->masks.Of(expression, [&] {
    return state_->places.LanesWith(
        state_->tags.Holding(TagExpression(expression)));
  });
}

std::uint64_t ServedArms::Digest() const {
  const State& state = *state_;
  service::Digest digest;
  if (state.named) digest.Add(state.next_stamp);
  for (const ArmPlace place : state.free) digest.Add(std::uint64_t{place});
  for (std::uint64_t i = 0; i < state.places.places(); ++i) {
    const auto place = static_cast<ArmPlace>(i);
    if (!state.places.HasArm(place)) continue;
    digest.Add(i);
    digest.Add(state.places.id(place));
    const ArmInfo arm = state.InfoAt(place);
    digest.Add(std::string_view(ToString(arm.arm)));
    digest.Add(std::span<const float>(arm.features));
    for (const std::string& tag : arm.tags) digest.Add(std::string_view(tag));
  }
  return digest.value();
}

}  // namespace manyarms::service
