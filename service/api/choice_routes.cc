#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "service/api/answers.h"
#include "service/api/call.h"
#include "service/api/http_error.h"
#include "service/api/requests.h"
#include "service/api/routes.h"

namespace manyarms::service {
namespace {

// Batches of up to this many choices are made on the connection's thread.
constexpr std::size_t kShortBatch = 8;
// Longer bodies are read by a worker.
constexpr std::size_t kShortBody = std::size_t{64} << 10;

std::vector<DecisionRow> Recalled(const ServedBandit& bandit,
                                  const ChoiceAnswer& answer) {
  std::vector<DecisionRow> rows = bandit.Recall(answer.first, answer.count);
  if (rows.empty()) {
    throw Refused(Refusal::kNotFound,
                  "the decisions of this event are not there any more");
  }
  return rows;
}

http::Response ChoiceResponse(const ChoiceRequest& request, bool repeated,
                              const std::vector<DecisionRow>& decisions) {
  JsonOutput json;
  WriteChoice(request, repeated, decisions, json);
  return JsonResponse(json);
}

void SendChosen(Call& call, Sequence durable_at, http::Response response) {
  if (call.core().options.durability == Durability::kRelaxed) {
    call.Send(std::move(response));
  } else {
    call.SendWhenDurable(durable_at, std::move(response));
  }
}

// A choice of a batch: its request with its answer, or why there is none.
struct Made {
  ChoiceRequest request;
  std::variant<ChoiceAnswer, Failure> answer;
};
using MadeBatch = std::vector<Made>;

Made Make(ServedBandit& bandit, std::variant<ChoiceRequest, Failure>&& wanted) {
  if (auto* failure = std::get_if<Failure>(&wanted)) {
    return {{}, std::move(*failure)};
  }
  Made made{std::move(std::get<ChoiceRequest>(wanted)), {}};
  try {
    made.answer = bandit.Choose(made.request);
  } catch (...) {
    made.answer = FailureOf(std::current_exception());
  }
  return made;
}

void WriteFailure(const Failure& failure, JsonOutput& json) {
  std::string text;
  AppendError(failure, text);
  json.Open('{').Name("error").Raw(text).Close('}');
}

void WriteMade(const ServedBandit& bandit, const Made& made, JsonOutput& json) {
  if (const auto* failure = std::get_if<Failure>(&made.answer)) {
    return WriteFailure(*failure, json);
  }
  const auto& answer = std::get<ChoiceAnswer>(made.answer);
  if (!answer.decisions.empty()) {
    return WriteChoice(made.request, answer.repeated, answer.decisions, json);
  }
  try {
    const std::vector<DecisionRow> rows = Recalled(bandit, answer);
    WriteChoice(made.request, true, rows, json);
  } catch (...) {
    WriteFailure(FailureOf(std::current_exception()), json);
  }
}

http::Response BatchResponse(const ServedBandit& bandit,
                             const MadeBatch& batch) {
  JsonOutput json;
  json.Open('{').Name("results").Open('[');
  for (const Made& made : batch) WriteMade(bandit, made, json);
  json.Close(']').Close('}');
  return JsonResponse(json);
}

void ChooseBatch(Call& call, Batch<ChoiceRequest> wanted) {
  ServedBandit& bandit = call.bandit();
  auto batch = std::make_shared<MadeBatch>();
  batch->reserve(wanted.size());
  Sequence durable_at = 0;
  bool recall = false;
  for (auto& one : wanted) {
    batch->push_back(Make(bandit, std::move(one)));
    if (const auto* answer = std::get_if<ChoiceAnswer>(&batch->back().answer)) {
      durable_at = std::max(durable_at, answer->durable_at);
      recall = recall || answer->decisions.empty();
    }
  }
  if (durable_at == 0) return call.Send(BatchResponse(bandit, *batch));
  if (!recall)
    return SendChosen(call, durable_at, BatchResponse(bandit, *batch));
  call.WhenDurable(durable_at, [batch](Call& self) {
    self.Send(BatchResponse(self.bandit(), *batch));
  });
}

Batch<ChoiceRequest> BatchOf(Call& call) {
  const ServiceOptions& options = call.core().options;
  Batch<ChoiceRequest> wanted = ParseChoices(call.body(), options.most_batch);
  const std::size_t most = options.most_batch_decisions;
  std::size_t decisions = 0;
  for (const auto& one : wanted) {
    const auto* request = std::get_if<ChoiceRequest>(&one);
    if (request == nullptr) continue;
    if (request->count > most - decisions) {
      throw HttpError(413, fmt::format("choices ask for more than {} decisions "
                                       "together, which is the most",
                                       most));
    }
    decisions += request->count;
  }
  return wanted;
}

bool IsShort(const ServedBandit& bandit, const Batch<ChoiceRequest>& wanted) {
  return wanted.size() <= kShortBatch &&
         std::ranges::all_of(wanted, [&](const auto& one) {
           const auto* request = std::get_if<ChoiceRequest>(&one);
           return request == nullptr || bandit.IsShort(*request);
         });
}

void Choose(Call& call, ChoiceRequest request) {
  ChoiceAnswer answer = call.bandit().Choose(request);
  if (!answer.decisions.empty()) {
    return SendChosen(
        call, answer.durable_at,
        ChoiceResponse(request, answer.repeated, answer.decisions));
  }
  const Sequence durable_at = answer.durable_at;
  call.WhenDurable(durable_at, [request = std::move(request),
                                answer = std::move(answer)](Call& self) {
    self.Send(ChoiceResponse(request, true, Recalled(self.bandit(), answer)));
  });
}

}  // namespace

void PostChoose(const CallPointer& call) {
  call->query().End();
  const ServedBandit& bandit = call->bandit();
  if (call->body().size() > kShortBody) {
    return call->OnWorker(
        [](Call& self) { Choose(self, ParseChoice(self.body())); });
  }
  ChoiceRequest request = ParseChoice(call->body());
  if (bandit.IsShort(request)) return Choose(*call, std::move(request));
  call->OnWorker(
      [request = std::move(request)](Call& self) { Choose(self, request); });
}

void PostChoices(const CallPointer& call) {
  call->query().End();
  const ServedBandit& bandit = call->bandit();
  if (call->body().size() > kShortBody) {
    return call->OnWorker([](Call& self) { ChooseBatch(self, BatchOf(self)); });
  }
  Batch<ChoiceRequest> wanted = BatchOf(*call);
  if (IsShort(bandit, wanted)) return ChooseBatch(*call, std::move(wanted));
  auto shared = std::make_shared<Batch<ChoiceRequest>>(std::move(wanted));
  call->OnWorker(
      [shared](Call& self) { ChooseBatch(self, std::move(*shared)); });
}

void GetDecision(const CallPointer& call) {
  call->query().End();
  const std::string& text = call->argument(1);
  Sequence decision = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), decision);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the decision is \"{}\", expected a whole number",
                            Shortened(text)));
  }
  Store& store = call->engine().store();
  const BanditNumber bandit = call->bandit().number();
  const std::vector<DecisionRow> rows =
      store.FindDecisions(bandit, decision, 1);
  if (rows.empty()) {
    throw Refused(Refusal::kNotFound,
                  fmt::format("there is no decision {}", decision));
  }
  JsonOutput json;
  WriteDecision(rows.front(), store.FindRewards(bandit, decision), json);
  call->SendJson(json);
}

}  // namespace manyarms::service
