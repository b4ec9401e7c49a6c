#include "service/api/gate.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "service/api/arms_sink.h"
#include "service/api/call.h"
#include "service/api/http_error.h"

namespace manyarms::service {
namespace {

// Bodies of routes that take none; they must be empty.
constexpr std::uint64_t kMostUnwanted = 0;

enum class Media { kNone, kJson, kJsonLines, kNpy, kOther };

bool SameWord(std::string_view given, std::string_view lower_case) {
  return std::ranges::equal(given, lower_case, [](char c, char wanted) {
    return (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == wanted;
  });
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// The only parameter that a media type may have is charset=utf-8.
Media MediaOf(std::string_view content_type) {
  if (content_type.empty()) return Media::kNone;
  const std::size_t end = std::min(content_type.find(';'), content_type.size());
  const std::string_view type = Trimmed(content_type.substr(0, end));
  const std::string_view parameter =
      Trimmed(content_type.substr(std::min(end + 1, content_type.size())));
  if (!parameter.empty() && !SameWord(parameter, "charset=utf-8") &&
      !SameWord(parameter, "charset=\"utf-8\"")) {
    return Media::kOther;
  }
  if (SameWord(type, "application/json")) return Media::kJson;
  if (SameWord(type, "application/x-ndjson")) return Media::kJsonLines;
  if (SameWord(type, "application/x-npy")) return Media::kNpy;
  return Media::kOther;
}

[[noreturn]] void FailMedia(const char* expected) {
  throw HttpError(
      415, fmt::format("the Content-Type of the body must be {}", expected));
}

// A body that is compressed would be read as if it were not.
void CheckEncoding(const http::Head& head) {
  if (!head.has_body || head.content_encoding.empty() ||
      SameWord(head.content_encoding, "identity")) {
    return;
  }
  throw HttpError(415, fmt::format("the Content-Encoding of the body is {}, "
                                   "must be identity",
                                   Shortened(head.content_encoding)));
}

void CheckToken(const Core& core, const Route& route, const http::Head& head) {
  const std::shared_ptr<const Tokens> tokens = core.tokens();
  if (tokens->empty()) {
    if (!route.always && head.forwarded) {
      throw HttpError(403,
                      "a proxy passed this on, behind which anybody may be: "
                      "that needs tokens");
    }
    if (!route.always && !IsLocalRequest(head.host, head.origin)) {
      throw HttpError(403,
                      "without tokens only requests to localhost or 127.0.0.1 "
                      "are answered, and none of pages of another origin");
    }
    return;
  }
  if (route.role == Role::kOpen) return;
  const std::optional<Role> role = tokens->RoleOf(head.authorization);
  if (!role) {
    throw HttpError(401, head.authorization.empty()
                             ? "a token is missing: Authorization: Bearer ..."
                             : "the token is not known");
  }
  if (*role < route.role) {
    throw HttpError(403, fmt::format("the token has the role {}, and this "
                                     "needs {}",
                                     RoleName(*role), RoleName(route.role)));
  }
}

void CheckState(const Core& core, const Route& route) {
  if (route.always) return;
  if (core.phase == Phase::kStarting) {
    throw HttpError(503, "the service starts: the store is being read");
  }
  if (core.phase == Phase::kStopping) {
    throw HttpError(503, "the service stops");
  }
  if (!route.changes) return;
  if (const std::string reason = core.store->failure(); !reason.empty()) {
    throw HttpError(503, kCannotWrite, reason);
  }
  if (core.store->congested()) {
    throw HttpError(503, "too many changes wait for the store");
  }
}

http::Admission AdmitArms(Core& core, const Match& match,
                          const http::Head& head) {
  const Media media = MediaOf(head.content_type);
  if (media == Media::kJson) return {.most_body = core.options.most_body};
  if (media != Media::kJsonLines && media != Media::kNpy) {
    FailMedia("application/json, application/x-ndjson or application/x-npy");
  }
  Query query(head.query);
  PutModeOf(query);
  const auto form =
      media == Media::kNpy ? ArmsSink::Form::kNpy : ArmsSink::Form::kJsonLines;
  return {.most_body = core.options.most_arms_body,
          .sink = std::make_unique<ArmsSink>(
              core, match.index, core.engine->At(match.arguments[0]), form)};
}

http::Admission AdmitBody(Core& core, const Match& match,
                          const http::Head& head) {
  if (match.route->body == Body::kNone) {
    return {.most_body = kMostUnwanted, .always = match.route->always};
  }
  CheckEncoding(head);
  switch (match.route->body) {
    case Body::kNone:
      break;
    case Body::kOptionalJson:
      if (!head.has_body) return {};
      [[fallthrough]];
    case Body::kJson:
      if (MediaOf(head.content_type) != Media::kJson) {
        FailMedia("application/json");
      }
      return {.most_body = core.options.most_body};
    case Body::kArms:
      return AdmitArms(core, match, head);
  }
  return {};
}

http::Admission Admit(Core& core, const Match& match, const http::Head& head) {
  if (match.route == nullptr) {
    if (match.allow.empty()) throw HttpError(404, "there is no such path");
    throw HttpError(405, "this path does not have this method");
  }
  CheckToken(core, *match.route, head);
  CheckState(core, *match.route);
  return AdmitBody(core, match, head);
}

// Of "localhost:7420", "127.0.0.1" or "[::1]:7420".
std::string_view WithoutPort(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == host.npos ? std::string_view() : host.substr(1, end - 1);
  }
  return host.substr(0, host.rfind(':'));
}

}  // namespace

bool IsLoopback(std::string_view address) {
  if (SameWord(address, "localhost")) return true;
  const std::string text(address);
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) {
    return ntohl(four.s_addr) >> 24U == 127U;
  }
  in6_addr six{};
  return inet_pton(AF_INET6, text.c_str(), &six) == 1 &&
         std::equal(std::begin(six.s6_addr), std::end(six.s6_addr),
                    std::begin(in6addr_loopback.s6_addr));
}

bool IsLocalRequest(std::string_view host, std::string_view origin) {
  if (!IsLoopback(WithoutPort(host))) return false;
  if (origin.empty()) return true;
  const std::size_t scheme = origin.find("://");
  return scheme != origin.npos && origin.substr(scheme + 3) == host;
}

std::variant<http::Admission, http::Response> AdmitRequest(
    Core& core, const http::Head& head) {
  Match match;
  match.index = Routes().size();
  try {
    match = FindRoute(head.method, head.path);
    return Admit(core, match, head);
  } catch (...) {
    const Failure failure = FailureOf(std::current_exception());
    const std::size_t index = match.route ? match.index : Routes().size();
    core.Answered(index, failure.status, 0, failure.ForLog());
    http::Response response = ErrorResponse(failure);
    if (failure.status == 405) {
      response.headers.emplace_back("Allow", match.allow);
    }
    return response;
  }
}

void Dispatch(Core& core, http::Request request, http::Reply reply) {
  Match match = FindRoute(request.head.method, request.head.path);
  const Route& route = *match.route;
  const auto call = std::make_shared<Call>(
      core, std::move(match), std::move(request), std::move(reply));
  const auto handle = [handle = route.handle](Call& self) {
    handle(self.shared_from_this());
  };
  call->Guarded([&](Call& self) {
    if (route.threads == Threads::kConnection) return handle(self);
    self.OnWorker(handle);
  });
}

}  // namespace manyarms::service
