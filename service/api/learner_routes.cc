#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manyarms/error.h"
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

bool Knows(const ServedBandit& bandit, const std::string& learner) {
  try {
    bandit.FindLearner(learner);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnknownId) throw;
    return false;
  } catch (const Refused& refused) {
    if (refused.why() != Refusal::kNotFound) throw;
    return false;
  }
}

// The learner "" comes before all others, so that none is before it.
std::vector<std::string> LearnersAfter(const ServedBandit& bandit,
                                       const std::optional<std::string>& after,
                                       std::size_t most) {
  if (after || !Knows(bandit, "")) {
    return bandit.ListLearners(after.value_or(""), most);
  }
  std::vector<std::string> learners = bandit.ListLearners("", most);
  learners.insert(learners.begin(), "");
  if (learners.size() > most) learners.pop_back();
  return learners;
}

}  // namespace

void PostPredict(const CallPointer& call) {
  call->query().End();
  const ServedBandit& bandit = call->bandit();
  PredictionRequest request = ParsePrediction(call->body());
  const bool is_short = request.best == 0 && !request.rows &&
                        request.arms.size() <= kFewArms && bandit.IsFree();
  if (is_short) return Predict(*call, request);
  call->OnWorker(
      [request = std::move(request)](Call& self) { Predict(self, request); });
}

void ListLearners(const CallPointer& call) {
  const std::optional<std::string> after = call->query().Text("after");
  const std::uint64_t limit =
      call->query().Count("limit", kUsualPage, 1, kLongestPage);
  call->query().End();
  const std::vector<std::string> learners =
      LearnersAfter(call->bandit(), after, limit);
  JsonOutput json;
  json.Open('{').Field("learners", learners).Name("next");
  if (learners.size() == limit) {
    json.Value(learners.back());
  } else {
    json.Raw("null");
  }
  json.Close('}');
  call->SendJson(json);
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
