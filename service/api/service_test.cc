#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "becomes.h"
#include "manyarms/error.h"
#include "service/api/npy_bytes.h"
#include "service/api/test_service.h"
#include "service/api/thrown.h"

namespace manyarms::service {
namespace {

using testing::Becomes;

class ServiceTest : public TestService {
 protected:
  Json Stats() { return Get("/v1/bandits/shop").json().at("stats"); }
};

TEST_F(ServiceTest, ChoosesLearnsAndComesBack) {
  Start();
  MakeShop();
  const Json choice =
      Post("/v1/bandits/shop/choose", R"({"learner":"u","event":"e1"})").json();
  const std::string decision = choice.at("decision").dump();
  Json again =
      Post("/v1/bandits/shop/choose", R"({"learner":"u","event":"e1"})").json();
  EXPECT_EQ(again.at("repeated"), true);
  again["repeated"] = false;
  EXPECT_EQ(again, choice);
  const std::string reward =
      R"({"decision":)" + decision + R"(,"reward":0.5,"id":"r1"})";
  EXPECT_EQ(Post("/v1/bandits/shop/reward", reward).json().at("learned"), true);
  EXPECT_EQ(Post("/v1/bandits/shop/reward", reward).json().at("reason"),
            "repeated");
  const Json before =
      Post("/v1/bandits/shop/predict", R"({"learner":"u","best":3})").json();
  EXPECT_EQ(before.at("arms").size(), 3U);

  Start();
  EXPECT_EQ(
      Post("/v1/bandits/shop/predict", R"({"learner":"u","best":3})").json(),
      before);
  again =
      Post("/v1/bandits/shop/choose", R"({"learner":"u","event":"e1"})").json();
  EXPECT_EQ(again.at("repeated"), true);
  EXPECT_EQ(again.at("decision"), choice.at("decision"));
  const Json stored = Get("/v1/bandits/shop/decisions/" + decision).json();
  EXPECT_EQ(stored.at("learner"), "u");
  EXPECT_EQ(stored.at("arm"), choice.at("arm"));
  EXPECT_EQ(stored.at("rewards").at(0).at("reward"), 0.5);
  EXPECT_EQ(stored.at("rewards").at(0).at("id"), "r1");
}

TEST_F(ServiceTest, ChoosesSlatesAndAmongTags) {
  Start();
  MakeShop();
  const Json slate = Post("/v1/bandits/shop/choose", R"({"count":5})").json();
  ASSERT_EQ(slate.at("decisions").size(), 3U);
  EXPECT_EQ(slate.at("decisions").at(2).at("rank"), 2);
  for (int i = 0; i < 20; ++i) {
    const Json choice =
        Post("/v1/bandits/shop/choose", R"({"tags":"red and not blue"})")
            .json();
    EXPECT_EQ(choice.at("arm"), "b");
    EXPECT_EQ(choice.at("eligible"), 1);
  }
  EXPECT_EQ(
      Post("/v1/bandits/shop/choose", R"({"arms":["c"]})").json().at("arm"),
      "c");
  EXPECT_EQ(Ask({"POST", "/v1/bandits/shop/choose"}).status, 200U);
}

TEST_F(ServiceTest, AnswersBatchesInOrder) {
  options_.most_batch = 20;
  Start();
  MakeShop();
  for (const int size : {1, 8, 9, 20}) {
    std::string body = R"({"choices":[)";
    for (int i = 0; i < size; ++i) {
      const std::string name = std::to_string(i);
      body += i % 3 == 1
                  ? R"({"count":"x"},)"
                  : fmt::format(R"({{"learner":{0},"event":"e{0}"}},)", name);
    }
    body.back() = ']';
    const Json results =
        Post("/v1/bandits/shop/choices", body + "}").json().at("results");
    ASSERT_EQ(results.size(), static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      const Json& result = results.at(static_cast<std::size_t>(i));
      if (i % 3 == 1) {
        EXPECT_EQ(result.at("error").at("status"), 422);
      } else {
        EXPECT_EQ(result.at("learner"), std::to_string(i));
      }
    }
  }
  EXPECT_EQ(Post("/v1/bandits/shop/rewards",
                 R"({"rewards":[{"event":"e0","reward":1},{"event":"none",)"
                 R"("reward":1},{"event":"e2"}]})")
                .json()
                .at("results")
                .size(),
            3U);
  std::string longer = R"({"choices":[{})";
  for (int i = 0; i < 20; ++i) longer += ",{}";
  EXPECT_EQ(Post("/v1/bandits/shop/choices", longer + "]}").status, 413U);
}

TEST_F(ServiceTest, BoundsTheDecisionsOfABatch) {
  options_.most_batch_decisions = 5;
  Start();
  MakeShop();
  const std::string path = "/v1/bandits/shop/choices";
  EXPECT_EQ(
      Post(path, R"({"choices":[{"count":3},{},{"count":"x"},{}]})").status,
      200U);
  const TestAnswer refused =
      Post(path, R"({"choices":[{"count":3},{},{},{}]})");
  EXPECT_EQ(refused.status, 413U);
  EXPECT_EQ(refused.message(),
            "choices ask for more than 5 decisions together, which is the "
            "most");
  EXPECT_EQ(Post(path, R"({"choices":[{"count":6}]})").status, 413U);
  EXPECT_EQ(Get("/v1/bandits/shop").json().at("stats").at("open_decisions"), 5);
}

TEST_F(ServiceTest, RecallsBatchesAfterARestart) {
  Start();
  MakeShop();
  const std::string body =
      R"({"choices":[{"event":"e1"},{"event":"e2","count":2}]})";
  Json first = Post("/v1/bandits/shop/choices", body).json();
  Start();
  Json second = Post("/v1/bandits/shop/choices", body).json();
  for (Json& result : second.at("results")) {
    EXPECT_EQ(result.at("repeated"), true);
    result["repeated"] = false;
  }
  EXPECT_EQ(first, second);
}

TEST_F(ServiceTest, ServesBanditsWithNumbers) {
  Start();
  ASSERT_EQ(Put("/v1/bandits/n", R"({"dim":2,"arms":"numbers"})").status, 201U);
  EXPECT_EQ(
      Put("/v1/bandits/n/arms/18446744073709551615", R"({"features":[1,2]})")
          .status,
      201U);
  EXPECT_EQ(Put("/v1/bandits/n/arms/x", R"({"features":[1,2]})").status, 422U);
  EXPECT_EQ(Put("/v1/bandits/n/arms/-1", R"({"features":[1,2]})").status, 422U);
  EXPECT_EQ(Get("/v1/bandits/n/arms/18446744073709551615").json().at("arm"),
            18446744073709551615U);
  EXPECT_EQ(Ask({"POST", "/v1/bandits/n/choose"}).json().at("arm"),
            18446744073709551615U);
}

TEST_F(ServiceTest, TakesManyArmsInEveryForm) {
  Start();
  ASSERT_EQ(Put("/v1/bandits/n", R"({"dim":2,"arms":"numbers"})").status, 201U);
  const std::string npy =
      NpyBytes("<i8", "(3,)", BytesOf<std::int64_t>({1, 2, 3})) +
      NpyBytes("<f8", "(3, 2)", BytesOf<double>({1, 2, 3, 4, 5, 6}));
  const TestAnswer added =
      Ask({"POST", "/v1/bandits/n/arms?mode=add", npy, "application/x-npy"});
  EXPECT_EQ(added.body, R"({"added":3,"changed":0,"arms":3})");
  EXPECT_EQ(Get("/v1/bandits/n/arms/3").json().at("features"),
            (std::vector<float>{5, 6}));
  const TestAnswer lines =
      Ask({"POST", "/v1/bandits/n/arms?progress=true",
           "{\"arm\":3,\"features\":[7,8],\"tags\":[\"t\"]}\n"
           "{\"arm\":4,\"features\":[1,1]}\n",
           "application/x-ndjson"});
  EXPECT_EQ(lines.body,
            "{\"stage\":\"received\",\"arms\":2}\n"
            "{\"stage\":\"added\",\"arms\":2}\n"
            "{\"stage\":\"done\",\"added\":1,\"changed\":1,\"arms\":4}\n");
  const TestAnswer cut =
      Ask({"POST", "/v1/bandits/n/arms", npy.substr(0, npy.size() - 1),
           "application/x-npy"});
  EXPECT_EQ(cut.status, 400U);
  const TestAnswer wrong =
      Ask({"POST", "/v1/bandits/n/arms",
           "{\"arm\":5,\"features\":[1,1]}\n{\"arm\":6,\"features\":[1]}\n",
           "application/x-ndjson"});
  EXPECT_EQ(wrong.status, 422U);
  EXPECT_TRUE(wrong.message().starts_with("line 2: ")) << wrong.message();
  const TestAnswer failed =
      Ask({"POST", "/v1/bandits/n/arms?progress=true&mode=add",
           "{\"arm\":5,\"features\":[1,1]}\n{\"arm\":4,\"features\":[1,1]}\n",
           "application/x-ndjson"});
  EXPECT_EQ(failed.status, 200U);
  EXPECT_NE(failed.body.find("{\"stage\":\"failed\",\"error\":{\"status\":409"),
            std::string::npos)
      << failed.body;
  EXPECT_EQ(Get("/v1/bandits/n").json().at("stats").at("arms"), 4);
}

TEST_F(ServiceTest, ListsArmsOnPages) {
  Start();
  ASSERT_EQ(Put("/v1/bandits/n", R"({"dim":2,"arms":"numbers"})").status, 201U);
  std::string lines;
  for (int i = 0; i < 12'000; ++i) {
    lines += "{\"arm\":" + std::to_string(i) + ",\"features\":[0.125,-0.5]}\n";
  }
  ASSERT_EQ(
      Ask({"POST", "/v1/bandits/n/arms", lines, "application/x-ndjson"}).status,
      200U);
  const Json page = Get("/v1/bandits/n/arms?limit=10000").json();
  EXPECT_EQ(page.at("arms").size(), 10'000U);
  const Json rest =
      Get("/v1/bandits/n/arms?limit=10000&from=" + page.at("next").dump())
          .json();
  EXPECT_EQ(rest.at("arms").size(), 2'000U);
  EXPECT_TRUE(rest.at("next").is_null());
}

TEST_F(ServiceTest, ListsLearnersWithTheOneWithoutAName) {
  Start();
  MakeShop();
  for (const char* learner : {"\"b/ü\"", "\"\"", "7"}) {
    Post("/v1/bandits/shop/choose",
         R"({"learner":)" + std::string(learner) + "}");
  }
  const Json all = Get("/v1/bandits/shop/learners").json();
  EXPECT_EQ(all.at("learners"), (std::vector<std::string>{"", "7", "b/ü"}));
  std::vector<std::string> one_by_one;
  std::string query = "?limit=1";
  for (int i = 0; i < 4; ++i) {
    const Json page = Get("/v1/bandits/shop/learners" + query).json();
    if (page.at("next").is_null()) break;
    one_by_one.push_back(page.at("next"));
    query = "?limit=1&after=" +
            (one_by_one.back() == "b/ü" ? "b%2F%C3%BC" : one_by_one.back());
  }
  EXPECT_EQ(one_by_one, all.at("learners").get<std::vector<std::string>>());
  EXPECT_EQ(Get("/v1/bandits/shop/learners/b%2F%C3%BC").json().at("choices"),
            1);
  EXPECT_EQ(Get("/v1/bandits/shop/learners/").json().at("choices"), 1);
  EXPECT_EQ(Ask({"DELETE", "/v1/bandits/shop/learners/b%2F%C3%BC"}).status,
            204U);
  EXPECT_EQ(Get("/v1/bandits/shop/learners/b%2F%C3%BC").status, 404U);
}

TEST_F(ServiceTest, TakesAndRestoresSnapshots) {
  Start();
  MakeShop();
  EXPECT_EQ(Ask({"PUT", "/v1/bandits/shop/snapshots/s"}).status, 201U);
  EXPECT_EQ(Ask({"PUT", "/v1/bandits/shop/snapshots/s"}).status, 409U);
  EXPECT_EQ(Ask({"DELETE", "/v1/bandits/shop/arms/a"}).status, 204U);
  EXPECT_EQ(Get("/v1/bandits/shop/snapshots").json().at("snapshots").size(),
            1U);
  EXPECT_EQ(Ask({"POST", "/v1/bandits/shop/snapshots/s/restore"}).status, 200U);
  EXPECT_EQ(Get("/v1/bandits/shop/arms/a").status, 200U);
  EXPECT_EQ(Ask({"DELETE", "/v1/bandits/shop/snapshots/s"}).status, 204U);
}

TEST_F(ServiceTest, WritesBackups) {
  Start();
  MakeShop();
  EXPECT_EQ(Post("/v1/backup", R"({"file":"copy.db"})").status, 200U);
  EXPECT_EQ(Post("/v1/backup", R"({"file":"copy.db"})").status, 409U);
  EXPECT_EQ(Post("/v1/backup", R"({"file":"../copy.db"})").status, 422U);
  End();
  options_.store.place = (folder_ / "copy.db").string();
  Start();
  EXPECT_EQ(Get("/v1/bandits/shop/arms").json().at("arms").size(), 3U);
}

TEST_F(ServiceTest, ChangesAndDeletesBandits) {
  Start();
  MakeShop();
  EXPECT_EQ(Put("/v1/bandits/shop", R"({"dim":2})").status, 200U);
  const Json changed =
      Ask({"PATCH", "/v1/bandits/shop",
           R"({"reward_wait":60,"default_reward":0})", "application/json"})
          .json();
  EXPECT_EQ(changed.at("settings").at("reward_wait"), 60);
  EXPECT_EQ(changed.at("settings").at("default_reward"), 0);
  const TestAnswer again = Put("/v1/bandits/shop", R"({"dim":2})");
  EXPECT_EQ(again.status, 200U);
  EXPECT_EQ(again.json().at("settings"), changed.at("settings"));
  EXPECT_EQ(Put("/v1/bandits/shop", R"({"dim":3})").status, 409U);
  EXPECT_EQ(Get("/v1/bandits").json().at("bandits").size(), 1U);
  EXPECT_EQ(Ask({"DELETE", "/v1/bandits/shop"}).status, 204U);
  EXPECT_EQ(Get("/v1/bandits/shop").status, 404U);
  EXPECT_EQ(Get("/v1/bandits").json().at("bandits").size(), 0U);
}

TEST_F(ServiceTest, MakesChangesOfSeveralClientsAtTheSameTime) {
  Start();
  MakeShop();
  const std::string path = "/v1/bandits/shop";
  for (int round = 1; round <= 30; ++round) {
    std::vector<std::jthread> threads;
    for (const char* field : {"reward_wait", "probability_draws"}) {
      threads.emplace_back([&, field] {
        http::testing::RawClient client(port_);
        const std::string body =
            "{\"" + std::string(field) + "\":" + std::to_string(round) + "}";
        const auto answer =
            client.Ask(TextOf({"PATCH", path, body, "application/json"}));
        EXPECT_EQ(answer ? answer->status : 0, 200);
      });
    }
    threads.clear();
    const Json settings = Get(path).json().at("settings");
    EXPECT_EQ(settings.at("reward_wait"), round);
    EXPECT_EQ(settings.at("probability_draws"), round);
  }
}

TEST_F(ServiceTest, HasAnApprentice) {
  Start();
  MakeShop(R"({"dim":2,"mode":"apprentice"})");
  EXPECT_EQ(Ask({"POST", "/v1/bandits/shop/choose"}).status, 422U);
  const Json choice =
      Post("/v1/bandits/shop/choose", R"({"own_arm":"b"})").json();
  EXPECT_EQ(choice.at("arm"), "b");
  EXPECT_TRUE(choice.contains("policy_arm"));
  EXPECT_EQ(Stats().at("compared"), 1);
}

TEST_F(ServiceTest, RefusesCompressedBodies) {
  Start();
  MakeShop();
  const auto choose = [this](const std::string& coding) {
    return Ask({.method = "POST",
                .path = "/v1/bandits/shop/choose",
                .body = "{}",
                .type = "application/json",
                .headers = {"Content-Encoding: " + coding}});
  };
  EXPECT_EQ(choose("identity").status, 200U);
  const TestAnswer refused = choose("gzip");
  EXPECT_EQ(refused.status, 415U);
  EXPECT_NE(refused.message().find("gzip"), std::string::npos);
}

TEST_F(ServiceTest, SaysThatADecisionBecameActive) {
  Start();
  MakeShop();
  const auto choose = [this] {
    const Json choice =
        Post("/v1/bandits/shop/choose", R"({"active":false})").json();
    return choice.at("decision").dump();
  };
  const auto is_active = [this](const std::string& decision) {
    return Get("/v1/bandits/shop/decisions/" + decision).json().at("active");
  };
  for (const char* verb : {"activate", "reward"}) {
    const std::string decision = choose();
    EXPECT_EQ(is_active(decision), false);
    std::string body = R"({"decision":)" + decision;
    if (std::string(verb) == "reward") body += R"(,"reward":1)";
    body += '}';
    Post(std::string("/v1/bandits/shop/") + verb, body);
    EXPECT_EQ(is_active(decision), true) << verb;
  }
  const std::string dismissed = choose();
  Post("/v1/bandits/shop/dismiss", R"({"decision":)" + dismissed + "}");
  EXPECT_EQ(is_active(dismissed), false);
}

TEST_F(ServiceTest, SaysSinceWhenItCounts) {
  Start();
  MakeShop();
  Ask({"POST", "/v1/bandits/shop/choose"});
  const double first = Stats().at("counted_since");
  const double start = Get("/v1/live").json().at("started");
  EXPECT_GE(first, start);
  Start();
  EXPECT_EQ(Stats().at("choices"), 0);
  EXPECT_GT(Stats().at("counted_since"), first);
}

TEST_F(ServiceTest, EvaluatesPoliciesOnWhatItHasStored) {
  Start();
  MakeShop(R"({"dim":2,"explore_uniform":1})");
  const auto evaluate = [this](const std::string& body) {
    return Post("/v1/bandits/shop/evaluate", body);
  };
  EXPECT_EQ(evaluate("{}").status, 422U);  // no decisions
  for (int i = 0; i < 100; ++i) {
    const Json choice = Ask({"POST", "/v1/bandits/shop/choose"}).json();
    const std::string reward = choice.at("arm") == "b" ? "1" : "0";
    Post("/v1/bandits/shop/reward", R"({"decision":)" +
                                        choice.at("decision").dump() +
                                        R"(,"reward":)" + reward + "}");
  }
  // What is chosen from some of the arms is left out, and does no harm.
  for (int i = 0; i < 10; ++i) {
    const Json choice =
        Post("/v1/bandits/shop/choose", R"({"tags":"red"})").json();
    Post("/v1/bandits/shop/reward",
         R"({"decision":)" + choice.at("decision").dump() + R"(,"reward":0})");
  }
  const Json own = evaluate("{}").json();
  ASSERT_TRUE(own.contains("policy")) << own;
  EXPECT_EQ(own.at("choices"), 110);
  EXPECT_EQ(own.at("uniform"), 110);
  EXPECT_EQ(own.at("restricted"), 10);
  EXPECT_EQ(own.at("replay_restricted"), 10);
  EXPECT_EQ(own.at("policy"), "ts");
  const Json ucb =
      evaluate(R"({"policy":"ucb","exploration":0.5,"search":"scan",)"
               R"("explore_uniform":0,"learn_share":0.25,"level":0.9})")
          .json();
  ASSERT_TRUE(ucb.contains("policy")) << ucb;
  EXPECT_EQ(ucb.at("policy"), "ucb");
  EXPECT_EQ(ucb.at("learned"), 27);
  // A policy that has learned that b is best would have done better.
  EXPECT_GT(ucb.at("ips").at("value"), ucb.at("logged").at("value"));
  for (const char* wrong :
       {R"({"policy":"best"})", R"({"dim":2})", R"({"level":2})",
        R"({"draws":0})", R"({"learn_share":"x"})", R"({"accuracy":0.1})",
        R"({"since":1e12})"}) {
    EXPECT_EQ(evaluate(wrong).status, 422U) << wrong;
  }
}

TEST_F(ServiceTest, ShowsThePageUnderAStrictPolicy) {
  Start();
  const TestAnswer page = Get("/");
  EXPECT_EQ(page.status, 200U);
  EXPECT_TRUE(page.body.starts_with("<!")) << page.body.substr(0, 40);
  for (const char* header : {"Content-Type: text/html; charset=utf-8",
                             "Referrer-Policy: no-referrer",
                             "default-src 'none'; script-src 'sha256-",
                             "style-src 'sha256-", "frame-ancestors 'none'"}) {
    EXPECT_NE(page.head.find(header), std::string::npos) << header << page.head;
  }
}

TEST_F(ServiceTest, ShowsWhatHappens) {
  options_.slow_seconds = 1e-9;
  Start();
  MakeShop();
  for (int i = 0; i < 10; ++i) Ask({"POST", "/v1/bandits/shop/choose"});
  // The history has the second once it is over.
  Json live;
  EXPECT_TRUE(Becomes([&] {
    live = Get("/v1/live").json();
    const Json& choices = live.at("bandits").at(0).at("history").at("choices");
    return !choices.empty() && choices.back() == 0;
  }));
  double choices = 0;
  for (const Json& count :
       live.at("bandits").at(0).at("history").at("choices")) {
    choices += count.get<double>();
  }
  EXPECT_EQ(choices, 10);
  EXPECT_EQ(live.at("slow").size(), 20U);
  const Json& history = live.at("history");
  EXPECT_EQ(history.at("requests").size(), history.at("p50").size());
  EXPECT_GE(live.at("routes").at(0).at("requests"), 10);
  EXPECT_TRUE(HasLogged("slow"));
}

TEST_F(ServiceTest, ReadsTokensAgain) {
  const std::string path = (folder_ / "tokens").string();
  std::ofstream(path) << "read old-0123456789ab\n";
  options_.tokens_file = path;
  Start();
  const auto status = [this](const std::string& token) {
    return Ask({.path = "/v1", .token = token}).status;
  };
  EXPECT_EQ(status("old-0123456789ab"), 200U);
  std::ofstream(path) << "read new-0123456789ab\n";
  service_->ReloadTokens();
  EXPECT_EQ(status("old-0123456789ab"), 401U);
  EXPECT_EQ(status("new-0123456789ab"), 200U);
  for (const char* wrong : {"", "nobody new-0123456789ab\n", "read short\n"}) {
    std::ofstream(path) << wrong;
    EXPECT_THROW(service_->ReloadTokens(), Error);
    EXPECT_EQ(status("new-0123456789ab"), 200U);
  }
  EXPECT_TRUE(HasLogged("reload_failed"));
}

TEST_F(ServiceTest, ListensOnLoopbackOnlyWithoutTokens) {
  options_.server.address = "0.0.0.0";
  EXPECT_EQ(StatusIn([&] { Service service(options_); }), 422U);
  const std::string path = (folder_ / "tokens").string();
  std::ofstream(path) << "read reader-0123456789\n";
  options_.tokens_file = path;
  Start();
  EXPECT_EQ(
      Ask({.path = "/v1", .token = "reader-0123456789", .host = "shop.example"})
          .status,
      200U);
}

TEST_F(ServiceTest, WarnsOfTokensThatOthersCanRead) {
  const std::string path = (folder_ / "tokens").string();
  std::ofstream(path) << "read reader-0123456789\n";
  options_.tokens_file = path;
  Start();
  EXPECT_FALSE(HasLogged("tokens_without_tls"));
  options_.server.address = "0.0.0.0";
  Start();
  EXPECT_TRUE(HasLogged("tokens_without_tls"));
}

TEST_F(ServiceTest, LogsWhereItKeepsWhat) {
  Start();
  End();
  Json start;
  for (const std::string& text : log_) {
    const Json line = Json::parse(text);
    if (line.at("event") == "start") start = line;
  }
  EXPECT_EQ(start.at("address"), "127.0.0.1");
  EXPECT_EQ(start.at("durability"), "full");
  const std::string data = start.at("data");
  EXPECT_NE(data.find("test.db"), std::string::npos);
}

TEST_F(ServiceTest, AnswersNoPagesOfOtherOriginsWithoutTokens) {
  Start();
  MakeShop();
  EXPECT_EQ(Ask({.path = "/v1", .host = "localhost:7420"}).status, 200U);
  EXPECT_EQ(Ask({.path = "/v1", .host = "evil.example"}).status, 403U);
  EXPECT_EQ(Ask({.method = "POST",
                 .path = "/v1/bandits/shop/choose",
                 .headers = {"Origin: http://evil.example"}})
                .status,
            403U);
  EXPECT_EQ(Ask({.path = "/healthz", .host = "evil.example"}).status, 200U);
}

TEST_F(ServiceTest, AnswersNoProxiesWithoutTokens) {
  const auto statuses = [this](const std::string& token) {
    std::vector<unsigned> found;
    for (const char* header :
         {"Forwarded: for=192.0.2.1", "x-forwarded-for: 192.0.2.1",
          "X-Forwarded-Host: shop.example", "X-Real-IP: 192.0.2.1",
          "Via: 1.1 proxy"}) {
      found.push_back(
          Ask({.path = "/v1", .token = token, .headers = {header}}).status);
    }
    return found;
  };
  Start();
  EXPECT_EQ(statuses(""), std::vector<unsigned>(5, 403));
  EXPECT_EQ(Get("/v1").status, 200U);
  EXPECT_EQ(Ask({.path = "/healthz", .headers = {"Via: 1.1 proxy"}}).status,
            200U);
  const std::string path = (folder_ / "tokens").string();
  std::ofstream(path) << "read reader-0123456789\n";
  options_.tokens_file = path;
  Start();
  EXPECT_EQ(statuses("reader-0123456789"), std::vector<unsigned>(5, 200));
}

TEST_F(ServiceTest, LogsChangesAndCountsRefusals) {
  const std::string path = (folder_ / "tokens").string();
  std::ofstream(path) << "read reader-0123456789\nadmin admin-0123456789ab\n";
  options_.tokens_file = path;
  options_.slow_seconds = 0;
  Start();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(Ask({.path = "/v1", .token = "x"}).status, 401U);
  }
  EXPECT_EQ(Ask({"PUT", "/v1/bandits/shop", R"({"dim":2})", "application/json",
                 "admin-0123456789ab"})
                .status,
            201U);
  EXPECT_EQ(Ask({.method = "PUT",
                 .path = "/v1/bandits/shop/snapshots/s",
                 .token = "admin-0123456789ab"})
                .status,
            201U);
  End();
  std::uint64_t refused = 0;
  std::size_t lines = 0;
  std::vector<std::string> changes;
  bool slow_names_bandit = false;
  for (const std::string& text : log_) {
    const Json line = Json::parse(text);
    if (line.at("event") == "refused") {
      EXPECT_EQ(line.at("status"), 401);
      refused += line.at("count").get<std::uint64_t>();
      ++lines;
    }
    if (line.at("event") == "changed") {
      EXPECT_EQ(line.at("bandit"), "shop");
      changes.push_back(line.at("route"));
    }
    slow_names_bandit =
        slow_names_bandit ||
        (line.at("event") == "slow" && line.value("bandit", "") == "shop");
  }
  EXPECT_EQ(refused, 50U);
  EXPECT_LE(lines, 10U);
  EXPECT_EQ(changes.size(), 2U);
  EXPECT_TRUE(slow_names_bandit);
}

TEST_F(ServiceTest, IsNotReadyWhileItReadsTheStore) {
  Start();
  MakeShop();
  End();
  // The port that was free is free.
  options_.server.port = port_;
  std::vector<unsigned> statuses;
  options_.progress = [&](const std::string&, double) {
    if (!statuses.empty()) return;
    statuses.push_back(Get("/readyz").status);
    statuses.push_back(Get("/v1/bandits/shop").status);
    statuses.push_back(Get("/healthz").status);
  };
  service_ = std::make_unique<Service>(options_);
  EXPECT_EQ(statuses, (std::vector<unsigned>{503, 503, 200}));
  EXPECT_EQ(Get("/readyz").status, 200U);
}

TEST_F(ServiceTest, SaysWhichDataFileIsInUse) {
  Start();
  ServiceOptions other = options_;
  EXPECT_EQ(StatusIn([&] { Service second(other); }), 503U);
  EXPECT_EQ(Get("/readyz").status, 200U);
}

TEST_F(ServiceTest, StopsWithoutLosingWhatItAnswers) {
  Start();
  MakeShop();
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> answered = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, &answered] {
      http::testing::RawClient client(port_);
      const std::string text =
          TextOf({"POST", "/v1/bandits/shop/choose", "{}", "application/json"});
      while (const auto answer = client.Ask(text)) {
        if (answer->status != 200) break;
        ++answered;
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  service_->Stop(5);
  for (std::thread& thread : threads) thread.join();
  Start();
  const Json learner = Get("/v1/bandits/shop/learners/").json();
  EXPECT_GE(learner.at("choices"), answered.load());
  EXPECT_GT(answered, 0);
  EXPECT_TRUE(HasLogged("stop"));
}

TEST_F(ServiceTest, AnswersChoicesAtOnceIfDurabilityIsRelaxed) {
  options_.durability = Durability::kRelaxed;
  Start();
  MakeShop();
  EXPECT_EQ(Ask({"POST", "/v1/bandits/shop/choose"}).status, 200U);
  EXPECT_EQ(Get("/v1/live").json().at("durability"), "relaxed");
}

// Files may grow no further than this. The disk is full for the store, then.
void LimitFiles(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(ServiceTest, AcknowledgesNothingThatIsNotWritten) {
  Start();
  MakeShop();
  LimitFiles(1);
  const TestAnswer refused =
      Post("/v1/bandits/shop/choose", R"({"event":"e1"})");
  EXPECT_EQ(refused.status, 503U) << refused.body;
  EXPECT_NE(refused.head.find("Retry-After: 1"), std::string::npos);
  const TestAnswer readiness = Get("/readyz");
  EXPECT_EQ(readiness.status, 503U);
  EXPECT_EQ(
      Post("/v1/bandits/shop/observe", R"({"arm":"a","reward":1})").status,
      503U);
  const TestAnswer put = Put("/v1/bandits/other", R"({"dim":2})");
  EXPECT_EQ(put.status, 503U);
  // Where the data is, and what the database says, is not for strangers.
  for (const TestAnswer& answer : {refused, readiness, put}) {
    EXPECT_EQ(answer.body.find("test.db"), std::string::npos) << answer.body;
    EXPECT_NE(answer.body.find(kCannotWrite), std::string::npos) << answer.body;
  }
  const std::string reason = Get("/v1/live").json().at("store").at("failure");
  EXPECT_NE(reason.find("test.db"), std::string::npos) << reason;
  EXPECT_EQ(Get("/v1/bandits/shop").status, 200U);  // reading goes on
  LimitFiles(RLIM_INFINITY);
  ASSERT_TRUE(Becomes([&] { return Get("/readyz").status == 200U; }));
  const Json choice =
      Post("/v1/bandits/shop/choose", R"({"event":"e1"})").json();
  EXPECT_EQ(choice.at("repeated"), true);
  Start();
  EXPECT_TRUE(HasLogged("refused"));
  EXPECT_FALSE(HasLogged("failed"));
  EXPECT_EQ(Get("/v1/bandits/shop/learners/").json().at("choices"), 1);
}

}  // namespace
}  // namespace manyarms::service
