#include "service/load/run_load.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "service/load/scripted_server.h"
#include "testing.h"

namespace manyarms::load {
namespace {

using nlohmann::json;

std::string Answer(unsigned status, const json& body) {
  return ScriptedServer::Answer(status, body.dump());
}

// Answers like a service that always chooses the same arms.
class Replies {
 public:
  explicit Replies(std::uint64_t arms) : arms_(arms) {}

  std::string operator()(const ScriptedServer::Request& request) {
    const std::scoped_lock lock(mutex_);
    lines_.insert(request.line);
    if (request.line == "PUT /v1/bandits/load-test") {
      settings_ = json::parse(request.body);
      return Answer(201, json::object());
    }
    if (request.line == "POST /v1/bandits/load-test/arms") {
      arms_bytes_ = request.body.size();
      return Answer(200, {{"added", arms_}});
    }
    if (request.line == "DELETE /v1/bandits/load-test") {
      return ScriptedServer::Answer(204, "");
    }
    const json body = json::parse(request.body);
    if (request.line.ends_with("/choose")) return Answer(200, Choose());
    if (request.line.ends_with("/reward")) return Answer(200, Reward(body));
    json results = json::array();
    if (request.line.ends_with("/choices")) {
      for (const auto& one : body["choices"]) {
        learners_.insert(one["learner"]);
        results.push_back(Choose());
      }
    } else {
      for (const auto& one : body["rewards"]) results.push_back(Reward(one));
    }
    return Answer(200, {{"results", results}});
  }

  json Choose() {
    ++decisions_;
    const std::uint64_t arm = decisions_ % arms_;
    return {{"learner", "u"},
            {"decision", decisions_},
            {"arm", world_.NameOf(arm)},
            {"score", 0.5},
            {"eligible", arms_}};
  }

  json Reward(const json& body) {
    rewarded_.insert(body["decision"].get<std::uint64_t>());
    return {{"decision", body["decision"]}, {"learned", true}};
  }

