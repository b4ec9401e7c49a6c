#ifndef MANYARMS_POLICY_GLOC_TS_OPTIONS_H_
#define MANYARMS_POLICY_GLOC_TS_OPTIONS_H_

#include "manyarms/policy/exploration.h"

namespace manyarms {

/// GLOC-TS of Jun, Bhargava, Nowak and Willett ("Scalable Generalized Linear
/// Bandits: Online Computation and Hashing", NeurIPS 2017): Thompson sampling
/// from a regression over pseudo-rewards, which an online Newton step makes of
/// the rewards. It is here to be compared with: ts needs neither a bound of the
/// coefficients nor the slope of the link.
struct GlocTsOptions {
  /// The square root of beta there, as a constant. Not the theory's radius,
  /// which is one of ridge regression over rewards.
  Exploration exploration = 2.0;
  /// S there: the coefficients are no longer than this.
  double norm_bound = 1;
  /// kappa there: the least slope of the link from log-odds to rewards. 0: 1
  /// for linear rewards and the slope at S for clicks, as published for arms no
  /// longer than 1.
  double curvature = 0;

  bool operator==(const GlocTsOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_GLOC_TS_OPTIONS_H_
