#include "service/engine/arm_places.h"

#include <functional>
#include <utility>

#include "service/engine/reserve_growing.h"

namespace manyarms::service {
namespace {

std::uint64_t HashOf(std::string_view name) {
  return std::hash<std::string_view>()(name);
}

}  // namespace

void ArmPlaces::Reserve(std::size_t further) {
  const std::size_t size = places() + further;
  ReserveGrowing(has_arm_, size);
  ReserveGrowing(ids_, size);
  ReserveGrowing(tags_, size);
  if (!named_) return;
  ReserveGrowing(names_, size);
  by_name_.Reserve(arms_ + further,
                   [this](ArmPlace place) { return HashOf(names_[place]); });
}

void ArmPlaces::Put(ArmPlace place, Arm arm) {
  if (place >= places()) {
    has_arm_.resize(place + std::size_t{1});
    ids_.resize(place + std::size_t{1});
    tags_.resize(place + std::size_t{1});
    if (named_) names_.resize(place + std::size_t{1});
  }
  has_arm_[place] = true;
  ids_[place] = arm.id;
  tags_[place] = arm.tags;
  if (named_) {
    names_[place] = std::move(arm.name);
    by_name_.Insert(place, HashOf(names_[place]));
  }
  ++arms_;
}

void ArmPlaces::Remove(ArmPlace place) {
  if (named_) {
    by_name_.Erase(place, [this](ArmPlace one) { return HashOf(names_[one]); });
    names_[place] = {};
  }
  has_arm_[place] = false;
  tags_[place] = 0;
  --arms_;
}

const std::string& ArmPlaces::name(ArmPlace place) const {
  static const std::string none;
  return named_ ? names_[place] : none;
}

TagSets::SetNumber ArmPlaces::SetTags(ArmPlace place, TagSets::SetNumber tags) {
  return std::exchange(tags_[place], tags);
}

std::optional<ArmPlace> ArmPlaces::Find(std::string_view name) const {
  const ArmPlace place = by_name_.Find(
      HashOf(name), [&](ArmPlace one) { return names_[one] == name; });
  if (place == HandleTable::kNone) return std::nullopt;
  return place;
}

std::vector<std::uint16_t> ArmPlaces::LanesWith(
    const std::vector<char>& holding) const {
  std::vector<std::uint16_t> lanes((places() + 15) / 16);
  for (std::size_t place = 0; place < places(); ++place) {
    const unsigned bit = has_arm_[place] && holding[tags_[place]] != 0 ? 1 : 0;
    lanes[place / 16] =
        static_cast<std::uint16_t>(lanes[place / 16] | bit << (place % 16));
  }
  return lanes;
}

}  // namespace manyarms::service
