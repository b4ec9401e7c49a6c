#ifndef MANYARMS_SERVICE_ENGINE_ARM_INFO_H_
#define MANYARMS_SERVICE_ENGINE_ARM_INFO_H_

#include <string>
#include <variant>
#include <vector>

#include "manyarms/types.h"

namespace manyarms::service {

/// An arm as clients name it: by a number or a text, whichever the bandit has.
using ArmName = std::variant<ArmId, std::string>;

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
struct ArmInfo {
  ArmName arm = {};
  std::vector<float> features = {};
  std::vector<std::string> tags = {};
};
// NOLINTEND(readability-redundant-member-init)

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_ARM_INFO_H_
