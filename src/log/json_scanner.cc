#include "log/json_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms {
namespace {

constexpr int kMostDepth = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether a number that is no 0 is nearer to 0 than 1 is. REQUIRES: it has the
// form of JSON.
bool IsSmall(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, e);
  std::string_view exponent = number.substr(std::min(e + 1, number.size()));
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  // The place of the first digit that is no 0: 0 for units.
  const auto point =
      static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_not_of("0."));
  const std::int64_t place = first < point ? point - first - 1 : point - first;
  std::int64_t power = 0;
  const auto parsed = std::from_chars(exponent.data(),
                                      exponent.data() + exponent.size(), power);
  if (parsed.ec == std::errc::result_out_of_range) {
    return exponent.starts_with('-');
  }
  return power < -place;
}

void AppendUtf8(unsigned code, std::string& text) {
  const auto append = [&text](unsigned byte) {
    text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code < 0x80) {
    append(code);
    return;
  }
  if (code < 0x800) {
    append(0xc0U | code >> 6U);
  } else {
    if (code < 0x10000) {
      append(0xe0U | code >> 12U);
    } else {
      append(0xf0U | code >> 18U);
      append(0x80U | (code >> 12U & 0x3fU));
    }
    append(0x80U | (code >> 6U & 0x3fU));
  }
  append(0x80U | (code & 0x3fU));
}

}  // namespace

void JsonScanner::Fail(const std::string& what) const {
  throw Error(ErrorCode::kCorrupt,
              fmt::format("{} (at byte {})", what, next_ - begin_ + 1));
}

// The next character after spaces; 0 at the end. (A character 0 in the text is
// no part of JSON either.)
char JsonScanner::Peek() {
  while (next_ < end_ && (*next_ == ' ' || *next_ == '\t' || *next_ == '\r' ||
                          *next_ == '\n')) {
    ++next_;
  }
  return next_ < end_ ? *next_ : '\0';
}

bool JsonScanner::Accept(char c) {
  if (Peek() != c) return false;
  ++next_;
  return true;
}

void JsonScanner::Expect(char c, const char* what) {
  if (Accept(c)) return;
  const std::string_view text(begin_, static_cast<std::size_t>(end_ - begin_));
  if (text.starts_with("\xef\xbb\xbf")) {
    Fail(
        fmt::format("expected {}, there is a byte order mark (BOM), which "
                    "UTF-8 does not need",
                    what));
  }
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    Fail(fmt::format("expected {}, the line is empty", what));
  }
  Fail(fmt::format("expected {}", what));
}

void JsonScanner::End() {
  Peek();
  if (next_ != end_) Fail("expected the end of the line");
}

void JsonScanner::Word(std::string_view word) {
  if (!std::string_view(next_, static_cast<std::size_t>(end_ - next_))
           .starts_with(word)) {
    Fail("expected a value");
  }
  next_ += word.size();
}

bool JsonScanner::Truth() {
  const char first = Peek();
  if (first != 't' && first != 'f') Fail("expected true or false");
  Word(first == 't' ? "true" : "false");
  return first == 't';
}

void JsonScanner::Text(std::string& text) {
  Expect('"', "a string");
  text.clear();
  for (;;) {
    const char* plain = next_;
    while (next_ < end_ && *next_ != '"' && *next_ != '\\' &&
           static_cast<unsigned char>(*next_) >= 0x20) {
      ++next_;
    }
    text.append(plain, next_);
    if (next_ == end_) Fail("a string does not end");
    if (*next_ == '"') break;
    if (*next_ != '\\') Fail("a control character in a string");
    ++next_;
    Escape(text);
  }
  ++next_;
}

