#include "service/api/router.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "service/api/thrown.h"

namespace manyarms::service {
namespace {

using enum http::Method;

TEST(Router, FindsEveryRouteByItsPattern) {
  std::set<std::string> names;
  for (const Route& route : Routes()) {
    EXPECT_TRUE(names.insert(route.name()).second) << route.name();
    const Match match = FindRoute(route.method, route.pattern);
    EXPECT_EQ(match.route, &route) << route.name();
    EXPECT_EQ(&Routes()[match.index], &route);
  }
}

TEST(Router, DecodesArguments) {
  const Match match =
      FindRoute(kGet, "/v1/bandits/my%20shop/learners/a%2Fb%3F");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.arguments, (std::vector<std::string>{"my shop", "a/b?"}));
  EXPECT_EQ(FindRoute(kGet, "/v1/bandits/b/learners/").arguments[1], "");
  EXPECT_EQ(StatusIn([] { FindRoute(kGet, "/v1/bandits/%ff"); }), 400U);
}

TEST(Router, SaysWhichMethodsAPathHas) {
  EXPECT_EQ(FindRoute(kPatch, "/v1/bandits/b/arms/x").allow,
            "GET, HEAD, PUT, DELETE");
  EXPECT_EQ(FindRoute(kOptions, "/").allow, "GET, HEAD");
  EXPECT_EQ(FindRoute(kOther, "/v1/bandits/b/choose").allow, "POST");
  EXPECT_NE(FindRoute(kHead, "/metrics").route, nullptr);
}

TEST(Router, FindsNothingElse) {
  for (const char* path :
       {"/v2", "/v1/", "/v1/bandits/b/", "/v1/bandits/b/choose/",
        "/v1//bandits", "//", "/V1", "/v1/bandits/b/arms/x/y", "/index.html",
        "/v1/bandits/b/../c", "/v1%2Fbandits"}) {
    const Match match = FindRoute(kGet, path);
    EXPECT_EQ(match.route, nullptr) << path;
    EXPECT_EQ(match.allow, "") << path;
  }
}

}  // namespace
}  // namespace manyarms::service
