#ifndef MANYARMS_SERVICE_ENGINE_OPEN_TEXT_H_
#define MANYARMS_SERVICE_ENGINE_OPEN_TEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyarms/types.h"
#include "service/engine/open_decisions.h"

namespace manyarms::service {

/// The open decisions of a learner, as LearnerSaved::open has them: JSON, or
/// empty if there are none.
struct SavedOpen {
  struct One {
    OpenDecision decision = {};  ///< without learner
    std::optional<RewardParts> parts = std::nullopt;
  };
  DecisionId id_bits = 0;  ///< what the ids of its decisions have in common
  // g++ warns without the initialiser.
  std::vector<One> decisions = {};  // NOLINT(readability-redundant-member-init)
};

std::string ToText(const SavedOpen& open);

/// Throws Error(kCorrupt).
SavedOpen ParseOpen(std::string_view text);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_OPEN_TEXT_H_