  std::mutex mutex_;
  const std::uint64_t arms_;
  const World world_{{}};
  json settings_;
  std::size_t arms_bytes_ = 0;
  std::uint64_t decisions_ = 0;
  std::set<std::uint64_t> rewarded_;
  std::set<std::string> learners_;
  std::set<std::string> lines_;
};

LoadOptions OptionsFor(const ScriptedServer& server) {
  LoadOptions options;
  options.drive.endpoint.port = server.port();
  options.drive.connections = 4;
  options.drive.seconds = 20;
  options.drive.choices = 200;
  options.world = {.arms = 50, .dim = 4, .learners = 10};
  return options;
}

TEST(LoadTest, FillsABanditAndSendsARewardForEachChoice) {
  Replies replies(50);
  const ScriptedServer server(std::ref(replies));
  LoadOptions options = OptionsFor(server);
  options.settings = R"({"policy":"ucb"})";
  const LoadReport report = RunLoadTest(options);
  EXPECT_TRUE(report.tally.errors.empty()) << report.tally.first_error;
  EXPECT_EQ(replies.decisions_, 200U);
  EXPECT_EQ(replies.rewarded_.size(), 200U);
  EXPECT_EQ(report.tally.choose.count(), 200U);
  EXPECT_EQ(replies.settings_["dim"], 4);
  EXPECT_EQ(replies.settings_["policy"], "ucb");
  EXPECT_EQ(replies.settings_["arms"], "names");
  EXPECT_GT(replies.arms_bytes_, 50 * (4 * sizeof(float) + 16));
  EXPECT_TRUE(replies.lines_.contains("DELETE /v1/bandits/load-test"));
}

TEST(LoadTest, KeepsTheBanditIfItIsAsked) {
  Replies replies(50);
  const ScriptedServer server(std::ref(replies));
  LoadOptions options = OptionsFor(server);
  options.keep = true;
  RunLoadTest(options);
  EXPECT_FALSE(replies.lines_.contains("DELETE /v1/bandits/load-test"));
}

TEST(LoadTest, DrivesBatchesFromSeveralThreads) {
  Replies replies(50);
  const ScriptedServer server(std::ref(replies));
  LoadOptions options = OptionsFor(server);
  options.drive.batch = 25;
  options.drive.threads = 2;
  const LoadReport report = RunLoadTest(options);
  EXPECT_TRUE(report.tally.errors.empty()) << report.tally.first_error;
  EXPECT_EQ(replies.decisions_, 200U);
  EXPECT_EQ(replies.rewarded_.size(), 200U);
  EXPECT_GT(replies.learners_.size(), 3U);
}

TEST(LoadTest, RecordsNothingBeforeTheWarmUpIsOver) {
  Replies replies(50);
  const ScriptedServer server(std::ref(replies));
  LoadOptions options = OptionsFor(server);
  options.drive.warm_up = 10;
  const LoadReport report = RunLoadTest(options);
  EXPECT_EQ(replies.decisions_, 200U);
  EXPECT_EQ(report.tally.choose.count(), 0U);
}

// The number of errors of this kind when a script changes some answers.
std::map<std::string, std::uint64_t> ErrorsWith(
    const std::function<std::string(Replies&, const ScriptedServer::Request&)>&
        script) {
  Replies replies(50);
  const ScriptedServer server([&](const ScriptedServer::Request& request) {
    return script(replies, request);
  });
  LoadOptions options = OptionsFor(server);
  options.drive.timeout_seconds = 1;
  return RunLoadTest(options).tally.errors;
}

TEST(LoadTest, NoticesArmsThatDoNotExist) {
  const auto errors = ErrorsWith([](Replies& replies, const auto& request) {
    if (!request.line.ends_with("/choose")) return replies(request);
    json choice = replies.Choose();
    choice["arm"] = "espresso-machine-0169";
    return Answer(200, choice);
  });
  EXPECT_EQ(errors,
            (std::map<std::string, std::uint64_t>{{"wrong answer", 200}}));
}

TEST(LoadTest, NoticesArmsBeyondTheLast) {
  const auto errors = ErrorsWith([](Replies& replies, const auto& request) {
    if (!request.line.ends_with("/choose")) return replies(request);
    json choice = replies.Choose();
    choice["arm"] = replies.world_.NameOf(50);
    return Answer(200, choice);
  });
  EXPECT_EQ(errors.at("wrong answer"), 200U);
}

TEST(LoadTest, NoticesDecisionsThatWereMadeBefore) {
  const auto errors = ErrorsWith([](Replies& replies, const auto& request) {
    if (request.line.ends_with("/choose") && replies.decisions_ == 100) {
      replies.decisions_ = 20;
    }
    return replies(request);
  });
  EXPECT_GE(errors.at("wrong answer"), 4U);  // at least one of each connection
}

TEST(LoadTest, NoticesRewardsThatAreNotLearned) {
  const auto errors = ErrorsWith([](Replies& replies, const auto& request) {
    if (!request.line.ends_with("/reward")) return replies(request);
    return Answer(200,
                  {{"decision", 1}, {"learned", false}, {"reason", "late"}});
  });
  EXPECT_EQ(errors.at("wrong answer"), 200U);
}

TEST(LoadTest, CountsStatuses) {
  const auto errors = ErrorsWith([](Replies& replies, const auto& request) {
    if (!request.line.ends_with("/choose")) return replies(request);
    replies.Choose();
    return Answer(503, {{"error", {{"message", "the disk is full"}}}});
  });
  EXPECT_EQ(errors, (std::map<std::string, std::uint64_t>{{"503", 200}}));
}

TEST(LoadTest, GoesOnOverNewConnections) {
  const auto errors = ErrorsWith([](Replies& replies, const auto& request) {
    const bool closes =
        request.line.ends_with("/choose") && replies.Choose()["decision"] == 9;
    return closes ? std::string() : replies(request);
  });
  EXPECT_EQ(errors,
            (std::map<std::string, std::uint64_t>{{"connection closed", 1}}));
}

TEST(LoadTest, CutsOffRequestsThatAreNotAnswered) {
  const auto errors = ErrorsWith([](Replies& replies, const auto& request) {
    const bool hangs =
        request.line.ends_with("/choose") && replies.Choose()["decision"] == 9;
    return hangs ? std::string("HTTP/1.1 200 OK\r\n") : replies(request);
  });
  EXPECT_EQ(errors,
            (std::map<std::string, std::uint64_t>{{"no answer in time", 1}}));
}

TEST(LoadTest, NoticesWhatIsNotJson) {
  const auto errors = ErrorsWith([](Replies& replies, const auto& request) {
    if (!request.line.ends_with("/choose")) return replies(request);
    return ScriptedServer::Answer(200, "{\"decision\":1");
  });
  EXPECT_EQ(errors.at("wrong answer"), 200U);
}

// A service that answers at once but for one pause of 0.2 s.
double ShareOfSlowChoices(double rate) {
  Replies replies(50);
  std::atomic<int> requests = 0;
  const ScriptedServer server([&](const ScriptedServer::Request& request) {
    if (++requests == 300) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return replies(request);
  });
  LoadOptions options = OptionsFor(server);
  options.drive.connections = 1;
  options.drive.choices = 400;
  options.drive.rate = rate;
  const Latencies latencies = RunLoadTest(options).tally.choose;
  int slow = 0;
  for (int i = 1; i <= 100; ++i) {
    slow += latencies.Quantile(i / 100.0) > 0.1 ? 1 : 0;
  }
  return slow / 100.0;
}

TEST(LoadTest, AtARateCountsThoseThatWaitedInThePauseToo) {
  // In a closed loop one request is slow. At 500 a second, 50 of 400 are due
  // in the first 0.1 s of the pause, and wait for at least as long.
  EXPECT_LE(ShareOfSlowChoices(0), 0.02);
  EXPECT_GE(ShareOfSlowChoices(500), 0.1);
}

TEST(LoadTest, IsNotFasterThanItsRate) {
  Replies replies(50);
  const ScriptedServer server(std::ref(replies));
  LoadOptions options = OptionsFor(server);
  options.drive.rate = 1000;
  const auto start = std::chrono::steady_clock::now();
  const LoadReport report = RunLoadTest(options);
  EXPECT_EQ(report.tally.choose.count(), 200U);
  // The last one of 200 is due after 199 ms.
  EXPECT_GE(std::chrono::steady_clock::now() - start,
            std::chrono::milliseconds(199));
}

TEST(LoadTest, LeavesABanditOfThisNameAlone) {
  Replies replies(50);
  const ScriptedServer server([&](const ScriptedServer::Request& request) {
    return request.line.starts_with("PUT") ? Answer(200, json::object())
                                           : replies(request);
  });
  testing::ExpectError(ErrorCode::kDuplicateId, {"load-test", "--bandit"},
                       [&] { RunLoadTest(OptionsFor(server)); });
  EXPECT_TRUE(replies.lines_.empty());
}

TEST(LoadTest, SaysWhyArmsAreRefusedAndRemovesTheBandit) {
  Replies replies(50);
  const ScriptedServer server([&](const ScriptedServer::Request& request) {
    if (!request.line.ends_with("/arms")) return replies(request);
    return Answer(429, {{"error", {{"message", "at most 10 arms"}}}});
  });
  testing::ExpectError(ErrorCode::kIo, {"50 arms", "429", "at most 10 arms"},
                       [&] { RunLoadTest(OptionsFor(server)); });
  EXPECT_TRUE(replies.lines_.contains("DELETE /v1/bandits/load-test"));
}

TEST(LoadTest, EndsWithAnErrorWhenTheServiceIsGone) {
  std::optional<ScriptedServer> server;
  Replies replies(50);
  server.emplace(std::ref(replies));
  LoadOptions options = OptionsFor(*server);
  options.drive.choices = 0;
  std::jthread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    server.reset();
  });
  testing::ExpectError(ErrorCode::kIo, {"cannot connect"},
                       [&] { RunLoadTest(options); });
}

