#include "service/api/answers.h"
#include "service/api/call.h"
#include "service/api/routes.h"

namespace manyarms::service {

void ListSnapshots(const CallPointer& call) {
  call->query().End();
  JsonOutput json;
  json.Open('{').Name("snapshots").Open('[');
  for (const SnapshotRow& snapshot : call->bandit().Snapshots()) {
    json.Open('{')
        .Field("name", snapshot.name)
        .Field("time", snapshot.time)
        .Field("arms", snapshot.arms)
        .Field("learners", snapshot.learners)
        .Close('}');
  }
  json.Close(']').Close('}');
  call->SendJson(json);
}

void PutSnapshot(const CallPointer& call) {
  call->query().End();
  const std::string& name = call->argument(1);
  const Sequence durable_at = call->bandit().TakeSnapshot(name);
  JsonOutput json;
  json.Open('{').Field("name", name).Close('}');
  call->SendWhenDurable(durable_at, JsonResponse(json, 201));
}

void RestoreSnapshot(const CallPointer& call) {
  call->query().End();
  ServedBandit& bandit = call->bandit();
  const Sequence durable_at = bandit.RestoreSnapshot(call->argument(1));
  JsonOutput json;
  WriteDescription(bandit, json);
  call->SendWhenDurable(durable_at, JsonResponse(json));
}

void DeleteSnapshot(const CallPointer& call) {
  call->query().End();
  call->SendWhenDurable(call->bandit().DeleteSnapshot(call->argument(1)),
                        {.status = 204, .content_type = {}});
}

}  // namespace manyarms::service
