#include "service/api/call.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "manyarms/error.h"
#include "service/api/http_error.h"

namespace manyarms::service {
namespace {

constexpr std::string_view kBandit = "/v1/bandits/{bandit}";

// Whether the log says that it was done: changes of bandits and snapshots,
// which are rare, unlike those of arms.
bool IsNoted(const Route& route) {
  return route.changes &&
         (route.pattern == kBandit ||
          route.pattern.find("/snapshots/") != std::string_view::npos);
}

// Requests that came when there was room may have waited for their turn, and
// each of them may have a large answer. `own` is what this one's body takes.
void CheckMemory(const Core& core, std::uint64_t own) {
  const std::uint64_t most = core.options.server.most_body_bytes;
  if (core.server_stats().body_bytes < most + own) return;
  throw HttpError(503, fmt::format("the bodies of all requests and answers "
                                   "have more than {} bytes, which is the most",
                                   most));
}

}  // namespace

http::Response JsonResponse(JsonOutput& json, unsigned status) {
  http::Response response{.status = status};
  response.body = json.Take();
  return response;
}

Call::Call(Core& core, Match match, http::Request request, http::Reply reply)
    : core_(core),
      match_(std::move(match)),
      request_(std::move(request)),
      reply_(std::move(reply)) {}

std::string_view Call::body() const {
  const bool optional = match_.route->body == Body::kOptionalJson;
  if (optional && request_.body.empty()) return "{}";
  return request_.body;
}

Query& Call::query() {
  if (!query_) query_.emplace(request_.head.query);
  return *query_;
}

ServedBandit& Call::bandit() {
  if (!bandit_) bandit_ = engine().At(argument(0));
  return *bandit_;
}

ArmName Call::arm() {
  const std::string& text = argument(1);
  if (bandit().named_arms()) return text;
  ArmId number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the arm is \"{}\", expected a whole number from "
                            "0 to 2^64 - 1",
                            Shortened(text)));
  }
  return number;
}

void Call::Done(unsigned status, const std::string& failure) {
  answered_ = true;
  const std::chrono::duration<double> seconds = Clock::now() - begun_;
  const std::string bandit =
      match_.route->pattern.starts_with(kBandit) ? argument(0) : std::string();
  core_.Answered(match_.index, status, seconds.count(), failure, bandit);
  if (status < 300 && IsNoted(*match_.route)) {
    core_.log.Write("changed", [&](JsonOutput& line) {
      line.Field("route", match_.route->short_name()).Field("bandit", bandit);
      if (match_.arguments.size() > 1) line.Field("name", argument(1));
    });
  }
}

void Call::Send(http::Response response) {
  Done(response.status, "");
  reply_.Send(std::move(response));
}

void Call::SendJson(JsonOutput& json, unsigned status) {
  Send(JsonResponse(json, status));
}

void Call::Fail(const std::exception_ptr& error) {
  if (answered_) return;
  const Failure failure = FailureOf(error);
  Done(failure.status, failure.ForLog());
  if (!begun_answer_) {
    reply_.Send(ErrorResponse(failure));
    return;
  }
  std::string line = R"({"stage":"failed","error":)";
  AppendError(failure, line);
  reply_.Piece(line + "}\n");
  reply_.End();
}

void Call::Begin(const std::string& content_type) {
  begun_answer_ = true;
  reply_.Begin(200, content_type);
}

bool Call::Piece(std::string piece) { return reply_.Piece(std::move(piece)); }

void Call::End() {
  Done(200, "");
  reply_.End();
}

void Call::OnWorker(std::function<void(Call&)> handle) {
  GoOnOnWorker([handle = std::move(handle)](Call& self) {
    CheckMemory(self.core_, self.request_.body.size());
    handle(self);
  });
}

void Call::GoOnOnWorker(std::function<void(Call&)> handle) {
  const bool is_long = match_.route->threads == Threads::kLong;
  core_.OnWorker([self = shared_from_this(),
                  handle = std::move(handle)] { self->Guarded(handle); },
                 is_long ? http::Pool::kLong : http::Pool::kShort);
}

void Call::FailForStore() const {
  throw HttpError(503, kCannotWrite, core_.store->failure());
}

void Call::SendWhenDurable(Sequence change, http::Response response) {
  auto shared = std::make_shared<http::Response>(std::move(response));
  core_.store->WhenDurable(change,
                           [self = shared_from_this(), shared](bool durable) {
                             self->Guarded([&](Call& call) {
                               if (!durable) call.FailForStore();
                               call.Send(std::move(*shared));
                             });
                           });
}

void Call::WhenDurable(Sequence change, std::function<void(Call&)> handle) {
  core_.store->WhenDurable(change, [self = shared_from_this(),
                                    handle = std::move(handle)](bool durable) {
    self->Guarded([&](Call& call) {
      if (!durable) call.FailForStore();
      call.GoOnOnWorker(handle);
    });
  });
}

}  // namespace manyarms::service
