#ifndef MANYARMS_SERVICE_API_SCHEMA_H_
#define MANYARMS_SERVICE_API_SCHEMA_H_

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

/// For tests: whether JSON is what a schema of the OpenAPI document says. It
/// knows as much of JSON Schema as the document uses, and fails for the rest.
namespace manyarms::service {

class Schema {
 public:
  using Json = nlohmann::json;

  explicit Schema(const Json& document) : document_(document) {}

  /// What a $ref points to; anything else as it is. Throws for one that points
  /// to nothing.
  const Json& Resolved(const Json& value) const {
    const Json* resolved = &value;
    while (resolved->contains("$ref")) {
      const std::string reference = resolved->at("$ref");
      resolved = &document_.at(Json::json_pointer(reference.substr(1)));
    }
    return *resolved;
  }

  /// Why the value is not what the schema says, or nothing.
  std::string Flaw(const Json& value, const Json& schema,
                   const std::string& place = "") const {
    if (schema.contains("$ref")) return Flaw(value, Resolved(schema), place);
    for (const auto& [keyword, rest] : schema.items()) {
      if (!IsKnown(keyword))
        return fmt::format("{}: unknown keyword {}", place, keyword);
    }
    if (schema.contains("oneOf")) {
      std::string flaw = FlawOfChoice(value, schema.at("oneOf"), place);
      if (!flaw.empty()) return flaw;
    }
    if (!HasType(value, schema)) {
      return place + " is " + value.dump() + ", not of type " +
             schema.at("type").dump();
    }
    if (schema.contains("enum") && !Contains(schema.at("enum"), value)) {
      return place + " is " + value.dump();
    }
    if (std::string flaw = FlawOfNumber(value, schema, place); !flaw.empty()) {
      return flaw;
    }
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        std::string flaw = Flaw(value[i], schema.at("items"),
                                place + "[" + std::to_string(i) + "]");
        if (!flaw.empty()) return flaw;
      }
    }
    return value.is_object() ? FlawOfObject(value, schema, place) : "";
  }

 private:
  static bool IsKnown(const std::string& keyword) {
    static const Json known = {"type",
                               "description",
                               "properties",
                               "required",
                               "additionalProperties",
                               "items",
                               "oneOf",
                               "enum",
                               "minimum",
                               "maximum",
                               "exclusiveMinimum",
                               "default",
                               "minLength",
                               "maxLength",
                               "maxItems",
                               "minItems",
                               "exclusiveMaximum",
                               "pattern"};
    return Contains(known, keyword);
  }

  static bool Contains(const Json& values, const Json& value) {
    return std::ranges::find(values, value) != values.end();
  }

  static bool IsOf(const Json& value, const std::string& type) {
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
  }

  static bool HasType(const Json& value, const Json& schema) {
    if (!schema.contains("type")) return true;
    const Json& types = schema.at("type");
    if (types.is_string()) return IsOf(value, types);
    return std::ranges::any_of(
        types, [&](const Json& type) { return IsOf(value, type); });
  }

  static std::string FlawOfNumber(const Json& value, const Json& schema,
                                  const std::string& place) {
    if (!value.is_number()) return "";
    const bool low = schema.contains("minimum") && value < schema["minimum"];
    const bool high = schema.contains("maximum") && value > schema["maximum"];
    return low || high ? place + " is " + value.dump() : "";
  }

  std::string FlawOfChoice(const Json& value, const Json& schemas,
                           const std::string& place) const {
    int fitting = 0;
    std::string flaws;
    for (const Json& schema : schemas) {
      const std::string flaw = Flaw(value, schema, place);
      if (flaw.empty()) ++fitting;
      flaws += flaw + "; ";
    }
    return fitting == 1 ? "" : place + " fits not one of several: " + flaws;
  }

  std::string FlawOfObject(const Json& value, const Json& schema,
                           const std::string& place) const {
    for (const Json& name : schema.value("required", Json::array())) {
      if (!value.contains(name)) return place + " lacks " + name.dump();
    }
    if (!schema.contains("properties")) return "";
    for (const auto& [name, field] : value.items()) {
      if (schema.at("properties").contains(name)) {
        std::string flaw = Flaw(field, schema.at("properties").at(name),
                                fmt::format("{}.{}", place, name));
        if (!flaw.empty()) return flaw;
      } else if (!schema.value("additionalProperties", true)) {
        return fmt::format("{} has {}", place, name);
      }
    }
    return "";
  }

  const Json& document_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_SCHEMA_H_
