#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "service/api/answers.h"
#include "service/api/arms_sink.h"
#include "service/api/call.h"
#include "service/api/http_error.h"
#include "service/api/requests.h"
#include "service/api/routes.h"

namespace manyarms::service {
namespace {

constexpr std::uint64_t kUsualPage = 100;
constexpr std::uint64_t kLongestPage = 10'000;
// Longer answers are sent in pieces of about this many bytes.
constexpr std::size_t kPiece = 256 << 10;

void SendArms(Call& call, const ServedBandit::Page& page) {
  JsonOutput json;
  json.Open('{').Name("arms").Open('[');
  bool streamed = false;
  for (const ArmInfo& arm : page.arms) {
    WriteArm(arm, json);
    if (json.size() < kPiece) continue;
    if (!streamed) call.Begin("application/json");
    streamed = true;
    if (!call.Piece(json.Take())) return call.End();
  }
  json.Close(']').Field("next", page.next).Close('}');
  if (!streamed) return call.SendJson(json);
  call.Piece(json.Take());
  call.End();
}

void WriteResult(const ServedBandit::PutResult& result,
                 const ServedBandit& bandit, JsonOutput& json) {
  json.Field("added", result.added)
      .Field("changed", result.changed)
      .Field("arms", std::uint64_t{bandit.arms()});
}

void SendStage(Call& call, const char* stage, std::uint64_t arms) {
  JsonOutput json;
  json.Open('{').Field("stage", stage).Field("arms", arms).Close('}');
  call.Piece(json.Take() + '\n');
}

// What is thrown after Begin becomes the last line.
void PutWithProgress(Call& call, std::vector<ArmInfo> arms, bool only_new) {
  ServedBandit& bandit = call.bandit();
  call.Begin("application/x-ndjson");
  SendStage(call, "received", arms.size());
  const ServedBandit::PutResult result =
      bandit.PutArms(std::move(arms), only_new);
  SendStage(call, "added", result.added + result.changed);
  call.core().store->Wait(result.durable_at);
  JsonOutput json;
  json.Open('{').Field("stage", "done");
  WriteResult(result, bandit, json);
  call.Piece(json.Close('}').Take() + '\n');
  call.End();
}

void Put(Call& call, std::vector<ArmInfo> arms, bool only_new) {
  ServedBandit& bandit = call.bandit();
  const ServedBandit::PutResult result =
      bandit.PutArms(std::move(arms), only_new);
  JsonOutput json;
  json.Open('{');
  WriteResult(result, bandit, json);
  json.Close('}');
  call.SendWhenDurable(result.durable_at, JsonResponse(json));
}

}  // namespace

void ListArms(const CallPointer& call) {
  const std::uint64_t from =
      call->query().Count("from", 0, 0, ~std::uint64_t{0});
  const std::uint64_t limit =
      call->query().Count("limit", kUsualPage, 1, kLongestPage);
  call->query().End();
  call->bandit();
  call->OnWorker([from, limit](Call& self) {
    SendArms(self, self.bandit().ListArms(from, limit));
  });
}

void PostArms(const CallPointer& call) {
  const PutMode mode = PutModeOf(call->query());
  call->bandit();
  call->OnWorker([mode](Call& self) {
    std::vector<ArmInfo> arms;
    if (auto* sink = dynamic_cast<ArmsSink*>(self.sink())) {
      arms = sink->Release();
    } else {
      arms = ParseArms(self.body());
    }
    if (mode.progress) {
      PutWithProgress(self, std::move(arms), mode.only_new);
    } else {
      Put(self, std::move(arms), mode.only_new);
    }
  });
}

void PostRemoveArms(const CallPointer& call) {
  call->query().End();
  call->bandit();
  call->OnWorker([](Call& self) {
    ServedBandit& bandit = self.bandit();
    const std::vector<ArmName> arms = ParseArmNames(self.body());
    const Sequence durable_at = bandit.RemoveArms(arms);
    JsonOutput json;
    json.Open('{')
        .Field("removed", std::uint64_t{arms.size()})
        .Field("arms", std::uint64_t{bandit.arms()})
        .Close('}');
    self.SendWhenDurable(durable_at, JsonResponse(json));
  });
}

void GetArm(const CallPointer& call) {
  call->query().End();
  JsonOutput json;
  WriteArm(call->bandit().FindArm(call->arm()), json);
  call->SendJson(json);
}

void PutArm(const CallPointer& call) {
  call->query().End();
  ServedBandit& bandit = call->bandit();
  ArmInfo arm = ParseArmOf(call->arm(), call->body());
  const ServedBandit::PutResult result = bandit.PutArms({arm}, false);
  JsonOutput json;
  WriteArm(arm, json);
  call->SendWhenDurable(result.durable_at,
                        JsonResponse(json, result.added > 0 ? 201 : 200));
}

void DeleteArm(const CallPointer& call) {
  call->query().End();
  const Sequence durable_at = call->bandit().RemoveArms({call->arm()});
  call->SendWhenDurable(durable_at, {.status = 204, .content_type = {}});
}

void GetTags(const CallPointer& call) {
  call->query().End();
  JsonOutput json;
  json.Open('{').Name("tags").Open('[');
  for (const auto& [tag, arms] : call->bandit().Tags()) {
    json.Open('{').Field("tag", tag).Field("arms", arms).Close('}');
  }
  json.Close(']').Close('}');
  call->SendJson(json);
}

}  // namespace manyarms::service
