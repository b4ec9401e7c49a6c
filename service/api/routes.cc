#include "service/api/routes.h"

#include <array>

#include "service/api/router.h"

namespace manyarms::service {
namespace {

using enum http::Method;
using enum Role;
using enum Body;
using enum Threads;

#define MANYARMS_BANDIT "/v1/bandits/{bandit}"

// The most frequent ones come first.
constexpr std::array kRoutes{
    Route{kPost, MANYARMS_BANDIT "/choose", kDecide, kOptionalJson, kConnection,
          PostChoose, true},
    Route{kPost, MANYARMS_BANDIT "/reward", kDecide, kJson, kConnection,
          PostReward, true},
    Route{kPost, MANYARMS_BANDIT "/choices", kDecide, kJson, kConnection,
          PostChoices, true},
    Route{kPost, MANYARMS_BANDIT "/rewards", kDecide, kJson, kShort,
          PostRewards, true},
    Route{kPost, MANYARMS_BANDIT "/activate", kDecide, kJson, kConnection,
          PostActivate, true},
    Route{kPost, MANYARMS_BANDIT "/dismiss", kDecide, kJson, kConnection,
          PostDismiss, true},
    Route{kPost, MANYARMS_BANDIT "/observe", kDecide, kJson, kConnection,
          PostObserve, true},
    Route{kPost, MANYARMS_BANDIT "/predict", kRead, kJson, kConnection,
          PostPredict},
    Route{kGet, MANYARMS_BANDIT "/decisions/{decision}", kRead, kNone, kShort,
          GetDecision},
    Route{kGet, MANYARMS_BANDIT "/arms", kRead, kNone, kShort, ListArms},
    Route{kPost, MANYARMS_BANDIT "/arms", kAdmin, kArms, kLong, PostArms, true},
    Route{kPost, MANYARMS_BANDIT "/remove-arms", kAdmin, kJson, kLong,
          PostRemoveArms, true},
    Route{kGet, MANYARMS_BANDIT "/arms/{arm}", kRead, kNone, kShort, GetArm},
    Route{kPut, MANYARMS_BANDIT "/arms/{arm}", kAdmin, kJson, kShort, PutArm,
          true},
    Route{kDelete, MANYARMS_BANDIT "/arms/{arm}", kAdmin, kNone, kShort,
          DeleteArm, true},
    Route{kGet, MANYARMS_BANDIT "/tags", kRead, kNone, kShort, GetTags},
    Route{kGet, MANYARMS_BANDIT "/learners", kRead, kNone, kShort,
          ListLearners},
    Route{kGet, MANYARMS_BANDIT "/learners/{learner}", kRead, kNone, kShort,
          GetLearner},
    Route{kDelete, MANYARMS_BANDIT "/learners/{learner}", kAdmin, kNone, kLong,
          DeleteLearner, true},
    Route{kGet, MANYARMS_BANDIT "/snapshots", kRead, kNone, kShort,
          ListSnapshots},
    Route{kPut, MANYARMS_BANDIT "/snapshots/{name}", kAdmin, kNone, kLong,
          PutSnapshot, true},
    Route{kPost, MANYARMS_BANDIT "/snapshots/{name}/restore", kAdmin, kNone,
          kLong, RestoreSnapshot, true},
    Route{kDelete, MANYARMS_BANDIT "/snapshots/{name}", kAdmin, kNone, kLong,
          DeleteSnapshot, true},
    Route{kPost, MANYARMS_BANDIT "/evaluate", kAdmin, kOptionalJson, kLong,
          PostEvaluate},
    Route{kGet, "/v1/bandits", kRead, kNone, kConnection, ListBandits},
    Route{kPut, MANYARMS_BANDIT, kAdmin, kJson, kConnection, PutBandit, true},
    Route{kGet, MANYARMS_BANDIT, kRead, kNone, kConnection, GetBandit},
    Route{kPatch, MANYARMS_BANDIT, kAdmin, kJson, kLong, PatchBandit, true},
    Route{kDelete, MANYARMS_BANDIT, kAdmin, kNone, kLong, DeleteBandit, true},
    Route{kGet, "/v1", kRead, kNone, kConnection, GetVersion},
    Route{kGet, "/v1/openapi.json", kOpen, kNone, kConnection, GetOpenApi,
          false, true},
    Route{kGet, "/v1/live", kRead, kNone, kShort, GetLive},
    Route{kPost, "/v1/backup", kAdmin, kJson, kLong, PostBackup},
    Route{kGet, "/", kOpen, kNone, kConnection, GetPage, false, true},
    Route{kGet, "/healthz", kOpen, kNone, kConnection, GetHealth, false, true},
    Route{kGet, "/readyz", kOpen, kNone, kConnection, GetReadiness, false,
          true},
    Route{kGet, "/metrics", kRead, kNone, kShort, GetMetrics},
};

#undef MANYARMS_BANDIT

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

}  // namespace manyarms::service
