#ifndef MANYARMS_SERVICE_ENGINE_SETTINGS_H_
#define MANYARMS_SERVICE_ENGINE_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manyarms/population.h"

namespace manyarms::service {

/// What a reward is if several come for one decision.
enum class Aggregation : std::uint8_t {
  kFirst,  ///< the first one, which is learned at once
  kSum,    ///< their sum, learned when the wait is over
  kLast,   ///< the last one, learned when the wait is over
};

enum class Mode : std::uint8_t {
  kServe,
  /// Answers are the caller's own arms; the policy learns from them, and what
  /// it would have chosen is compared with them.
  kApprentice,
};

/// What may change while a bandit lives.
struct Semantics {
  /// A decision waits this long for its reward, in seconds.
  double reward_wait = 3600;
  /// What is learned of an active decision without a reward; if there is none,
  /// nothing.
  std::optional<double> default_reward = std::nullopt;
  Aggregation aggregation = Aggregation::kFirst;
  Mode mode = Mode::kServe;
  /// Draws for the probability of each decision, which is then stored: a choice
  /// costs as much as this number of them. 0: none. Choices of uniform slices
  /// are marked either way.
  std::uint64_t probability_draws = 0;

  bool operator==(const Semantics&) const = default;
};

struct Settings {
  PopulationOptions population;  ///< never with a shared prior
  bool named_arms = true;        ///< arms have names, not numbers
  Semantics semantics;

  bool operator==(const Settings&) const = default;
};

/// Whether they differ in nothing but what may change while a bandit lives.
inline bool SameForGood(const Settings& a, const Settings& b) {
  return a.population == b.population && a.named_arms == b.named_arms;
}

/// Reads settings as a client gives them, a JSON object with fields that are
/// described in docs/service.md. Those that are missing have their defaults.
/// Throws Error(kCorrupt) for text that is not JSON, and
/// Error(kInvalidArgument) for anything else that is wrong, which names the
/// field.
Settings ParseSettings(std::string_view json);

/// All settings, as ParseSettings reads them.
std::string ToJson(const Settings& settings);

/// Changes of semantics as a client gives them: an object with some of its
/// fields. Throws likewise, and for other fields of settings, which cannot
/// change.
Semantics ParseChanges(std::string_view json, const Settings& before);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_SETTINGS_H_
