#ifndef MANYARMS_POLICY_UCB_OPTIONS_H_
#define MANYARMS_POLICY_UCB_OPTIONS_H_

#include "manyarms/policy/exploration.h"

namespace manyarms {

/// The upper confidence bound (OFUL, LinUCB).
struct UcbOptions {
  Exploration exploration = 2.0;

  bool operator==(const UcbOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_UCB_OPTIONS_H_
