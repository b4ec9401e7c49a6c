#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/utf8.h"
#include "log/json_scanner.h"
#include "log/json_text.h"
#include "random_events.h"
#include "testing.h"

namespace manyarms {
namespace {

template <class Value>
std::string Json(const Value& value) {
  std::string line;
  AppendJson(value, line);
  return line;
}

bool IsAccepted(const std::string& text) {
  try {
    JsonScanner scanner(text);
    scanner.Skip();
    scanner.End();
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    return false;
  }
}

// Whether a float survives being written and read, as a float, and by readers
// that know doubles only.
void ExpectSurvives(float value) {
  const std::string text = Json(value);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(JsonScanner(text).Float()), bits)
      << text;
  EXPECT_EQ(std::bit_cast<std::uint32_t>(
                static_cast<float>(nlohmann::json::parse(text).get<double>())),
            bits)
      << text;
}

TEST(JsonText, KeepsEveryBitOfFloats) {
  for (const float value : {0.0F, -0.0F, 1.0F, 0.1F, 1e-45F, 1.17549435e-38F,
                            1e-40F, 3.4028235e38F, 16777216.0F, -1e10F}) {
    ExpectSurvives(value);
  }
  RandomStream random(1, RandomStream::Role::kArm, 0);
  for (int i = 0; i < 200'000; ++i) {
    const auto value =
        std::bit_cast<float>(static_cast<std::uint32_t>(random.Bits()));
    if (std::isfinite(value)) ExpectSurvives(value);
  }
}

// Its shortest text lies so near to the middle between two floats that the
// nearest double is the middle.
TEST(JsonText, HasMoreDigitsWhereRoundingTwiceWouldGiveAnotherFloat) {
  const auto value = std::bit_cast<float>(0x15ae43fdU);
  ASSERT_NE(static_cast<float>(std::stod("7.038531e-26")), value);
  ExpectSurvives(value);
}

TEST(JsonText, KeepsEveryBitOfDoublesAndCounts) {
  RandomStream random(2, RandomStream::Role::kArm, 0);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t bits = i == 0 ? std::uint64_t{1} << 63U : random.Bits();
    const std::string count = Json(bits);
    EXPECT_EQ(JsonScanner(count).Count(), bits);
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    const std::string text = Json(value);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(JsonScanner(text).Number()), bits);
    EXPECT_EQ(
        std::bit_cast<std::uint64_t>(nlohmann::json::parse(text).get<double>()),
        bits)
        << text;
  }
}

TEST(JsonText, KeepsTexts) {
  testing::RandomEvents random({.dim = 1}, false, 3);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random.Text();
    const std::string json = Json(std::string_view(text));
    std::string read = "something else";
    JsonScanner(json).Text(read);
    EXPECT_EQ(read, text);
    EXPECT_EQ(nlohmann::json::parse(json).get<std::string>(), text);
  }
}

TEST(JsonScanner, ReadsEscapesAsOthersDo) {
  for (const std::string json :
       {R"("\u00e9\u20ac\ud834\udd1e\"\\\/\b\f\n\r\t")", R"("\u0000\uFFFF")"}) {
    std::string read;
    JsonScanner(json).Text(read);
    EXPECT_EQ(read, nlohmann::json::parse(json).get<std::string>());
  }
}

TEST(JsonScanner, RoundsDoublesThatAreTooSmall) {
  const std::string zeros(400, '0');
  for (const std::string& text :
       {std::string("1e-400"), "0." + zeros + "1", "9" + zeros + "e-900",
        std::string("1e-99999999999999999999"), std::string("0e400"),
        std::string("0e99999999999999999999")}) {
    EXPECT_EQ(JsonScanner(text).Number(), 0) << text;
    EXPECT_EQ(JsonScanner(text).Float(), 0) << text;
    const std::string negative = "-" + text;
    EXPECT_TRUE(std::signbit(JsonScanner(negative).Number())) << negative;
    EXPECT_TRUE(std::signbit(JsonScanner(negative).Float())) << negative;
  }
  EXPECT_EQ(JsonScanner("5e-324").Number(), 5e-324);
  for (const std::string& text :
       {std::string("1e400"), "1" + zeros + ".5", "0." + zeros + "1e900",
        std::string("1e99999999999999999999")}) {
    testing::ExpectError(ErrorCode::kCorrupt, {"range"},
                         [&] { JsonScanner(text).Number(); });
    testing::ExpectError(ErrorCode::kCorrupt, {"range"},
                         [&] { JsonScanner(text).Float(); });
  }
}

TEST(JsonScanner, TakesFloatsBelowAllOthersForZero) {
  EXPECT_EQ(JsonScanner("1e-60").Float(), 0.0F);
  EXPECT_EQ(JsonScanner("1e-45").Float(),
            std::numeric_limits<float>::denorm_min());
  testing::ExpectError(ErrorCode::kCorrupt, {"1e39", "range"},
                       [] { JsonScanner("1e39").Float(); });
  testing::ExpectError(ErrorCode::kCorrupt, {"1e309", "range"},
                       [] { JsonScanner("1e309").Number(); });
}

TEST(JsonScanner, RefusesWhatIsNoWholeNumber) {
  for (const std::string text :
       {"-1", "1.0", "1e2", "18446744073709551616", "\"1\"", "x", ""}) {
    testing::ExpectError(ErrorCode::kCorrupt, {"at byte"},
                         [&] { JsonScanner(text).Count(); });
  }
}

TEST(JsonScanner, LimitsHowDeepValuesAreNested) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(IsAccepted(nested(60)));
  EXPECT_FALSE(IsAccepted(nested(100)));
  EXPECT_FALSE(IsAccepted(std::string(1'000'000, '[')));
}

// What the library says that other parts of the program use. It reads numbers,
// too, and refuses those that no double can have; skipped numbers may be of any
// size.
bool IsJson(const std::string& text) {
  try {
    return !nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::out_of_range&) {
    return true;
  } catch (const nlohmann::json::parse_error&) {
    return false;
  }
}

// Texts that are nearly JSON, made by random changes.
TEST(JsonScanner, AcceptsExactlyWhatIsJson) {
  const std::vector<std::string> seeds = {
      R"({"event":"reward","decision":17,"reward":-0.5e-3,"time":1e9})",
      R"([1,2.5,-0,0.1E+2,true,false,null,{"a":[]},"\u00e9\n\"x\""])",
      R"(  {"a" : {"b":[ 1 , 2 ]} ,"c":"\ud834\udd1e"} )"};
  const std::string palette = "{}[]\",:\\ \t0123456789.eE+-ntrufalsd\x01";
  RandomStream random(4, RandomStream::Role::kArm, 0);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 60'000; ++i) {
    std::string text = seeds[random.Below(seeds.size())];
    for (std::uint64_t changes = random.Below(4); changes > 0; --changes) {
      const std::size_t at = random.Below(text.size());
      const char c = palette[random.Below(palette.size())];
      switch (random.Below(3)) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.erase(at, 1);
          break;
        default:
          text.insert(at, 1, c);
      }
      if (text.empty()) text.push_back(' ');
    }
    const bool is_json = IsJson(text);
    (is_json ? accepted : refused)++;
    EXPECT_EQ(IsAccepted(text), is_json) << text;
  }
  EXPECT_GT(accepted, 10'000);
  EXPECT_GT(refused, 10'000);
}

}  // namespace
}  // namespace manyarms
