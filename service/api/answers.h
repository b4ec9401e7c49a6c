#ifndef MANYARMS_SERVICE_API_ANSWERS_H_
#define MANYARMS_SERVICE_API_ANSWERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "service/api/json_output.h"
#include "service/engine/served_bandit.h"

/// What the service answers, written as JSON values.
namespace manyarms::service {

/// {"name":...,"settings":{...},"stats":{...}}
void WriteDescription(const ServedBandit& bandit, JsonOutput& output);

/// The fields of "stats", without the braces.
void WriteStats(const BanditStats& stats, JsonOutput& output);

void WriteArm(const ArmInfo& arm, JsonOutput& output);

/// The answer to a choice. REQUIRES: there are decisions.
void WriteChoice(const ChoiceRequest& request, bool repeated,
                 const std::vector<DecisionRow>& decisions, JsonOutput& output);

void WriteReward(const RewardAnswer& answer, JsonOutput& output);

/// A decision with all that the store has of it.
void WriteDecision(const DecisionRow& decision,
                   const std::vector<RewardRow>& rewards, JsonOutput& output);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_ANSWERS_H_
