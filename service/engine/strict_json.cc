#include "service/engine/strict_json.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "log/json_scanner.h"
#include "manyarms/error.h"

namespace manyarms::service {
namespace {

constexpr int kMostDepth = 16;

[[noreturn]] void FailCorrupt(const std::string& message) {
  throw Error(ErrorCode::kCorrupt, message);
}

// The parser of JSON trees takes a byte order mark for nothing, and a byte 0
// for the end of the text.
void CheckIsJson(std::string_view text) {
  JsonScanner scanner(text);
  try {
    scanner.Skip();
    scanner.End();
  } catch (const Error& error) {
    FailCorrupt(fmt::format("this is not JSON: {}", error.what()));
  }
}

}  // namespace

Json ParseObject(std::string_view text) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&keys](int depth, Json::parse_event_t event,
                             Json& value) {
    if (depth > kMostDepth) FailCorrupt("values are nested too deep");
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key &&
               !keys.back().insert(value.get<std::string>()).second) {
      FailCorrupt(fmt::format("the field {} is there twice", value.dump()));
    }
    return true;
  };
  CheckIsJson(text);
  Json object;
  try {
    object = Json::parse(text, watch);
  } catch (const Json::exception& error) {
    // The reason may quote bytes that are not UTF-8.
    const std::string_view why(error.what());
    FailCorrupt(fmt::format("this is not JSON: {}",
                            why.substr(0, Utf8PrefixLength(why))));
  }
  if (!object.is_object()) FailCorrupt("expected an object");
  return object;
}

std::optional<Json> FieldTaker::Any(const std::string& name) {
  const auto found = object_.find(name);
  if (found == object_.end()) return std::nullopt;
  Json value = std::move(*found);
  object_.erase(found);
  if (value.is_null()) return std::nullopt;
  return value;
}

std::optional<double> FieldTaker::Number(const std::string& name) {
  const std::optional<Json> value = Any(name);
  if (!value) return std::nullopt;
  if (!value->is_number()) Refuse(name, *value, "a number");
  return value->get<double>();
}

std::optional<std::uint64_t> FieldTaker::Count(const std::string& name) {
  const std::optional<Json> value = Any(name);
  if (!value) return std::nullopt;
  if (!value->is_number_unsigned()) {
    Refuse(name, *value, "a whole number from 0 on");
  }
  return value->get<std::uint64_t>();
}

std::optional<bool> FieldTaker::Truth(const std::string& name) {
  const std::optional<Json> value = Any(name);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) Refuse(name, *value, "true or false");
  return value->get<bool>();
}

std::optional<std::string> FieldTaker::Text(const std::string& name) {
  const std::optional<Json> value = Any(name);
  if (!value) return std::nullopt;
  if (!value->is_string()) Refuse(name, *value, "a text");
  return value->get<std::string>();
}

void FieldTaker::End() const {
  if (object_.empty()) return;
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("there is no field {}", Json(object_.begin().key()).dump()));
}

void FieldTaker::Refuse(const std::string& name, const Json& value,
                        const std::string& expected) {
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("{} is {}, expected {}", name, value.dump(), expected));
}

}  // namespace manyarms::service