void JsonScanner::Escape(std::string& text) {
  constexpr std::string_view kShort = "\"\\/bfnrt";
  constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
  const char which = next_ < end_ ? *next_ : '\0';
  if (which == 'u') {
    ++next_;
    unsigned code = HexNumber();
    if (code >= 0xdc00 && code < 0xe000) Fail("half a surrogate pair");
    if (code >= 0xd800 && code < 0xdc00) {
      if (end_ - next_ < 2 || next_[0] != '\\' || next_[1] != 'u') {
        Fail("half a surrogate pair");
      }
      next_ += 2;
      const unsigned low = HexNumber();
      if (low < 0xdc00 || low >= 0xe000) Fail("half a surrogate pair");
      code = 0x10000U + ((code - 0xd800U) << 10U) + (low - 0xdc00U);
    }
    AppendUtf8(code, text);
    return;
  }
  const std::size_t place = which == '\0' ? kShort.npos : kShort.find(which);
  if (place == kShort.npos) Fail("an unknown escape in a string");
  text += kMeaning[place];
  ++next_;
}

unsigned JsonScanner::HexNumber() {
  unsigned code = 0;
  const char* const from = next_;
  if (end_ - next_ < 4) Fail("expected four hexadecimal digits");
  const auto [parsed, error] = std::from_chars(from, from + 4, code, 16);
  if (error != std::errc() || parsed != from + 4) {
    Fail("expected four hexadecimal digits");
  }
  next_ += 4;
  return code;
}

// std::from_chars accepts more than JSON does, so the form is checked here.
std::string_view JsonScanner::NumberText() {
  Peek();
  const char* const from = next_;
  const char* at = from;
  const auto digits = [&] {
    const char* const first = at;
    while (at < end_ && IsDigit(*at)) ++at;
    if (at == first) Fail("expected a number");
  };
  if (at < end_ && *at == '-') ++at;
  if (at < end_ && *at == '0') {
    ++at;
  } else {
    digits();
  }
  if (at < end_ && *at == '.') {
    ++at;
    digits();
  }
  if (at < end_ && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < end_ && (*at == '+' || *at == '-')) ++at;
    digits();
  }
  next_ = at;
  return {from, static_cast<std::size_t>(at - from)};
}

namespace {

// A number that is nearer to 0 than the usual numbers of its type.
template <class Real>
Real Rounded(std::string_view text) {
  double wide = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), wide);
  if (parsed.ec != std::errc()) wide = text.starts_with('-') ? -0.0 : 0.0;
  return static_cast<Real>(wide);
}

}  // namespace

template <class Real>
Real JsonScanner::ParseReal() {
  const std::string_view text = NumberText();
  Real value = 0;
  const auto [parsed, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Of numbers near 0, too, which are rounded.
    if (IsSmall(text)) return Rounded<Real>(text);
    Fail(fmt::format("{} is out of range", text));
  }
  return value;
}

double JsonScanner::Number() { return ParseReal<double>(); }
float JsonScanner::Float() { return ParseReal<float>(); }

std::uint64_t JsonScanner::Count() {
  const std::string_view text = NumberText();
  std::uint64_t count = 0;
  const auto [parsed, error] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || parsed != text.data() + text.size()) {
    Fail(fmt::format("{} is not a whole number from 0 to 2^64 - 1", text));
  }
  return count;
}

void JsonScanner::Floats(std::vector<float>& values) {
  values.clear();
  Array([&] { values.push_back(Float()); });
}

std::string_view JsonScanner::Raw() {
  Peek();
  const char* const from = next_;
  Skip();
  return {from, static_cast<std::size_t>(next_ - from)};
}

void JsonScanner::Skip(int depth) {
  if (depth > kMostDepth) Fail("values are nested too deep");
  switch (Peek()) {
    case '{':
      Object([&](std::string_view) { Skip(depth + 1); });
      return;
    case '[':
      Array([&] { Skip(depth + 1); });
      return;
    case '"': {
      std::string text;
      Text(text);
      return;
    }
    case 't':
      return Word("true");
    case 'f':
      return Word("false");
    case 'n':
      return Word("null");
    default:
      NumberText();
  }
}

}  // namespace manyarms
