#ifndef MANYARMS_LOG_EVENT_FIELDS_H_
#define MANYARMS_LOG_EVENT_FIELDS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manyarms/types.h"

namespace manyarms {

/// The fields that lines of events may have, in the order of kFieldNames.
enum class EventField : std::uint8_t {
  kEvent,
  kId,
  kDecision,
  kLearner,
  kArm,
  kFeatures,
  kContext,
  kScore,
  kEligible,
  kUniform,
  kProbability,
  kPolicy,
  kReward,
  kTime,
};

inline constexpr std::array<std::string_view, 14> kEventFieldNames = {
    "event",       "id",      "decision", "learner",  "arm",
    "features",    "context", "score",    "eligible", "uniform",
    "probability", "policy",  "reward",   "time"};

/// What a line says. A field has the same type in all events; those of other
/// names are left out, and a null is as good as no field.
struct EventFields {
  using NumberOrText = std::variant<std::uint64_t, std::string>;

  std::string event;
  DecisionId id = 0;
  DecisionId decision = 0;
  NumberOrText learner;
  NumberOrText arm;
  std::vector<float> features;
  std::vector<float> context;
  double score = 0;
  std::uint64_t eligible = 0;
  bool uniform = false;
  double probability = 0;
  std::string policy;
  double reward = 0;
  double time = 0;

  bool Has(EventField field) const {
    return (present >> static_cast<unsigned>(field) & 1U) != 0;
  }
  /// Throws Error(kCorrupt) unless the line has the field.
  void Require(EventField field) const;

  /// Reads a line. Throws Error(kCorrupt) for one that is not a JSON object in
  /// UTF-8, for a field of another type, and for one that is there twice. All
  /// values of earlier lines are gone then.
  void Parse(std::string_view line);

  std::uint32_t present = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_EVENT_FIELDS_H_
