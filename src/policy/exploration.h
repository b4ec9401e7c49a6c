#ifndef MANYARMS_POLICY_EXPLORATION_H_
#define MANYARMS_POLICY_EXPLORATION_H_

#include "manyarms/policy/exploration.h"
#include "posterior/posterior.h"

namespace manyarms {

/// beta as a number. `share` maps the theory's (delta, horizon) to the failure
/// probability that the policy's proof uses.
template <class Share>
double ExplorationValue(const Exploration& exploration,
                        const Posterior& posterior, const Share& share) {
  if (const double* constant = std::get_if<double>(&exploration)) {
    return *constant;
  }
  const auto& theory = std::get<TheoryRadius>(exploration);
  return TheoryRadiusValue(posterior.dim(), posterior.regularisation(),
                           theory.horizon, share(theory));
}

}  // namespace manyarms

#endif  // MANYARMS_POLICY_EXPLORATION_H_
