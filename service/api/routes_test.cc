#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "service/api/test_service.h"

namespace manyarms::service {
namespace {

// A path for a route: arguments that are there, but for those named otherwise.
std::string PathOf(const Route& route,
                   const std::map<std::string, std::string>& arguments = {}) {
  static const std::map<std::string, std::string> there{{"bandit", "shop"},
                                                        {"arm", "a"},
                                                        {"learner", "u"},
                                                        {"decision", "1"},
                                                        {"name", "s"}};
  std::string path(route.pattern);
  for (std::size_t begin = 0; (begin = path.find('{')) != path.npos;) {
    const std::size_t end = path.find('}');
    const std::string name = path.substr(begin + 1, end - begin - 1);
    const auto given = arguments.find(name);
    path.replace(begin, end - begin + 1,
                 given == arguments.end() ? there.at(name) : given->second);
  }
  return path;
}

std::vector<const Route*> RoutesWithBody() {
  std::vector<const Route*> routes;
  for (const Route& route : Routes()) {
    if (route.body != Body::kNone) routes.push_back(&route);
  }
  return routes;
}

// Settings are read by a parser that takes anything but an object for damage.
bool HasSettings(const Route& route) {
  return route.pattern == "/v1/bandits/{bandit}" ||
         route.pattern.ends_with("/evaluate");
}

class RouteTable : public TestService {
 protected:
  TestAnswer AskOf(const Route& route, const std::string& body,
                   const std::string& type) {
    return Ask({std::string(route.method_name()), PathOf(route), body, type});
  }
};

// What every route with a JSON body must refuse, whatever it asks for.
struct BadBody {
  std::string body;
  std::string type;
  unsigned status;
};
std::vector<BadBody> BadBodies() {
  const std::string json = "application/json";
  std::vector<BadBody> bodies;
  for (const std::string text :
       {"", " ", "{", "}", "x", "nul", "{\"a\"", "{\"a\":1,}", "{} {}", "\xff",
        "{\"\xc0\xaf\":1}", "\xef\xbb\xbf{}", "{'a':1}", "{a:1}", "{\"a\":NaN}",
        "{\"a\":01}", R"({"a":"\u12"})"}) {
    bodies.push_back({text, json, 400});
  }
  bodies.push_back({std::string("{}\0", 3), json, 400});
  bodies.push_back({std::string(100'000, '['), json, 400});
  bodies.push_back({std::string(100'000, '{'), json, 400});
  for (const std::string text : {"{\"unknown\":1}", R"({"arms":7,"choices":7})",
                                 R"({"unknown":{"a":[1,2]}})"}) {
    bodies.push_back({text, json, 422});
  }
  for (const std::string type :
       {"", "text/plain", "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x", "application/jsonx",
        "application/json; charset=latin1", "application/json; charset=utf-8;x",
        "APPLICATION/JSON5"}) {
    bodies.push_back({"{}", type, 415});
  }
  return bodies;
}

TEST_F(RouteTable, RefusesEveryBadBody) {
  Start();
  MakeShop();
  for (const Route* route : RoutesWithBody()) {
    for (const BadBody& bad : BadBodies()) {
      if (bad.body.empty() && route->body == Body::kOptionalJson) continue;
      const TestAnswer answer = AskOf(*route, bad.body, bad.type);
      EXPECT_EQ(answer.status, bad.status)
          << route->name() << ' ' << bad.body.substr(0, 50) << ' ' << bad.type
          << answer.body;
    }
    EXPECT_EQ(AskOf(*route, "[]", "application/json; charset=UTF-8").status,
              HasSettings(*route) ? 400U : 422U)
        << route->name();
  }
  // Nothing of that changed anything.
  EXPECT_EQ(Get("/v1/bandits/shop/arms").json().at("arms").size(), 3U);
}

TEST_F(RouteTable, RefusesBodiesThatAreTooLarge) {
  options_.most_body = 1000;
  options_.most_arms_body = 2000;
  Start();
  MakeShop();
  const std::string large = R"({"a":")" + std::string(1000, 'x') + "\"}";
  for (const Route* route : RoutesWithBody()) {
    const TestAnswer answer = AskOf(*route, large, "application/json");
    EXPECT_EQ(answer.status, 413U) << route->name();
    EXPECT_EQ(answer.code(), "too_large");
    client_.reset();
  }
  EXPECT_EQ(Ask({"POST", "/v1/bandits/shop/arms", std::string(2001, '\n'),
                 "application/x-ndjson"})
                .status,
            413U);
}

TEST_F(RouteTable, RefusesBodiesWhereThereIsNone) {
  Start();
  MakeShop();
  for (const Route& route : Routes()) {
    if (route.body != Body::kNone || route.always) continue;
    EXPECT_EQ(AskOf(route, "{}", "application/json").status, 413U)
        << route.name();
    client_.reset();
  }
}

TEST_F(RouteTable, RefusesUnknownParameters) {
  Start();
  MakeShop();
  for (const Route& route : Routes()) {
    if (route.always) continue;
    const bool takes = route.body != Body::kNone;
    const std::string path = PathOf(route);
    const auto ask = [&](const std::string& query) {
      return Ask({std::string(route.method_name()), path + query,
                  takes ? "{}" : "", takes ? "application/json" : ""})
          .status;
    };
    EXPECT_EQ(ask("?unknown=1"), 422U) << route.name();
    EXPECT_EQ(ask("?x=1&x=1"), 400U) << route.name();
    EXPECT_EQ(ask("?x=%zz"), 400U) << route.name();
  }
}

TEST_F(RouteTable, SaysWhatIsNotThere) {
  Start();
  MakeShop();
  for (const Route& route : Routes()) {
    if (route.pattern.find("{bandit}") == std::string_view::npos) continue;
    const bool makes = route.name() == "PUT /v1/bandits/{bandit}";
    if (makes) continue;
    const bool takes = route.body != Body::kNone;
    for (const char* bandit : {"none", "", "%20", "..", "a%2Fb"}) {
      EXPECT_EQ(Ask({std::string(route.method_name()),
                     PathOf(route, {{"bandit", bandit}}), takes ? "{}" : "",
                     takes ? "application/json" : ""})
                    .status,
                404U)
          << route.name() << bandit;
    }
    EXPECT_EQ(Ask({std::string(route.method_name()),
                   PathOf(route, {{"bandit", "%ff"}}), takes ? "{}" : "",
                   takes ? "application/json" : ""})
                  .status,
              400U);
  }
}

TEST_F(RouteTable, RefusesOtherMethods) {
  Start();
  std::map<std::string, std::string> methods;  // of each path
  for (const Route& route : Routes()) {
    methods[PathOf(route)] += ' ' + std::string(route.method_name());
  }
  for (const auto& [path, known] : methods) {
    for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE",
                                     "OPTIONS", "TRACE", "PURGE"}) {
      if ((known + ' ').find(' ' + method + ' ') != std::string::npos) continue;
      const TestAnswer answer = Ask({method, path});
      EXPECT_EQ(answer.status, 405U) << method << ' ' << path;
      EXPECT_NE(answer.head.find("\r\nAllow: "), std::string::npos);
    }
  }
  EXPECT_EQ(Get("/v1/nothing").status, 404U);
}

TEST_F(RouteTable, WantsARoleOfEveryRoute) {
  const std::string path = (folder_ / "tokens").string();
  std::ofstream(path) << "read reader-0123456789\ndecide decider-0123456789\n"
                         "admin admin-0123456789ab\n";
  options_.tokens_file = path;
  Start();
  const std::vector<std::pair<std::string, Role>> tokens{
      {"", Role::kOpen},
      {"wrong", Role::kOpen},
      {"reader-0123456789", Role::kRead},
      {"decider-0123456789", Role::kDecide},
      {"admin-0123456789ab", Role::kAdmin}};
  for (const Route& route : Routes()) {
    for (const auto& [token, role] : tokens) {
      const bool takes = route.body != Body::kNone;
      const TestAnswer answer = Ask({.method = std::string(route.method_name()),
                                     .path = PathOf(route),
                                     .body = takes ? "{}" : "",
                                     .type = takes ? "application/json" : "",
                                     .token = token});
      if (role >= route.role) {
        EXPECT_NE(answer.status, 401U) << route.name() << token;
        EXPECT_NE(answer.status, 403U) << route.name() << token;
      } else {
        EXPECT_EQ(answer.status, role == Role::kOpen ? 401U : 403U)
            << route.name() << token;
        EXPECT_EQ(
            answer.head.find("WWW-Authenticate: Bearer") != std::string::npos,
            answer.status == 401)
            << answer.head;
      }
    }
  }
}

TEST_F(RouteTable, AnswersHeadAsGetWithoutABody) {
  Start();
  MakeShop();
  for (const Route& route : Routes()) {
    if (route.method != http::Method::kGet) continue;
    const TestAnswer head = Ask({"HEAD", PathOf(route)});
    EXPECT_EQ(head.status, Get(PathOf(route)).status) << route.name();
    EXPECT_EQ(head.body, "");
  }
}

// Values that are wrong for what a bandit is.
struct BadValue {
  std::string method;
  std::string path;
  std::string body;
  unsigned status;
};

// NOLINTNEXTLINE(misc-multiple-inheritance): as GoogleTest has it
class BadValues : public TestService,
                  public ::testing::WithParamInterface<BadValue> {};

TEST_P(BadValues, IsRefusedAndChangesNothing) {
  Start();
  MakeShop();
  const Json arms = Get("/v1/bandits/shop/arms").json();
  const BadValue& bad = GetParam();
  const TestAnswer answer = Ask({bad.method, "/v1/bandits" + bad.path, bad.body,
                                 bad.body.empty() ? "" : "application/json"});
  EXPECT_EQ(answer.status, bad.status) << answer.body;
  EXPECT_GT(answer.message().size(), 5U);
  EXPECT_EQ(Get("/v1/bandits/shop/arms").json(), arms);
  EXPECT_EQ(Get("/v1/bandits/shop").json().at("stats").at("choices"), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Bandits, BadValues,
    ::testing::Values(
        BadValue{"PUT", "/x", "{}", 422},
        BadValue{"PUT", "/x", R"({"dim":0})", 422},
        BadValue{"PUT", "/x", R"({"dim":1.5})", 422},
        BadValue{"PUT", "/x", R"({"dim":1e30})", 422},
        BadValue{"PUT", "/x", R"({"dim":2,"dim":2})", 400},
        BadValue{"PUT", "/x", R"({"dim":2,"policy":"best"})", 422},
        BadValue{"PUT", "/x", R"({"dim":2,"exploration":-1})", 422},
        BadValue{"PUT", "/x", R"({"dim":2,"exploration":1e999})", 400},
        BadValue{"PUT", "/x", R"({"dim":2,"reward_wait":0})", 422},
        BadValue{"PUT", "/%20", R"({"dim":2})", 422},
        BadValue{"PUT", "/", R"({"dim":2})", 422},
        BadValue{"PUT", "/.x", R"({"dim":2})", 422},
        BadValue{"PUT", "/shop", R"({"dim":3})", 409},
        BadValue{"PATCH", "/shop", R"({"dim":2})", 422},
        BadValue{"PATCH", "/shop", R"({"reward_wait":"1"})", 422},
        BadValue{"PATCH", "/shop", R"({"mode":"play"})", 422}));

INSTANTIATE_TEST_SUITE_P(
    Arms, BadValues,
    ::testing::Values(
        BadValue{"PUT", "/shop/arms/x", "{}", 422},
        BadValue{"PUT", "/shop/arms/x", R"({"features":[1]})", 422},
        BadValue{"PUT", "/shop/arms/x", R"({"features":[1,2,3]})", 422},
        BadValue{"PUT", "/shop/arms/x", R"({"features":[1,1e30]})", 422},
        BadValue{"PUT", "/shop/arms/x", R"({"features":[1,"2"]})", 422},
        BadValue{"PUT", "/shop/arms/x", R"({"features":[1,2],"arm":"x"})", 422},
        BadValue{"PUT", "/shop/arms/x", R"({"features":[1,2],"tags":[1]})",
                 422},
        BadValue{"PUT", "/shop/arms/x", R"({"features":[1,2],"tags":[""]})",
                 422},
        BadValue{"PUT", "/shop/arms/", R"({"features":[1,2]})", 422},
        BadValue{"GET", "/shop/arms/x", "", 404},
        BadValue{"DELETE", "/shop/arms/x", "", 404},
        BadValue{"POST", "/shop/arms", R"({"arms":[{"arm":"x"}]})", 422},
        BadValue{"POST", "/shop/arms",
                 R"({"arms":[{"arm":"x","features":[1,2]},)"
                 R"({"arm":"y","features":[1]}]})",
                 422},
        BadValue{"POST", "/shop/arms",
                 R"({"arms":[{"arm":"x","features":[1,2]},)"
                 R"({"arm":"x","features":[1,2]}]})",
                 422},
        BadValue{"POST", "/shop/arms",
                 R"({"arms":[{"arm":5,"features":[1,2]}]})", 422},
        BadValue{"POST", "/shop/arms?mode=add",
                 R"({"arms":[{"arm":"x","features":[1,2]},)"
                 R"({"arm":"a","features":[1,2]}]})",
                 409},
        BadValue{"POST", "/shop/arms?mode=keep", R"({"arms":[]})", 422},
        BadValue{"POST", "/shop/arms?progress=1", R"({"arms":[]})", 422},
        BadValue{"POST", "/shop/remove-arms", R"({"arms":["a","x"]})", 404},
        BadValue{"POST", "/shop/remove-arms", R"({"arms":["a","a"]})", 422},
        BadValue{"POST", "/shop/remove-arms", R"({"arms":[1]})", 422},
        BadValue{"GET", "/shop/arms?limit=0", "", 422},
        BadValue{"GET", "/shop/arms?limit=10001", "", 422},
        BadValue{"GET", "/shop/arms?from=-1", "", 422}));

INSTANTIATE_TEST_SUITE_P(
    Decisions, BadValues,
    ::testing::Values(
        BadValue{"POST", "/shop/choose", R"({"context":[1]})", 422},
        BadValue{"POST", "/shop/choose", R"({"count":100000})", 422},
        BadValue{"POST", "/shop/choose", R"({"arms":["x"]})", 404},
        BadValue{"POST", "/shop/choose", R"({"arms":[1]})", 422},
        BadValue{"POST", "/shop/choose", R"({"arms":[]})", 422},
        BadValue{"POST", "/shop/choose", R"({"tags":"green"})", 422},
        BadValue{"POST", "/shop/choose", R"({"tags":"red and"})", 422},
        BadValue{"POST", "/shop/reward", R"({"decision":1,"reward":1})", 404},
        BadValue{"POST", "/shop/reward", R"({"event":"none","reward":1})", 404},
        BadValue{"POST", "/shop/reward",
                 R"({"decision":18446744073709551615,"reward":1})", 404},
        BadValue{"POST", "/shop/dismiss", R"({"decision":1})", 404},
        BadValue{"POST", "/shop/activate", R"({"event":"none"})", 404},
        BadValue{"POST", "/shop/observe", R"({"arm":"x","reward":1})", 404},
        BadValue{"POST", "/shop/observe", R"({"features":[1],"reward":1})",
                 422},
        BadValue{"POST", "/shop/observe", R"({"arm":"a","reward":1e30})", 422},
        BadValue{"POST", "/shop/predict", R"({"arms":["x"]})", 404},
        BadValue{"POST", "/shop/predict", R"({"rows":[[1]]})", 422},
        BadValue{"POST", "/shop/predict", R"({"best":1,"context":[1]})", 422},
        BadValue{"GET", "/shop/decisions/1", "", 404},
        BadValue{"GET", "/shop/decisions/x", "", 422},
        BadValue{"GET", "/shop/decisions/-1", "", 422},
        BadValue{"GET", "/shop/decisions/18446744073709551615", "", 404},
        BadValue{"GET", "/shop/learners/u", "", 404},
        BadValue{"DELETE", "/shop/learners/u", "", 404},
        BadValue{"POST", "/shop/snapshots/s/restore", "", 404},
        BadValue{"DELETE", "/shop/snapshots/s", "", 404}));

}  // namespace
}  // namespace manyarms::service
