#include "service/api/url.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "service/api/thrown.h"

namespace manyarms::service {
namespace {

TEST(Url, DecodesEscapesOnce) {
  EXPECT_EQ(PercentDecoded("a%20b%2Fc%2525+"), "a b/c%25+");
  EXPECT_EQ(PercentDecoded("%C3%A4"), "ä");
  for (const char* text : {"%", "%4", "%zz", "%4g", "a%", "%-1", "%+1", "% 1",
                           "%ff", "%c0%80", "%ed%a0%80"}) {
    EXPECT_EQ(StatusIn([&] { PercentDecoded(text); }), 400U) << text;
  }
}

TEST(Url, SplitsPathsAtSlashes) {
  using Segments = std::vector<std::string_view>;
  EXPECT_EQ(SegmentsOf("/"), Segments{""});
  EXPECT_EQ(SegmentsOf("/v1/bandits"), (Segments{"v1", "bandits"}));
  EXPECT_EQ(SegmentsOf("/v1/bandits/"), (Segments{"v1", "bandits", ""}));
  EXPECT_EQ(SegmentsOf("//"), (Segments{"", ""}));
  EXPECT_EQ(SegmentsOf(std::string(100'000, '/')).size(), 16U);
}

TEST(Query, HasParametersOnce) {
  Query query("from=5&limit=7&after=a+b%2B&empty=&bare");
  EXPECT_EQ(query.Count("from", 0, 0, 10), 5U);
  EXPECT_EQ(query.Count("missing", 3, 0, 10), 3U);
  EXPECT_EQ(query.Text("after"), "a b+");
  EXPECT_EQ(query.Text("empty"), "");
  EXPECT_EQ(query.Text("bare"), "");
  EXPECT_EQ(StatusIn([&] { query.End(); }), 422U);
  EXPECT_EQ(query.Count("limit", 0, 0, 10), 7U);
  EXPECT_EQ(StatusIn([&] { query.End(); }), 0U);
  EXPECT_EQ(StatusIn([] { Query("a=1&a=2"); }), 400U);
  EXPECT_EQ(StatusIn([] { Query("a=%"); }), 400U);
}

TEST(Query, RefusesValuesThatCannotBe) {
  for (const char* text : {"n=", "n=-1", "n=1.5", "n=x", "n=11", "n=0", "n= 5",
                           "n=18446744073709551616"}) {
    EXPECT_EQ(StatusIn([&] { Query(text).Count("n", 1, 1, 10); }), 422U)
        << text;
  }
  EXPECT_TRUE(Query("t=true").Truth("t"));
  EXPECT_FALSE(Query("t=false").Truth("t"));
  EXPECT_FALSE(Query("").Truth("t"));
  EXPECT_EQ(StatusIn([] { Query("t=1").Truth("t"); }), 422U);
}

}  // namespace
}  // namespace manyarms::service
