#ifndef MANYARMS_SERVICE_API_ROUTES_H_
#define MANYARMS_SERVICE_API_ROUTES_H_

#include <memory>

/// What answers each route; routes.cc has their table.
namespace manyarms::service {

class Call;
using CallPointer = std::shared_ptr<Call>;

// system_routes.cc
void GetPage(const CallPointer& call);
void GetHealth(const CallPointer& call);
void GetReadiness(const CallPointer& call);
void GetMetrics(const CallPointer& call);
void GetVersion(const CallPointer& call);
void GetOpenApi(const CallPointer& call);
void GetLive(const CallPointer& call);
void PostBackup(const CallPointer& call);

// bandit_routes.cc
void ListBandits(const CallPointer& call);
void PutBandit(const CallPointer& call);
void GetBandit(const CallPointer& call);
void PatchBandit(const CallPointer& call);
void DeleteBandit(const CallPointer& call);

// arm_routes.cc
void ListArms(const CallPointer& call);
void PostArms(const CallPointer& call);
void PostRemoveArms(const CallPointer& call);
void GetArm(const CallPointer& call);
void PutArm(const CallPointer& call);
void DeleteArm(const CallPointer& call);
void GetTags(const CallPointer& call);

// choice_routes.cc
void PostChoose(const CallPointer& call);
void PostChoices(const CallPointer& call);
void GetDecision(const CallPointer& call);

// reward_routes.cc
void PostReward(const CallPointer& call);
void PostRewards(const CallPointer& call);
void PostActivate(const CallPointer& call);
void PostDismiss(const CallPointer& call);
void PostObserve(const CallPointer& call);

// learner_routes.cc
void PostPredict(const CallPointer& call);
void ListLearners(const CallPointer& call);
void GetLearner(const CallPointer& call);
void DeleteLearner(const CallPointer& call);

// snapshot_routes.cc
void ListSnapshots(const CallPointer& call);
void PutSnapshot(const CallPointer& call);
void RestoreSnapshot(const CallPointer& call);
void DeleteSnapshot(const CallPointer& call);

// evaluation_routes.cc
void PostEvaluate(const CallPointer& call);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_ROUTES_H_
