#include "base/utf8.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace manyarms {
namespace {

std::string Encoded(char32_t c) {
  const auto tail = [c](int bits) {
    return static_cast<char>(0x80 | (c >> bits & 0x3f));
  };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xc0 | c >> 6), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xe0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0)};
}

// The slow twin: decodes the number, and checks that encoding it gives the same
// bytes.
bool IsOneCharacter(const std::string& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const int ones = std::countl_one(lead);
  const std::size_t length = ones == 0 ? 1 : static_cast<std::size_t>(ones);
  if (ones == 1 || ones > 6 || text.size() != length) return false;
  char32_t c = ones == 0 ? lead : lead & (0x7fU >> ones);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (std::countl_one(byte) != 1) return false;
    c = c << 6 | (byte & 0x3fU);
  }
  const bool is_surrogate = c >= 0xd800 && c <= 0xdfff;
  return c <= 0x10ffff && !is_surrogate && Encoded(c) == text;
}

bool IsUtf8(const std::string& text) {
  return Utf8PrefixLength(text) == text.size();
}

TEST(Utf8, HasAllCharactersButSurrogates) {
  for (char32_t c = 0; c <= 0x110400; ++c) {
    const bool valid = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
    const std::string text = Encoded(c);
    ASSERT_EQ(IsUtf8(text), valid) << std::hex << std::uint32_t{c};
    ASSERT_EQ(Utf8PrefixLength("ab" + text + "c"), valid ? 3 + text.size() : 2);
    // No part of it is a character.
    for (std::size_t n = 1; n < text.size(); ++n) {
      ASSERT_EQ(Utf8PrefixLength(text.substr(0, n)), 0U);
      ASSERT_EQ(Utf8PrefixLength(text.substr(0, n) + "abc"), 0U);
    }
  }
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8(std::string("a\0b", 3)));
}

TEST(Utf8, HasNothingElse) {
  const auto check = [](const std::string& text) {
    const bool first_alone = IsOneCharacter(text.substr(0, 1));
    if (!first_alone && text.size() > 1) {
      ASSERT_EQ(IsUtf8(text), IsOneCharacter(text))
          << ::testing::PrintToString(text);
    }
  };
  std::string text(3, '\0');
  for (int a = 0x80; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      text.resize(2);
      text[0] = static_cast<char>(a);
      text[1] = static_cast<char>(b);
      check(text);
      if (IsOneCharacter(text)) continue;
      text.resize(3);
      for (int c = 0; c < 256; ++c) {
        text[2] = static_cast<char>(c);
        check(text);
      }
      // With four and five bytes, only values at the bounds are tried.
      constexpr std::array<char, 6> kBounds = {'\0',   '\x7f', '\x80',
                                               '\xbf', '\xc0', '\xff'};
      for (const char c : kBounds) {
        for (const char d : kBounds) {
          text.resize(4);
          text[2] = c;
          text[3] = d;
          if (!IsOneCharacter(text.substr(0, 3))) check(text);
          text.push_back('\x80');
          if (!IsOneCharacter(text.substr(0, 3)) &&
              !IsOneCharacter(text.substr(0, 4))) {
            check(text);
          }
        }
      }
    }
  }
}

TEST(Utf8, KnowsTheFamousFakes) {
  for (const std::string text :
       {"\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe0\x9f\xbf",
        "\xf0\x80\x80\xaf", "\xf0\x8f\xbf\xbf",  // overlong
        "\xed\xa0\x80", "\xed\xbf\xbf",
        "\xed\xa0\xbd\xed\xb8\x80",  // surrogates
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80",
        "\xfc\x84\x80\x80\x80\x80",  // beyond U+10FFFF
        "\x80", "\xbf", "\xfe", "\xff", "\xc3", "\xe2\x82"}) {  // no characters
    EXPECT_EQ(Utf8PrefixLength(text), 0U) << ::testing::PrintToString(text);
    EXPECT_EQ(Utf8PrefixLength("good" + text), 4U);
  }
}

}  // namespace
}  // namespace manyarms
