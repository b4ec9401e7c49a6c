#include "service/engine/strict_json.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"
#include "manyarms/error.h"
#include "testing.h"

namespace manyarms::service {
namespace {

using testing::ExpectError;

void ExpectCorrupt(std::string_view text, const std::string& part) {
  SCOPED_TRACE(text);
  ExpectError(ErrorCode::kCorrupt, {part}, [&] { ParseObject(text); });
}

TEST(StrictJson, ReadsObjects) {
  EXPECT_TRUE(ParseObject("{}").empty());
  EXPECT_EQ(ParseObject(R"( {"a": [1, {"a": 2}], "b": null} )").size(), 2U);
}

TEST(StrictJson, RefusesWhatIsNotAnObject) {
  for (const char* text : {"[]", "1", "null", "\"a\"", "true"}) {
    ExpectCorrupt(text, "expected an object");
  }
}

TEST(StrictJson, RefusesWhatIsNotJson) {
  for (const char* text :
       {"", "{", "{\"a\":1", "{\"a\":}", "{\"a\":01}", "{\"a\":NaN}",
        "{\"a\":Infinity}", "{\"a\":1,}", "{a:1}", "{'a':1}", "{} {}",
        "{\"a\":1e999}", R"({"a":"\ud800"})", "{\"a\":\"\t\"}", "/**/{}"}) {
    ExpectCorrupt(text, "not JSON");
  }
}

TEST(StrictJson, SaysWhyInUtf8) {
  for (const char* text : {"{\"a\":\"\xff\"}", "\xc3\x28", "{\"\xed\xa0\x80"}) {
    try {
      ParseObject(text);
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      const std::string_view why(error.what());
      EXPECT_EQ(Utf8PrefixLength(why), why.size());
    }
  }
}

TEST(StrictJson, RefusesAKeyThatIsThereTwice) {
  ExpectCorrupt(R"({"a":1,"b":{"c":1},"a":2})", "\"a\" is there twice");
  ExpectCorrupt(R"({"b":[{"c":1,"d":1,"c":1}]})", "\"c\" is there twice");
  // Objects within each other may have the same keys.
  EXPECT_EQ(ParseObject(R"({"a":{"a":1},"b":[{"a":1},{"a":1}]})").size(), 2U);
}

TEST(StrictJson, RefusesWhatIsNestedTooDeep) {
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(ParseObject(nested(15)).size(), 1U);
  ExpectCorrupt(nested(17), "too deep");
  ExpectCorrupt(nested(1'000'000), "too deep");
}

TEST(FieldTaker, TakesEachFieldOnce) {
  FieldTaker fields(ParseObject(
      R"({"n":1.5,"c":18446744073709551615,"t":true,"s":"x","z":null})"));
  EXPECT_TRUE(fields.Has("z"));
  EXPECT_EQ(fields.Number("n"), 1.5);
  EXPECT_EQ(fields.Number("n"), std::nullopt);
  EXPECT_EQ(fields.Count("c"), ~std::uint64_t{0});
  EXPECT_EQ(fields.Truth("t"), true);
  ExpectError(ErrorCode::kInvalidArgument, {"no field \"s\""},
              [&] { fields.End(); });
  EXPECT_EQ(fields.Text("s"), "x");
  EXPECT_EQ(fields.Text("z"), std::nullopt);
  EXPECT_FALSE(fields.Has("z"));
  EXPECT_EQ(fields.Number("missing"), std::nullopt);
  fields.End();
}

TEST(FieldTaker, RefusesValuesOfAnotherType) {
  const auto refuses = [](const char* value, const auto& take) {
    SCOPED_TRACE(value);
    FieldTaker fields(ParseObject("{\"a\":" + std::string(value) + "}"));
    ExpectError(ErrorCode::kInvalidArgument, {"a is", "expected"},
                [&] { take(fields); });
  };
  for (const char* value : {"\"1\"", "true", "[1]", "{}"}) {
    refuses(value, [](FieldTaker& fields) { fields.Number("a"); });
  }
  for (const char* value : {"-1", "1.0", "1e2", "18446744073709551616"}) {
    refuses(value, [](FieldTaker& fields) { fields.Count("a"); });
  }
  for (const char* value : {"1", "\"true\"", "[]"}) {
    refuses(value, [](FieldTaker& fields) { fields.Truth("a"); });
  }
  for (const char* value : {"1", "true", "[\"a\"]"}) {
    refuses(value, [](FieldTaker& fields) { fields.Text("a"); });
  }
}

}  // namespace
}  // namespace manyarms::service
