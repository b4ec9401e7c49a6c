#include "log/json_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace manyarms {
namespace {

using Digits = std::array<char, 32>;  // more than any number has

template <class Number>
std::string_view Shortest(Number value, Digits& digits) {
  const auto result =
      std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), static_cast<std::size_t>(result.ptr - digits.data())};
}

// Some readers take "-0" for an integer, which has no sign.
template <class Real>
bool AppendNegativeZero(Real value, std::string& line) {
  if (value != 0 || !std::signbit(value)) return false;
  line += "-0.0";
  return true;
}

}  // namespace

void AppendJson(std::uint64_t value, std::string& line) {
  Digits digits;
  line += Shortest(value, digits);
}

void AppendJson(bool value, std::string& line) {
  line += value ? "true" : "false";
}

void AppendJson(double value, std::string& line) {
  if (AppendNegativeZero(value, line)) return;
  Digits digits;
  line += Shortest(value, digits);
}

void AppendJson(float value, std::string& line) {
  if (AppendNegativeZero(value, line)) return;
  Digits digits;
  const std::string_view text = Shortest(value, digits);
  // The shortest text of a float may lie so near to the middle between two
  // floats that the nearest double is the middle itself, which rounds to the
  // other one. 7.038531e-26 does.
  double twice_rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), twice_rounded);
  if (static_cast<float>(twice_rounded) == value) {
    line += text;
  } else {
    AppendJson(static_cast<double>(value), line);
  }
}

void AppendJson(std::span<const float> values, std::string& line) {
  line += '[';
  for (const float& value : values) {
    if (&value != values.data()) line += ',';
    AppendJson(value, line);
  }
  line += ']';
}

void AppendJson(std::string_view text, std::string& line) {
  line += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}",
                     static_cast<unsigned>(c));
    } else {
      line += c;
    }
  }
  line += '"';
}

}  // namespace manyarms
