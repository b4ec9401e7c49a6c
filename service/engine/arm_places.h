#ifndef MANYARMS_SERVICE_ENGINE_ARM_PLACES_H_
#define MANYARMS_SERVICE_ENGINE_ARM_PLACES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyarms/catalogue.h"
#include "service/engine/handle_table.h"
#include "service/engine/tag_sets.h"

namespace manyarms::service {

/// What the service knows of the arm in each place of a population: its id, its
/// name if arms have names, and its tags; and which places are free.
///
/// Thread safety: any number of threads may call const methods while no thread
/// calls another one.
class ArmPlaces {
 public:
  explicit ArmPlaces(bool named) : named_(named) {}

  /// Makes room for this number of further arms, so that Put never fails.
  void Reserve(std::size_t further);

  struct Arm {
    ArmId id = 0;
    // g++ warns without the initialiser.
    std::string name = {};  // NOLINT(readability-redundant-member-init)
    TagSets::SetNumber tags = 0;
  };
  /// REQUIRES: the place has no arm, there is room, and the name is new.
  void Put(ArmPlace place, Arm arm);
  void Remove(ArmPlace place);
  /// Returns the former tags. REQUIRES: the place has an arm.
  TagSets::SetNumber SetTags(ArmPlace place, TagSets::SetNumber tags);

  /// The place of the arm with this name. REQUIRES: arms have names.
  std::optional<ArmPlace> Find(std::string_view name) const;

  /// One more than the largest place that ever had an arm.
  std::size_t places() const { return ids_.size(); }
  std::size_t arms() const { return arms_; }
  bool HasArm(ArmPlace place) const { return has_arm_[place]; }
  /// REQUIRES for the next three: the place has an arm.
  ArmId id(ArmPlace place) const { return ids_[place]; }
  const std::string& name(ArmPlace place) const;
  TagSets::SetNumber tags(ArmPlace place) const { return tags_[place]; }

  /// Bit p % 16 of lane p / 16 says whether there is an arm in place p whose
  /// set of tags is one of those in `holding`.
  std::vector<std::uint16_t> LanesWith(const std::vector<char>& holding) const;

 private:
  const bool named_;
  std::size_t arms_ = 0;
  std::vector<bool> has_arm_;  // these four by place
  std::vector<ArmId> ids_;
  std::vector<std::string> names_;  // none if arms have numbers
  std::vector<TagSets::SetNumber> tags_;
  HandleTable by_name_;  // places
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_ARM_PLACES_H_
