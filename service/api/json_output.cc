#include "service/api/json_output.h"

#include <cmath>

#include "log/json_text.h"

namespace manyarms::service {

void JsonOutput::Comma() {
  if (!first_) text_ += ',';
  first_ = false;
}

JsonOutput& JsonOutput::Open(char bracket) {
  Comma();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonOutput& JsonOutput::Close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonOutput& JsonOutput::Name(std::string_view name) {
  Comma();
  AppendJson(name, text_);
  text_ += ':';
  first_ = true;
  return *this;
}

JsonOutput& JsonOutput::Value(double value) {
  if (!std::isfinite(value)) return Raw("null");
  Comma();
  AppendJson(value, text_);
  return *this;
}

JsonOutput& JsonOutput::Value(std::uint64_t value) {
  Comma();
  AppendJson(value, text_);
  return *this;
}

JsonOutput& JsonOutput::Value(std::string_view text) {
  Comma();
  AppendJson(text, text_);
  return *this;
}

JsonOutput& JsonOutput::Value(std::span<const float> values) {
  Comma();
  AppendJson(values, text_);
  return *this;
}

JsonOutput& JsonOutput::Value(const ArmName& arm) {
  if (const auto* number = std::get_if<ArmId>(&arm)) return Value(*number);
  return Value(std::get<std::string>(arm));
}

JsonOutput& JsonOutput::Raw(std::string_view json) {
  Comma();
  text_ += json;
  return *this;
}

}  // namespace manyarms::service
