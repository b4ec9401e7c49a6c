#ifndef MANYARMS_BANDIT_MODEL_H_
#define MANYARMS_BANDIT_MODEL_H_

#include "bandit/reward_scale.h"
#include "manyarms/bandit.h"
#include "posterior/context_model.h"
#include "posterior/posterior.h"

namespace manyarms {

bool ExploresByTheory(const PolicyOptions& policy);

/// Throws Error(kUnsupported) for a policy that cannot forget what it learned.
void CheckMayForget(const PolicyOptions& policy);

/// How a bandit with these options converts features and rewards. Throws
/// Error(kInvalidArgument) for a dimension that no bandit can have.
RewardScale ScaleOf(const BanditOptions& options);

/// The model by which it learns. Throws Error(kInvalidArgument) or
/// Error(kUnsupported) for contexts that cannot be used with the other options.
ContextModel ModelOf(const BanditOptions& options);

/// What it knows before the first reward. Throws Error(kInvalidArgument) or
/// Error(kUnsupported) for a prior or a regularisation that cannot be used.
Posterior StartOf(const BanditOptions& options);

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_MODEL_H_
