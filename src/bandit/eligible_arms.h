#ifndef MANYARMS_BANDIT_ELIGIBLE_ARMS_H_
#define MANYARMS_BANDIT_ELIGIBLE_ARMS_H_

#include <cstdint>
#include <span>

#include "catalogue/arm_store.h"
#include "kernels/arm_set.h"
#include "manyarms/bandit.h"

namespace manyarms {

/// Converts the eligible arms that a caller names into a set for searches. The
/// set is kept from one choice to the next, so that few ids cost little however
/// many arms there are.
class EligibleArms {
 public:
  explicit EligibleArms(const ArmStore& store) : store_(store) {}

  /// Null if all arms are eligible. Throws Error(kNoArms), Error(kUnknownId),
  /// Error(kDuplicateId) or, for a mask of another length,
  /// Error(kInvalidArgument).
  const ArmSet* Of(const Eligible& eligible);

  /// The same, but it may be that there are no arms, or that none is eligible.
  const ArmSet* OfAny(const Eligible& eligible);

 private:
  void AddIds(std::span<const ArmId> ids);
  void AddMasked(std::span<const bool> mask);
  void AddPlaces(std::span<const std::uint16_t> lanes);

  const ArmStore& store_;
  ArmSet set_;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_ELIGIBLE_ARMS_H_
