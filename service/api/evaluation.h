#ifndef MANYARMS_SERVICE_API_EVALUATION_H_
#define MANYARMS_SERVICE_API_EVALUATION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "evaluation/policy_outcome.h"
#include "service/engine/settings.h"
#include "service/store/changes.h"

namespace manyarms::service {

struct EvaluationRequest {
  PolicyOutcomeOptions options;
  std::optional<double> default_reward = std::nullopt;
  std::optional<Time> since = std::nullopt;
  std::optional<Time> until = std::nullopt;
};

/// Reads what is to be evaluated; what is missing is as in the bandit. Throws
/// as ParseSettings.
EvaluationRequest ParseEvaluation(std::string_view body,
                                  const Settings& bandit);

/// Decisions times draws: some twenty minutes.
inline constexpr std::uint64_t kMostDrawsTogether = 1'000'000'000;

/// Evaluates a policy on what the store has of a bandit, as JSON. Throws
/// Error(kInvalidArgument) if it would draw more than the above. `check` is
/// called often, and ends the evaluation by what it throws.
std::string EvaluationText(const EvaluationRequest& request,
                           const std::string& place, const std::string& bandit,
                           const std::function<void()>& check);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_EVALUATION_H_
