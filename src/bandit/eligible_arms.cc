#include "bandit/eligible_arms.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/blocks.h"

namespace manyarms {

const ArmSet* EligibleArms::Of(const Eligible& eligible) {
  if (store_.size() == 0) {
    throw Error(ErrorCode::kNoArms, "there are no arms to choose from");
  }
  const ArmSet* set = OfAny(eligible);
  if (set != nullptr && set->size() == 0) {
    throw Error(ErrorCode::kNoArms, "no arm is eligible");
  }
  return set;
}

const ArmSet* EligibleArms::OfAny(const Eligible& eligible) {
  if (std::holds_alternative<std::monostate>(eligible)) return nullptr;
  set_.Clear();
  if (const auto* ids = std::get_if<1>(&eligible)) AddIds(*ids);
  if (const auto* mask = std::get_if<2>(&eligible)) AddMasked(*mask);
  if (const auto* places = std::get_if<3>(&eligible)) AddPlaces(places->lanes);
  return &set_;
}

void EligibleArms::AddIds(std::span<const ArmId> ids) {
  for (const ArmId id : ids) {
    const Slot slot = store_.At(id);
    if (set_.Contains(slot)) {  // perhaps a mask of numbers
      throw Error(ErrorCode::kDuplicateId,
                  fmt::format("eligible arm {} is given twice; a mask must "
                              "consist of bools",
                              id));
    }
    set_.Add(slot);
  }
}

void EligibleArms::AddMasked(std::span<const bool> mask) {
  if (mask.size() != store_.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the mask is of length {}, there are {} arms",
                            mask.size(), store_.size()));
  }
  const ArmSet& arms = store_.members().arms();
  auto next = mask.begin();
  for (std::uint32_t block = 0; block < store_.block_count(); ++block) {
    std::uint32_t lanes = 0;
    ForEachLane(arms.lanes(block), [&](std::uint32_t lane) {
      lanes |= std::uint32_t{*next++} << lane;
    });
    if (lanes != 0) set_.AddBlock({.block = block, .lanes = lanes});
  }
}

void EligibleArms::AddPlaces(std::span<const std::uint16_t> lanes) {
  const ArmSet& arms = store_.members().arms();
  const std::size_t blocks =
      std::min<std::size_t>(lanes.size(), store_.block_count());
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t both = lanes[block] & arms.lanes(block);
    if (both != 0) set_.AddBlock({.block = block, .lanes = both});
  }
}

}  // namespace manyarms
