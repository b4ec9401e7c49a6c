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

// What comes for a decision that is not open waits for the disk, which the
// thread of a connection must not.
template <class Act>
void SoonIfOpen(const CallPointer& call, Sequence decision,
                const std::string& event, Act act) {
  if (call->bandit().IsOpen(decision, event)) {
    return SendAnswer(*call, act(call->bandit()));
  }
  call->OnWorker([act = std::move(act)](Call& self) {
    SendAnswer(self, act(self.bandit()));
  });
}

void LearnBatch(Call& call, Batch<RewardRequest> wanted) {
  ServedBandit& bandit = call.bandit();
  const Sequence as_of = call.engine().store().last_appended();
  Sequence durable_at = 0;
  JsonOutput json;
  json.Open('{').Name("results").Open('[');
  const auto write_failure = [&json](const Failure& failure) {
    std::string text;
    AppendError(failure, text);
    json.Open('{').Name("error").Raw(text).Close('}');
  };
  for (auto& one : wanted) {
    if (const auto* failure = std::get_if<Failure>(&one)) {
      write_failure(*failure);
      continue;
    }
    try {
      auto& request = std::get<RewardRequest>(one);
      request.as_of = as_of;
      const RewardAnswer answer = bandit.Reward(request);
      durable_at = std::max(durable_at, answer.durable_at);
      WriteReward(answer, json);
    } catch (...) {
      write_failure(FailureOf(std::current_exception()));
    }
  }
  json.Close(']').Close('}');
  if (durable_at == 0) return call.SendJson(json);
  call.SendWhenDurable(durable_at, JsonResponse(json));
}

void Observe(Call& call, Observation observation) {
  const RewardAnswer answer = call.bandit().Observe(
      observation.learner, observation.arm, std::move(observation.features),
      std::move(observation.context), observation.reward, observation.id);
  JsonOutput json;
  json.Open('{').Field("learned", answer.learned);
  if (!answer.learned) json.Field("reason", answer.reason);
  json.Close('}');
  call.SendWhenDurable(answer.durable_at, JsonResponse(json));
}

}  // namespace

void PostReward(const CallPointer& call) {
  call->query().End();
  call->bandit();
  RewardRequest request = ParseReward(call->body());
  SoonIfOpen(
      call, request.decision, request.event,
      [request](ServedBandit& bandit) { return bandit.Reward(request); });
}

void PostActivate(const CallPointer& call) {
  call->query().End();
  call->bandit();
  const DecisionReference at = ParseDecisionReference(call->body());
  SoonIfOpen(call, at.decision, at.event, [at](ServedBandit& bandit) {
    return bandit.Activate(at.decision, at.event);
  });
}

void PostDismiss(const CallPointer& call) {
  call->query().End();
  call->bandit();
  const DecisionReference at = ParseDecisionReference(call->body());
  SoonIfOpen(call, at.decision, at.event, [at](ServedBandit& bandit) {
    return bandit.Dismiss(at.decision, at.event);
  });
}

// Not on the thread of the connection: a decision that is rewarded twice is not
// open for the second reward.
void PostRewards(const CallPointer& call) {
  call->query().End();
  call->bandit();
  LearnBatch(*call,
             ParseRewards(call->body(), call->core().options.most_batch));
}

void PostObserve(const CallPointer& call) {
  call->query().End();
  const ServedBandit& bandit = call->bandit();
  Observation observation = ParseObservation(call->body());
  if (bandit.IsFree()) return Observe(*call, std::move(observation));
  call->OnWorker([observation = std::move(observation)](Call& self) {
    Observe(self, observation);
  });
}

}  // namespace manyarms::service
