#include "service/engine/served_arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "manyarms/error.h"
#include "service/engine/digest.h"
#include "service/engine/names.h"
#include "service/engine/served_arms_state.h"
#include "service/engine/tag_expression.h"

namespace manyarms::service {
namespace {

void CheckKind(const ArmName& arm, bool named) {
  if (std::holds_alternative<std::string>(arm) == named) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("arm {}: arms of this bandit have {}", ToString(arm),
                          named ? "names, which are texts" : "numbers"));
}

}  // namespace

ServedArms::ServedArms(BanditNumber bandit, bool named, const Limits& limits,
                       Population& population)
    : state_(std::make_unique<State>(bandit, named, limits, population)) {}
ServedArms::~ServedArms() = default;

void ServedArms::State::CheckKind(const ArmName& arm) const {
  service::CheckKind(arm, named);
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

void ServedArms::Restore(std::uint64_t count,
                         const std::function<void(const Use&)>& read) {
  State& state = *state_;
  std::vector<ArmId> ids;
  std::vector<ArmPlace> places;
  std::vector<float> rows;
  std::vector<std::pair<std::uint64_t, ArmPlace>> freed;
  ids.reserve(count);
  places.reserve(count);
  rows.reserve(count * state.population.dim());
  state.places.Reserve(count);
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

void ServedArms::Check(const ArmInfo& arm, bool named, std::size_t dim,
                       const Limits& limits) {
  CheckKind(arm.arm, named);
  if (named) {
    CheckName("an arm's name", std::get<std::string>(arm.arm), limits.text);
  }
  try {
    CheckFeatures(arm.features, dim);
    CheckCount("number of tags", arm.tags.size(), 0, limits.tags);
    for (const std::string& tag : arm.tags) {
      CheckName("a tag", tag, limits.text);
    }
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("arm {}: {}", ToString(arm.arm), error.what()));
  }
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

std::vector<ArmId> ServedArms::DistinctIdsOf(
    std::span<const ArmName> arms) const {
  std::vector<ArmId> ids = IdsOf(arms);
  std::vector<ArmId> sorted = ids;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return ids;
  throw Error(ErrorCode::kDuplicateId,
              fmt::format("arm {} is given twice", ToString(NameOf(*twice))));
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

std::vector<ArmId> ServedArms::IdsBetween(std::uint64_t from,
                                          std::size_t count) const {
  const ArmPlaces& places = state_->places;
  const std::uint64_t end =
      std::min<std::uint64_t>(places.places(), from + count);
  std::vector<ArmId> ids;
  ids.reserve(count);
  for (std::uint64_t place = from; place < end; ++place) {
    const auto at = static_cast<ArmPlace>(place);
    if (places.HasArm(at)) ids.push_back(places.id(at));
  }
  return ids;
}

std::uint64_t ServedArms::places() const { return state_->places.places(); }

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

bool ServedArms::IsIn(std::span<const std::uint16_t> lanes,
                      const ArmName& arm) const {
  const ArmPlace place = state_->PlaceOf(arm);
  const std::size_t lane = place / 16;
  return lane < lanes.size() &&
         ((std::uint32_t{lanes[lane]} >> (place % 16)) & 1U) != 0;
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
