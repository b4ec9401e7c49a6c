#ifndef MANYARMS_SERVICE_STORE_ROWS_H_
#define MANYARMS_SERVICE_STORE_ROWS_H_

#include <string>
#include <string_view>
#include <vector>

#include "service/sql/database.h"
#include "service/store/changes.h"

/// Rows as values of statements, and back. Texts and vectors that are empty are
/// NULL wherever that means that there is none.
namespace manyarms::service {

/// In the order in which the functions below give and read values.
inline constexpr std::string_view kDecisionColumns =
    "sequence, bandit, learner, number, rank, slate, arm, arm_name, features, "
    "context, score, eligible, uniform, probability, policy_arm, "
    "policy_arm_name, event, active, time";
inline constexpr std::string_view kRewardColumns =
    "sequence, bandit, kind, decision, learner, reward, id, arm, arm_name, "
    "features, context, time";
inline constexpr std::string_view kArmColumns =
    "place, arm, name, features, tags, added, freed";

/// A condition on rows of `decisions` or `rewards`: those of a learner that was
/// forgotten, which are deleted in small steps, are not there any more.
std::string NotForgotten(std::string_view table);

void BindDecision(const DecisionRow& row, sql::Statement& statement);
void BindReward(const RewardRow& row, sql::Statement& statement);

/// The columns of the row at which the statement is. All throw Error(kCorrupt)
/// for what cannot have been written.
DecisionRow DecisionAt(const sql::Statement& row);
RewardRow RewardAt(const sql::Statement& row);
ArmRow ArmAt(const sql::Statement& row);

void BindCount(std::uint64_t value, sql::Statement& statement);
/// The empty text as NULL.
void BindOptional(std::string_view text, sql::Statement& statement);
void BindFloats(const std::vector<float>& values, sql::Statement& statement);

/// Tags as a JSON array.
std::string TagsText(const std::vector<std::string>& tags);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_ROWS_H_
