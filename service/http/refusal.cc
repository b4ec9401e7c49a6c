#include "service/http/refusal.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "log/json_text.h"

namespace manyarms::http {

Refusal BadRequest(std::string message) {
  return {400, "bad_request", std::move(message)};
}

Refusal HeadTooLarge(std::size_t most) {
  return {431, "head_too_large",
          fmt::format("the head has more than {} bytes", most)};
}

Refusal TargetTooLong(std::size_t most) {
  return {414, "target_too_long",
          fmt::format("the target has more than {} bytes", most)};
}

Refusal BodyTooLarge(std::uint64_t most) {
  return {413, "too_large",
          fmt::format("the body has more than {} bytes", most)};
}

Refusal BodyTooLarge(std::uint64_t size, std::uint64_t most) {
  return {
      413, "too_large",
      fmt::format("the body has {} bytes, expected at most {}", size, most)};
}

Refusal NotImplemented(std::string message) {
  return {501, "not_implemented", std::move(message)};
}

Refusal TooSlow(const char* what, double seconds) {
  return {408, "timeout",
          fmt::format("{} took more than {} seconds", what, seconds)};
}

Refusal TooManyConnections(std::size_t most) {
  return {503, "unavailable",
          fmt::format("there are {} connections, which is the most", most)};
}

Refusal TooManyBodies(std::uint64_t most) {
  return {503, "unavailable",
          fmt::format("the bodies of all requests and answers have more than "
                      "{} bytes, which is the most",
                      most)};
}

Refusal Failed() {
  return {500, "internal", "the request could not be answered"};
}

Response ToResponse(const Refusal& refusal) {
  std::string body = fmt::format(R"({{"error":{{"status":{},"code":"{}",)",
                                 refusal.status, refusal.code);
  body += R"("message":)";
  AppendJson(std::string_view(refusal.message), body);
  body += "}}";
  Response response{.status = refusal.status, .body = std::move(body)};
  if (refusal.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace manyarms::http
