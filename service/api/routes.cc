#include "service/api/routes.h"

#include <array>

#include "service/api/router.h"

namespace manyarms::service {
namespace {

using enum http::Method;
using enum Role;
using enum Body;

#define MANYARMS_BANDIT "/v1/bandits/{bandit}"

// The most frequent ones come first.
constexpr std::array kRoutes{
    Route{kPost, MANYARMS_BANDIT "/choose", kDecide, kOptionalJson, PostChoose,
          true},
    Route{kPost, MANYARMS_BANDIT "/reward", kDecide, kJson, PostReward, true},
    Route{kPost, MANYARMS_BANDIT "/choices", kDecide, kJson, PostChoices, true},
    Route{kPost, MANYARMS_BANDIT "/rewards", kDecide, kJson, PostRewards, true},
    Route{kPost, MANYARMS_BANDIT "/activate", kDecide, kJson, PostActivate,
          true},
    Route{kPost, MANYARMS_BANDIT "/dismiss", kDecide, kJson, PostDismiss, true},
    Route{kPost, MANYARMS_BANDIT "/observe", kDecide, kJson, PostObserve, true},
    Route{kPost, MANYARMS_BANDIT "/predict", kRead, kJson, PostPredict},
    Route{kGet, MANYARMS_BANDIT "/decisions/{decision}", kRead, kNone,
          GetDecision},
    Route{kGet, MANYARMS_BANDIT "/arms", kRead, kNone, ListArms},
    Route{kPost, MANYARMS_BANDIT "/arms", kAdmin, kArms, PostArms, true},
    Route{kPost, MANYARMS_BANDIT "/remove-arms", kAdmin, kJson, PostRemoveArms,
          true},
    Route{kGet, MANYARMS_BANDIT "/arms/{arm}", kRead, kNone, GetArm},
    Route{kPut, MANYARMS_BANDIT "/arms/{arm}", kAdmin, kJson, PutArm, true},
    Route{kDelete, MANYARMS_BANDIT "/arms/{arm}", kAdmin, kNone, DeleteArm,
          true},
    Route{kGet, MANYARMS_BANDIT "/tags", kRead, kNone, GetTags},
    Route{kGet, MANYARMS_BANDIT "/learners", kRead, kNone, ListLearners},
    Route{kGet, MANYARMS_BANDIT "/learners/{learner}", kRead, kNone,
          GetLearner},
    Route{kDelete, MANYARMS_BANDIT "/learners/{learner}", kAdmin, kNone,
          DeleteLearner, true},
    Route{kGet, MANYARMS_BANDIT "/snapshots", kRead, kNone, ListSnapshots},
    Route{kPut, MANYARMS_BANDIT "/snapshots/{name}", kAdmin, kNone, PutSnapshot,
          true},
    Route{kPost, MANYARMS_BANDIT "/snapshots/{name}/restore", kAdmin, kNone,
          RestoreSnapshot, true},
    Route{kDelete, MANYARMS_BANDIT "/snapshots/{name}", kAdmin, kNone,
          DeleteSnapshot, true},
    Route{kPost, MANYARMS_BANDIT "/evaluate", kAdmin, kOptionalJson,
          PostEvaluate},
    Route{kGet, "/v1/bandits", kRead, kNone, ListBandits},
    Route{kPut, MANYARMS_BANDIT, kAdmin, kJson, PutBandit, true},
    Route{kGet, MANYARMS_BANDIT, kRead, kNone, GetBandit},
    Route{kPatch, MANYARMS_BANDIT, kAdmin, kJson, PatchBandit, true},
    Route{kDelete, MANYARMS_BANDIT, kAdmin, kNone, DeleteBandit, true},
    Route{kGet, "/v1", kRead, kNone, GetVersion},
    Route{kGet, "/v1/openapi.json", kOpen, kNone, GetOpenApi, false, true},
    Route{kGet, "/v1/live", kRead, kNone, GetLive},
    Route{kPost, "/v1/backup", kAdmin, kJson, PostBackup},
    Route{kGet, "/", kOpen, kNone, GetPage, false, true},
    Route{kGet, "/healthz", kOpen, kNone, GetHealth, false, true},
    Route{kGet, "/readyz", kOpen, kNone, GetReadiness, false, true},
    Route{kGet, "/metrics", kRead, kNone, GetMetrics},
};

#undef MANYARMS_BANDIT

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

}  // namespace manyarms::service
