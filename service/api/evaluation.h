#ifndef MANYARMS_SERVICE_API_EVALUATION_H_
#define MANYARMS_SERVICE_API_EVALUATION_H_

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

/// Evaluates a policy on what the store has of a bandit, as JSON.
std::string EvaluationText(const EvaluationRequest& request,
                           const std::string& place, const std::string& bandit);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_EVALUATION_H_
