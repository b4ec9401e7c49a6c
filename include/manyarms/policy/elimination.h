#ifndef MANYARMS_POLICY_ELIMINATION_OPTIONS_H_
#define MANYARMS_POLICY_ELIMINATION_OPTIONS_H_

#include "manyarms/policy/exploration.h"

namespace manyarms {

/// Elimination in stages (Algorithms 2 and 3).
struct EliminationOptions {
  Exploration exploration = 2.0;
  /// eta in the paper, within [1e-6, 1/8]. The last stage is
  /// ceil(log2(1/(8 eta))), but at least 1.
  double accuracy = 0.01;

  bool operator==(const EliminationOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_ELIMINATION_OPTIONS_H_
