#include "service/api/answers.h"
#include "service/api/call.h"
#include "service/api/routes.h"

namespace manyarms::service {

void ListSnapshots(const CallPointer& call) {
  call->query().End();
  call->bandit();
  call->OnWorker([](Call& self) {
    JsonOutput json;
    json.Open('{').Name("snapshots").Open('[');
    for (const SnapshotRow& snapshot : self.bandit().Snapshots()) {
      json.Open('{')
          .Field("name", snapshot.name)
          .Field("time", snapshot.time)
          .Field("arms", snapshot.arms)
          .Field("learners", snapshot.learners)
          .Close('}');
    }
    json.Close(']').Close('}');
    self.SendJson(json);
  });
}

void PutSnapshot(const CallPointer& call) {
  call->query().End();
  call->bandit();
  call->OnWorker([](Call& self) {
    const std::string& name = self.argument(1);
    const Sequence durable_at = self.bandit().TakeSnapshot(name);
    JsonOutput json;
    json.Open('{').Field("name", name).Close('}');
    self.SendWhenDurable(durable_at, JsonResponse(json, 201));
  });
}

void RestoreSnapshot(const CallPointer& call) {
  call->query().End();
  call->bandit();
  call->OnWorker([](Call& self) {
    ServedBandit& bandit = self.bandit();
    const Sequence durable_at = bandit.RestoreSnapshot(self.argument(1));
    JsonOutput json;
    WriteDescription(bandit, json);
    self.SendWhenDurable(durable_at, JsonResponse(json));
  });
}

void DeleteSnapshot(const CallPointer& call) {
  call->query().End();
  call->bandit();
  call->OnWorker([](Call& self) {
    self.SendWhenDurable(self.bandit().DeleteSnapshot(self.argument(1)),
                         {.status = 204, .content_type = {}});
  });
}

}  // namespace manyarms::service
