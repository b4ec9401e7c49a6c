#ifndef MANYARMS_POLICY_KINDS_H_
#define MANYARMS_POLICY_KINDS_H_

#include <optional>

#include "base/kind_list.h"
#include "manyarms/policy_options.h"
#include "policy/elimination_kind.h"
#include "policy/gloc_ts_kind.h"
#include "policy/qgloc_kind.h"
#include "policy/thompson_kind.h"
#include "policy/ucb_kind.h"

namespace manyarms {

using PolicyKinds = KindList<PolicyKind, PolicyOptions>;

/// Throws Error(kInvalidArgument) for options out of bounds.
void CheckPolicy(const PolicyOptions& options, std::size_t dim);

/// What the policy asks its search for.
Objective ObjectiveOf(const PolicyOptions& options);

/// Whether each choice of the policy is one question over all arms.
bool SharesIndex(const PolicyOptions& options);

/// How the policy makes pseudo-rewards; none if it learns from rewards.
std::optional<PseudoRewards> PseudoRewardsOf(const PolicyOptions& options);

/// Whether what the policy has learned can be forgotten.
bool CanForget(const PolicyOptions& options);

/// Whether the policy's scores are differences of rewards.
bool ScoreIsDifference(const PolicyOptions& options);

}  // namespace manyarms

#endif  // MANYARMS_POLICY_KINDS_H_
