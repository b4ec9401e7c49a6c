#include "service/engine/names.h"

#include <fmt/format.h>

#include <variant>

#include "base/utf8.h"
#include "log/json_text.h"
#include "manyarms/error.h"

namespace manyarms::service {

void CheckText(std::string_view field, std::string_view text,
               std::size_t most) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} {}", field, why));
  };
  if (text.size() > most) {
    refuse(fmt::format("is {} bytes long, at most {} are allowed", text.size(),
                       most));
  }
  if (Utf8PrefixLength(text) != text.size()) refuse("is not UTF-8");
  if (text.find('\0') != std::string_view::npos) {
    refuse("contains a zero byte");
  }
}

void CheckName(std::string_view field, std::string_view text,
               std::size_t most) {
  CheckText(field, text, most);
  if (text.empty()) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} is empty", field));
  }
}

std::string Quoted(std::string_view text) {
  if (Utf8PrefixLength(text) != text.size()) return "(not UTF-8)";
  std::string json;
  AppendJson(text, json);
  return json;
}

std::string ToString(const ArmName& arm) {
  if (const auto* number = std::get_if<ArmId>(&arm)) {
    return fmt::format("{}", *number);
  }
  return Quoted(std::get<std::string>(arm));
}

}  // namespace manyarms::service
