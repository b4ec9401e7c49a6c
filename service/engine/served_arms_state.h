#ifndef MANYARMS_SERVICE_ENGINE_SERVED_ARMS_STATE_H_
#define MANYARMS_SERVICE_ENGINE_SERVED_ARMS_STATE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "service/engine/arm_places.h"
#include "service/engine/mask_cache.h"
#include "service/engine/reserve_growing.h"
#include "service/engine/served_arms.h"
#include "service/engine/tag_sets.h"

namespace manyarms::service {

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

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_SERVED_ARMS_STATE_H_
