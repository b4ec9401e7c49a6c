#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <variant>

#include "service/api/answers.h"
#include "service/api/call.h"
#include "service/api/http_error.h"
#include "service/api/requests.h"
#include "service/api/routes.h"

namespace manyarms::service {
namespace {

void SendAnswer(Call& call, const RewardAnswer& answer) {
  JsonOutput json;
  WriteReward(answer, json);
  call.SendWhenDurable(answer.durable_at, JsonResponse(json));
}

}  // namespace

void PostReward(const CallPointer& call) {
  call->query().End();
  ServedBandit& bandit = call->bandit();
  SendAnswer(*call, bandit.Reward(ParseReward(call->body())));
}

void PostActivate(const CallPointer& call) {
  call->query().End();
  ServedBandit& bandit = call->bandit();
  const auto [decision, event] = ParseDecisionReference(call->body());
  SendAnswer(*call, bandit.Activate(decision, event));
}

void PostDismiss(const CallPointer& call) {
  call->query().End();
  ServedBandit& bandit = call->bandit();
  const auto [decision, event] = ParseDecisionReference(call->body());
  SendAnswer(*call, bandit.Dismiss(decision, event));
}

void PostRewards(const CallPointer& call) {
  call->query().End();
  ServedBandit& bandit = call->bandit();
  const Batch<RewardRequest> wanted =
      ParseRewards(call->body(), call->core().options.most_batch);
  Sequence durable_at = 0;
  JsonOutput json;
  json.Open('{').Name("results").Open('[');
  const auto write_failure = [&json](const Failure& failure) {
    std::string text;
    AppendError(failure, text);
    json.Open('{').Name("error").Raw(text).Close('}');
  };
  for (const auto& one : wanted) {
    if (const auto* failure = std::get_if<Failure>(&one)) {
      write_failure(*failure);
      continue;
    }
    try {
      const RewardAnswer answer = bandit.Reward(std::get<RewardRequest>(one));
      durable_at = std::max(durable_at, answer.durable_at);
      WriteReward(answer, json);
    } catch (...) {
      write_failure(FailureOf(std::current_exception()));
    }
  }
  json.Close(']').Close('}');
  if (durable_at == 0) return call->SendJson(json);
  call->SendWhenDurable(durable_at, JsonResponse(json));
}

void PostObserve(const CallPointer& call) {
  call->query().End();
  ServedBandit& bandit = call->bandit();
  Observation observation = ParseObservation(call->body());
  const Sequence durable_at = bandit.Observe(
      observation.learner, observation.arm, std::move(observation.features),
      std::move(observation.context), observation.reward);
  JsonOutput json;
  json.Open('{').Field("learned", true).Close('}');
  call->SendWhenDurable(durable_at, JsonResponse(json));
}

}  // namespace manyarms::service
