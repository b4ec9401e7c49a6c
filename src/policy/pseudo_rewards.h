#ifndef MANYARMS_POLICY_PSEUDO_REWARDS_H_
#define MANYARMS_POLICY_PSEUDO_REWARDS_H_

#include "base/field.h"
#include "posterior/online_newton.h"

namespace manyarms {

/// Options of policies that learn from pseudo-rewards.
template <class Options>
constexpr auto NormBoundField() {
  return Field{&Options::norm_bound,
               Reals{1e-6, 1e6},
               {.name = "norm_bound",
                .help = "The coefficients are no longer than this (S in the "
                        "paper of GLOC)",
                .decides = true}};
}

template <class Options>
constexpr auto CurvatureField() {
  return Field{&Options::curvature,
               Reals{0, 1},
               {.name = "curvature",
                .help = "The least slope from log-odds to rewards (kappa in "
                        "the paper of GLOC); 0: 1, and for clicks the slope at "
                        "the norm bound",
                .decides = true}};
}

template <class Options>
PseudoRewards PseudoRewardsBy(const Options& options) {
  return {.norm_bound = options.norm_bound, .curvature = options.curvature};
}

}  // namespace manyarms

#endif  // MANYARMS_POLICY_PSEUDO_REWARDS_H_
