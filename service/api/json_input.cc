#include "service/api/json_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/utf8.h"
#include "manyarms/error.h"
#include "service/api/http_error.h"

namespace manyarms::service {
namespace {

// How deep objects and arrays lie in each other. REQUIRES: it is JSON.
int DepthOf(std::string_view json) {
  int depth = 0;
  int deepest = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

JsonInput::JsonInput(std::string_view text, std::string_view what)
    : scanner_(text), name_(what) {
  const std::size_t valid = Utf8PrefixLength(text);
  if (valid != text.size()) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{} is not UTF-8 (at byte {})", what, valid + 1));
  }
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{} is empty", what));
  }
}

void JsonInput::CheckIsJson(std::string_view text) {
  JsonScanner scanner(text);
  scanner.Skip();
  scanner.End();
  if (DepthOf(text) > kMostDepth) scanner.Fail("values are nested too deep");
}

std::size_t JsonInput::Find(std::span<const std::string_view> names,
                            std::string_view key) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == key) return i;
  }
  const std::string unknown = Shortened(key);
  RawWithin();
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there is no field \"{}\"", unknown));
}

// Nesting is looked at where it can be too deep: what is read otherwise has the
// depth of a request.
std::string_view JsonInput::RawWithin() {
  const std::string_view raw = scanner_.Raw();
  if (DepthOf(raw) > kMostDepth) scanner_.Fail("values are nested too deep");
  return raw;
}

void JsonInput::FailType(const char* expected) {
  Refuse(RawWithin(), expected);
}

void JsonInput::Refuse(std::string_view value, const char* expected) const {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{}{} is {}, expected {}", name_,
                          index_ ? fmt::format("[{}]", *index_) : std::string(),
                          Shortened(value), expected));
}

void JsonInput::FailTwice(std::string_view name) const {
  scanner_.Fail(fmt::format("the field \"{}\" is there twice", name));
}

bool JsonInput::AtNumber() {
  const char first = scanner_.Peek();
  return first == '-' || (first >= '0' && first <= '9');
}

void JsonInput::Text(std::string& text) {
  Require(scanner_.AtText(), "a text");
  scanner_.Text(text);
}

void JsonInput::TextOrNumber(std::string& text) {
  if (AtNumber()) {
    text = fmt::format("{}", Count());
    return;
  }
  Require(scanner_.AtText(), "a text or a whole number from 0 on");
  scanner_.Text(text);
}

bool JsonInput::Truth() {
  const char first = scanner_.Peek();
  Require(first == 't' || first == 'f', "true or false");
  return scanner_.Truth();
}

double JsonInput::Number() {
  Require(AtNumber(), "a number");
  const JsonScanner before = scanner_;
  try {
    return scanner_.Number();
  } catch (const Error&) {
    scanner_ = before;
    FailType("a number that fits into 64 bits");
  }
}

float JsonInput::Float() {
  Require(AtNumber(), "a number");
  const JsonScanner before = scanner_;
  try {
    return scanner_.Float();
  } catch (const Error&) {
    scanner_ = before;
    FailType("a number that fits into 32 bits");
  }
}

std::uint64_t JsonInput::Count() {
  constexpr const char* kExpected = "a whole number from 0 to 2^64 - 1";
  Require(AtNumber(), kExpected);
  const std::string_view text = scanner_.Raw();
  std::uint64_t count = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) {
    Refuse(text, kExpected);
  }
  return count;
}

void JsonInput::Floats(std::vector<float>& values) {
  values.clear();
  Array([&] { values.push_back(Float()); });
}

ArmName JsonInput::Arm() {
  if (AtNumber()) return Count();
  Require(scanner_.AtText(), "an arm: a text or a whole number from 0 on");
  std::string text;
  scanner_.Text(text);
  return text;
}

}  // namespace manyarms::service
