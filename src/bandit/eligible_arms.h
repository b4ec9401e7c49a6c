#ifndef MANYARMS_BANDIT_ELIGIBLE_ARMS_H_
#define MANYARMS_BANDIT_ELIGIBLE_ARMS_H_

#include <span>

#include "kernels/arm_set.h"
#include "manyarms/bandit.h"
#include "manyarms/catalogue.h"

namespace manyarms {

/// From what the caller names to what a search takes. Keeps its set from one
/// choice to the next, so that few ids cost little however many arms there are.
class EligibleArms {
 public:
  explicit EligibleArms(const Catalogue& catalogue) : catalogue_(catalogue) {}

  /// None where all arms are eligible. Throws Error(kNoArms),
  /// Error(kUnknownId), Error(kDuplicateId) or, for a mask of another length,
  /// Error(kInvalidArgument).
  const ArmSet* Of(const Eligible& eligible);

 private:
  void AddIds(std::span<const ArmId> ids);
  void AddMasked(std::span<const bool> mask);

  const Catalogue& catalogue_;
  ArmSet set_;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_ELIGIBLE_ARMS_H_
