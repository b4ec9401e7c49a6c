#ifndef MANYARMS_SERVICE_API_JSON_OUTPUT_H_
#define MANYARMS_SERVICE_API_JSON_OUTPUT_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "service/engine/arm_info.h"

namespace manyarms::service {

/// Writes JSON value by value. It puts the commas; the caller sees to it that
/// what is opened is closed. Numbers that are not finite become null.
/// REQUIRES: texts are UTF-8.
class JsonOutput {
 public:
  JsonOutput& Open(char bracket);
  JsonOutput& Close(char bracket);
  JsonOutput& Name(std::string_view name);

  JsonOutput& Value(double value);
  JsonOutput& Value(std::uint64_t value);
  template <std::same_as<bool> Bool>
  JsonOutput& Value(Bool value) {
    return Raw(value ? "true" : "false");
  }
  JsonOutput& Value(std::string_view text);
  JsonOutput& Value(const std::string& text) {
    return Value(std::string_view(text));
  }
  JsonOutput& Value(const char* text) { return Value(std::string_view(text)); }
  JsonOutput& Value(std::span<const float> values);
  JsonOutput& Value(const std::vector<float>& values) {
    return Value(std::span<const float>(values));
  }
  JsonOutput& Value(const ArmName& arm);
  template <class Element>
  JsonOutput& Value(const std::vector<Element>& values) {
    Open('[');
    for (const Element& value : values) Value(value);
    return Close(']');
  }
  /// null if there is none
  template <class Held>
  JsonOutput& Value(const std::optional<Held>& value) {
    return value ? Value(*value) : Raw("null");
  }
  /// A text that is JSON already.
  JsonOutput& Raw(std::string_view json);

  template <class Any>
  JsonOutput& Field(std::string_view name, const Any& value) {
    Name(name);
    return Value(value);
  }

  std::size_t size() const { return text_.size(); }
  std::string Take() { return std::exchange(text_, {}); }

 private:
  void Comma();

  std::string text_;
  bool first_ = true;  // whether nothing stands before the next value
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_JSON_OUTPUT_H_
