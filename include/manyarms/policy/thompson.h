#ifndef MANYARMS_POLICY_THOMPSON_OPTIONS_H_
#define MANYARMS_POLICY_THOMPSON_OPTIONS_H_

#include "manyarms/policy/exploration.h"

namespace manyarms {

/// Thompson sampling (Algorithm 4).
struct ThompsonOptions {
  Exploration exploration = 2.0;

  bool operator==(const ThompsonOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_THOMPSON_OPTIONS_H_
