#include <fmt/format.h>

#include "service/api/answers.h"
#include "service/api/call.h"
#include "service/api/routes.h"

namespace manyarms::service {
namespace {

http::Response Description(const ServedBandit& bandit, unsigned status) {
  JsonOutput json;
  WriteDescription(bandit, json);
  return JsonResponse(json, status);
}

}  // namespace

void ListBandits(const CallPointer& call) {
  call->query().End();
  JsonOutput json;
  json.Open('{').Name("bandits").Open('[');
  for (const auto& bandit : call->engine().Bandits()) {
    WriteDescription(*bandit, json);
  }
  json.Close(']').Close('}');
  call->SendJson(json);
}

void PutBandit(const CallPointer& call) {
  call->query().End();
  const Settings settings = ParseSettings(call->body());
  const Engine::Created created =
      call->engine().Create(call->argument(0), settings);
  call->SendWhenDurable(
      created.durable_at,
      Description(*created.bandit, created.is_new ? 201 : 200));
}

void GetBandit(const CallPointer& call) {
  call->query().End();
  call->Send(Description(call->bandit(), 200));
}

void PatchBandit(const CallPointer& call) {
  call->query().End();
  ServedBandit& bandit = call->bandit();
  const Sequence durable_at = bandit.Change([&](const Settings& present) {
    return ParseChanges(call->body(), present);
  });
  call->SendWhenDurable(durable_at, Description(bandit, 200));
}

void DeleteBandit(const CallPointer& call) {
  call->query().End();
  call->SendWhenDurable(call->engine().Delete(call->argument(0)),
                        {.status = 204, .content_type = {}});
}

}  // namespace manyarms::service