void ExpectRefused(const std::vector<std::string>& parts,
                   const std::function<void(LoadOptions&)>& change) {
  LoadOptions options;
  change(options);
  testing::ExpectError(ErrorCode::kInvalidArgument, parts,
                       [&] { RunLoadTest(options); });
}

TEST(LoadTest, RefusesOptionsThatCannotBe) {
  ExpectRefused({"batch is 1001"}, [](auto& o) { o.drive.batch = 1001; });
  ExpectRefused({"threads is 65"}, [](auto& o) { o.drive.threads = 65; });
  ExpectRefused({"settings", "[]"}, [](auto& o) { o.settings = "[]"; });
}

TEST(LoadTest, ReportsAsTextAndAsJson) {
  Replies replies(50);
  const ScriptedServer server(std::ref(replies));
  const LoadOptions options = OptionsFor(server);
  const LoadReport report = RunLoadTest(options);
  const std::string text = ToText(options, report);
  for (const char* part : {"50 arms x 4", "choose", "reward", "p99.9 ms"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  const json row = json::parse(ToJson(options, report));
  EXPECT_EQ(row["arms"], 50);
  EXPECT_EQ(row["choose"]["count"], 200);
  EXPECT_GT(row["latency"]["p99"], 0);
  EXPECT_GT(row["requests_per_second"], 0);
  EXPECT_TRUE(row["errors"].empty());
}

}  // namespace
}  // namespace manyarms::load
