#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
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
// A page ends early when it has this many bytes. It is one answer: a worker
// must not wait for a client that does not read.
constexpr std::size_t kFullPage = std::size_t{4} << 20;
// The number of arms that are in memory beside the page.
constexpr std::uint64_t kArmsAtOnce = 16;

void SendArms(Call& call, std::uint64_t from, std::uint64_t limit) {
  const ServedBandit& bandit = call.bandit();
  JsonOutput json;
  json.Open('{').Name("arms").Open('[');
  std::optional<std::uint64_t> next = from;
  while (next && limit > 0 && json.size() < kFullPage) {
    const std::uint64_t most = std::min(limit, kArmsAtOnce);
    const ServedBandit::Page page = bandit.ListArms(*next, most);
    for (const ArmInfo& arm : page.arms) WriteArm(arm, json);
    limit -= page.arms.size();
    next = page.next;
  }
  json.Close(']').Field("next", next).Close('}');
  call.SendJson(json);
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
  SendArms(*call, from, limit);
}

void PostArms(const CallPointer& call) {
  const PutMode mode = PutModeOf(call->query());
  call->bandit();
  std::vector<ArmInfo> arms;
  if (auto* sink = dynamic_cast<ArmsSink*>(call->sink())) {
    arms = sink->Release();
  } else {
    arms = ParseArms(call->body());
  }
  if (mode.progress) {
    PutWithProgress(*call, std::move(arms), mode.only_new);
  } else {
    Put(*call, std::move(arms), mode.only_new);
  }
}

void PostRemoveArms(const CallPointer& call) {
  call->query().End();
  ServedBandit& bandit = call->bandit();
  const std::vector<ArmName> arms = ParseArmNames(call->body());
  const Sequence durable_at = bandit.RemoveArms(arms);
  JsonOutput json;
  json.Open('{')
      .Field("removed", std::uint64_t{arms.size()})
      .Field("arms", std::uint64_t{bandit.arms()})
      .Close('}');
  call->SendWhenDurable(durable_at, JsonResponse(json));
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
