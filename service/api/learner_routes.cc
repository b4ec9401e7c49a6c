#include <cstdint>
#include <memory>
#include <utility>

#include "service/api/answers.h"
#include "service/api/call.h"
#include "service/api/requests.h"
#include "service/api/routes.h"

namespace manyarms::service {
namespace {

constexpr std::uint64_t kUsualPage = 1'000;
constexpr std::uint64_t kLongestPage = 100'000;
// What is asked of more arms, or of all of them, takes its time.
constexpr std::size_t kFewArms = 100;

void Predict(Call& call, const PredictionRequest& request) {
  const ServedBandit& bandit = call.bandit();
  JsonOutput json;
  json.Open('{');
  if (request.rows) {
    json.Field("expected",
               bandit.PredictFeatures(request.learner, *request.rows,
                                      request.context));
  } else {
    json.Name("arms").Open('[');
    for (const ArmView& arm : bandit.Predict(request.learner, request.arms,
                                             request.best, request.context)) {
      json.Open('{')
          .Field("arm", arm.arm)
          .Field("expected", arm.expected)
          .Field("uncertainty", arm.uncertainty)
          .Close('}');
    }
    json.Close(']');
  }
  json.Close('}');
  call.SendJson(json);
}

}  // namespace

void PostPredict(const CallPointer& call) {
  call->query().End();
  call->bandit();
  PredictionRequest request = ParsePrediction(call->body());
  if (request.best == 0 && !request.rows && request.arms.size() <= kFewArms) {
    return Predict(*call, request);
  }
  call->OnWorker(
      [request = std::move(request)](Call& self) { Predict(self, request); });
}

void ListLearners(const CallPointer& call) {
  const std::string after = call->query().Text("after").value_or("");
  const std::uint64_t limit =
      call->query().Count("limit", kUsualPage, 1, kLongestPage);
  call->query().End();
  call->bandit();
  call->OnWorker([after, limit](Call& self) {
    const std::vector<std::string> learners =
        self.bandit().ListLearners(after, limit);
    JsonOutput json;
    json.Open('{').Field("learners", learners).Name("next");
    if (learners.size() == limit) {
      json.Value(learners.back());
    } else {
      json.Raw("null");
    }
    json.Close('}');
    self.SendJson(json);
  });
}

void GetLearner(const CallPointer& call) {
  call->query().End();
  const std::string& learner = call->argument(1);
  const LearnerView view = call->bandit().FindLearner(learner);
  JsonOutput json;
  json.Open('{')
      .Field("learner", learner)
      .Field("choices", view.info.choices)
      .Field("rewards", view.info.rewards)
      .Field("pending", std::uint64_t{view.info.pending})
      .Field("open", view.open)
      .Close('}');
  call->SendJson(json);
}

void DeleteLearner(const CallPointer& call) {
  call->query().End();
  const Sequence durable_at = call->bandit().ForgetLearner(call->argument(1));
  call->SendWhenDurable(durable_at, {.status = 204, .content_type = {}});
}

}  // namespace manyarms::service
