#include "tests/service/hostile/hostile_bodies.h"

#include <algorithm>

namespace manyarms::hostile {
namespace {

constexpr const char* kValues[] = {"null",
                                   "true",
                                   "\"\"",
                                   "\"x\"",
                                   "[]",
                                   "{}",
                                   "[[]]",
                                   "[null]",
                                   "-1",
                                   "-0",
                                   "0.5",
                                   "1e308",
                                   "1e999",
                                   "-1e999",
                                   "1e-999",
                                   "18446744073709551615",
                                   "18446744073709551616",
                                   "9007199254740993",
                                   "-9223372036854775808",
                                   "340282356779733661637539395458142568448",
                                   "3.4028236e38",
                                   "1e39",
                                   "NaN",
                                   "Infinity",
                                   "-Infinity",
                                   "nan",
                                   "+1",
                                   "01",
                                   ".5",
                                   "1.",
                                   "0x10",
                                   "1e",
                                   "'x'",
                                   R"("\u0000")",
                                   R"("\ud800")",
                                   R"("\ud83d\ude00")",
                                   R"("\x41")",
                                   "\"\xff\"",
                                   "\"\xc0\xaf\"",
                                   "\"\xed\xa0\x80\"",
                                   "\"\xf4\x90\x80\x80\"",
                                   "\"\n\"",
                                   "tru",
                                   "\"",
                                   R"({"a":1,"a":2})",
                                   "{\"a\":}",
                                   "[1,]",
                                   "//",
                                   ""};

constexpr const char* kInsertions[] = {",",
                                       ":",
                                       "{",
                                       "}",
                                       "[",
                                       "]",
                                       "\"",
                                       "\\",
                                       "\\u",
                                       "null",
                                       "\xef\xbb\xbf",
                                       "\xff",
                                       "/*",
                                       "#",
                                       "\r\n",
                                       R"(,"learner":"u1")",
                                       ",\"count\":1000000",
                                       ",\"__proto__\":{}",
                                       "\"dim\":4,",
                                       "\"decision\":1,",
                                       R"("event":"e1",)"};

// Where a value begins: behind a colon, a comma or an opening bracket.
std::size_t PlaceOfValue(const std::string& text, Chance& chance) {
  const std::size_t from = chance.Below(text.size() + 1);
  const std::size_t found = text.find_first_of(":,[", from);
  return found == std::string::npos ? 0 : found + 1;
}

std::string Nested(Chance& chance) {
  static constexpr std::size_t kDepths[] = {15, 16, 17,   63,
                                            64, 65, 1000, 50'000};
  const std::size_t depth = chance.Of(kDepths);
  const bool objects = chance.OneIn(2);
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += objects ? "{\"a\":" : "[";
  if (objects) text += '1';
  if (!chance.OneIn(3)) text.append(depth, objects ? '}' : ']');
  return text;
}

std::string LongText(Chance& chance) {
  static constexpr std::size_t kLengths[] = {255,  256,  257,
                                             4096, 5000, 100'000};
  static constexpr const char* kUnits[] = {"x", "\\u0041", "\xc3\xa9",
                                           "\xf0\x9f\x98\x80", "\\\\"};
  const std::string unit = chance.Of(kUnits);
  const std::size_t length = chance.Of(kLengths);
  std::string text = "\"";
  while (text.size() < length) text += unit;
  return text + "\"";
}

std::string LongList(Chance& chance) {
  static constexpr std::size_t kLengths[] = {100, 1001, 20'000};
  static constexpr const char* kItems[] = {"1", "\"a1\"", "{}",
                                           R"({"learner":"u1"})", "[1,2]"};
  const std::string item = chance.Of(kItems);
  std::string text = "[" + item;
  for (std::size_t i = chance.Of(kLengths); i > 1; --i) text += "," + item;
  return text + "]";
}

std::string OtherValue(Chance& chance) {
  const std::size_t kind = chance.Below(40);
  if (kind == 0) return Nested(chance);
  if (kind == 1) return LongText(chance);
  if (kind == 2) return LongList(chance);
  return chance.Of(kValues);
}

void ReplaceValue(std::string& text, Chance& chance) {
  const std::size_t begin = PlaceOfValue(text, chance);
  const std::size_t end =
      std::min(text.find_first_of(",]}", begin), text.size());
  text.replace(begin, end - begin, OtherValue(chance));
}

// A field of the text once more, or a part of it.
void Repeat(std::string& text, Chance& chance) {
  const std::size_t begin = chance.Below(text.size() + 1);
  const std::size_t length = chance.Below(60);
  text.insert(chance.Below(text.size() + 1), text.substr(begin, length));
}

}  // namespace

std::string MutatedJson(std::string text, Chance& chance) {
  for (std::size_t i = chance.Below(3) + 1; i > 0; --i) {
    switch (chance.Below(8)) {
      case 0:
        text = MutatedBytes(std::move(text), chance);
        break;
      case 1:
        text.insert(chance.Below(text.size() + 1), chance.Of(kInsertions));
        break;
      case 2:
        Repeat(text, chance);
        break;
      case 3:
        text.resize(chance.Below(text.size() + 1));
        break;
      default:
        ReplaceValue(text, chance);
    }
  }
  if (chance.OneIn(300)) text = OtherValue(chance);
  return text;
}

std::string MutatedBytes(std::string text, Chance& chance) {
  for (std::size_t i = chance.Below(4) + 1; i > 0; --i) {
    const std::size_t place = chance.Below(text.size() + 1);
    switch (chance.Below(3)) {
      case 0:
        text.insert(text.begin() + static_cast<std::ptrdiff_t>(place),
                    chance.Byte());
        break;
      case 1:
        text.erase(place, chance.Below(8) + 1);
        break;
      default:
        if (place < text.size()) text[place] = chance.Byte();
    }
  }
  return text;
}

}  // namespace manyarms::hostile
