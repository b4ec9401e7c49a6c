#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "service/api/test_service.h"

namespace manyarms::service {
namespace {

class Metrics : public TestService {
 protected:
  std::string Text() {
    const TestAnswer answer =
        Ask({.path = "/metrics",
             .headers = {"Accept: application/openmetrics-text; version=1.0.0, "
                         "text/plain; q=0.5"}});
    EXPECT_NE(answer.head.find("Content-Type: application/openmetrics-text; "
                               "version=1.0.0; charset=utf-8"),
              std::string::npos);
    return answer.body;
  }

  void MakeTraffic() {
    MakeShop();
    for (int i = 0; i < 5; ++i) Ask({"POST", "/v1/bandits/shop/choose"});
    Post("/v1/bandits/shop/observe", R"({"arm":"a","reward":1})");
    Get("/v1/nothing");
    Get("/v1/bandits/shop?wrong=1");
    Get("/v1/bandits/none");
  }
};

TEST_F(Metrics, AreWhatPromtoolAccepts) {
  Start();
  MakeTraffic();
  const std::string path = (folder_ / "metrics").string();
  std::ofstream(path) << Get("/metrics").body;
  const std::string command =
      "promtool check metrics <" + path + " >" + path + ".out 2>&1";
  // NOLINTNEXTLINE(bugprone-command-processor,concurrency-mt-unsafe): our words
  const int status = std::system(command.c_str());
  std::stringstream said;
  said << std::ifstream(path + ".out").rdbuf();
  EXPECT_EQ(status, 0) << said.str()
                       << "(promtool is in Debian's package prometheus)";
}

TEST_F(Metrics, AreInTheOlderFormatForThoseWhoDoNotAskForAnother) {
  Start();
  for (const char* accept : {"text/plain", "*/*"}) {
    const TestAnswer answer = Ask(
        {.path = "/metrics", .headers = {std::string("Accept: ") + accept}});
    EXPECT_NE(answer.head.find("Content-Type: text/plain; version=0.0.4"),
              std::string::npos);
    EXPECT_EQ(answer.body.find("# EOF"), std::string::npos);
  }
}

TEST_F(Metrics, AreOpenMetrics) {
  Start();
  MakeTraffic();
  const std::string text = Text();
  ASSERT_TRUE(text.ends_with("# EOF\n"));
  const std::regex comment("# (TYPE|HELP) ([a-z_]+) .+");
  const std::regex sample(
      "([a-z_]+?)(_total|_bucket|_count|_sum)?"
      "(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*\\})? "
      "-?[0-9.]+(e[+-]?[0-9]+)?");
  std::istringstream lines(text);
  std::set<std::string> families;
  std::string family;
  std::string line;
  while (std::getline(lines, line) && line != "# EOF") {
    std::smatch match;
    if (std::regex_match(line, match, comment)) {
      if (match[2] != family) {
        family = match[2];
        EXPECT_TRUE(families.insert(family).second) << family;
      }
    } else {
      ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
      // Samples stand below their family, whole.
      EXPECT_TRUE(line.starts_with(family)) << line;
    }
  }
  for (const char* expected :
       {"manyarms_choices_total{bandit=\"shop\"} 5\n",
        "manyarms_rewards_total{bandit=\"shop\",kind=\"observed\"} 1\n",
        "manyarms_arms{bandit=\"shop\"} 3\n",
        "manyarms_requests_total{route=\"POST /v1/bandits/{bandit}/choose\","
        "status=\"200\"} 5\n",
        "manyarms_requests_total{route=\"other\",status=\"404\"} 1\n",
        "manyarms_requests_total{route=\"GET /v1/bandits/{bandit}\","
        "status=\"404\"} 1\n",
        "manyarms_requests_total{route=\"GET /v1/bandits/{bandit}\","
        "status=\"422\"} 1\n",
        "manyarms_request_seconds_count{route=\"POST "
        "/v1/bandits/{bandit}/choose\"} 5\n",
        "manyarms_store_failed 0\n"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << text;
  }
}

}  // namespace
}  // namespace manyarms::service
