#include "service/load/service_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manyarms/error.h"

namespace manyarms::load {

std::string BanditPath(const std::string& bandit) {
  std::string path = "/v1/bandits/";
  for (const char c : bandit) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                       c == '.';
    path += plain ? std::string(1, c)
                  : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return path;
}

std::string ReasonOf(const Answer& answer) {
  const auto json = nlohmann::json::parse(answer.body, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_object() &&
      json["error"].contains("message") &&
      json["error"]["message"].is_string()) {
    return json["error"]["message"].get<std::string>();
  }
  constexpr std::size_t kMostBytes = 200;
  return answer.body.substr(0, kMostBytes);
}

void Expect(const Answer& answer, std::initializer_list<unsigned> statuses,
            const std::string& what) {
  if (std::ranges::find(statuses, answer.status) != statuses.end()) return;
  throw Error(ErrorCode::kIo,
              fmt::format("{}: the service answers {}: {}", what, answer.status,
                          ReasonOf(answer)));
}

}  // namespace manyarms::load
