#ifndef MANYARMS_LOG_EVENT_FIELDS_H_
#define MANYARMS_LOG_EVENT_FIELDS_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manyarms/types.h"

namespace manyarms {

/// The fields that lines of events may have, in the order of kEventFieldNames.
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

/// A set of fields, with a bit for each.
using EventFieldSet = std::uint32_t;

constexpr EventFieldSet SetOf(std::initializer_list<EventField> fields) {
  EventFieldSet set = 0;
  for (const EventField field : fields)
    set |= 1U << static_cast<unsigned>(field);
  return set;
}

inline constexpr EventFieldSet kAllEventFields =
    (1U << kEventFieldNames.size()) - 1;

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

  bool Has(EventField field) const { return (present & SetOf({field})) != 0; }
  /// Throws Error(kCorrupt) unless the line has the field.
  void Require(EventField field) const;

  /// Reads a line, of which other than the wanted fields are left out. Throws
  /// Error(kCorrupt) for one that is not a JSON object in UTF-8, for a wanted
  /// field of another type, and for one that is there twice. All values of
  /// earlier lines are gone then.
  void Parse(std::string_view line, EventFieldSet wanted = kAllEventFields);

  EventFieldSet present = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_EVENT_FIELDS_H_
