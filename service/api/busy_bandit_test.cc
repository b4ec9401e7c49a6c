// A bandit that is busy for long keeps nobody waiting but its own clients.

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "service/api/router.h"
#include "service/api/test_service.h"
#include "service/http/test_server.h"

namespace manyarms::service {
namespace {

// Set in the thread whose change of arms stops in the middle.
thread_local std::promise<void>* t_stopped = nullptr;

class BusyBanditTest : public TestService {
 protected:
  BusyBanditTest() {
    options_.engine.clock = [this] {
      if (t_stopped != nullptr) {
        t_stopped->set_value();
        go_on_.get_future().wait();
      }
      return 1'790'000'000.0;
    };
  }

  ~BusyBanditTest() override {
    if (changing_.joinable()) GoOn();
  }

  /// The bandit "shop" is changing its arms until GoOn is called.
  void MakeBusyShop() {
    Start();
    MakeShop();
    ASSERT_EQ(Post("/v1/bandits/shop/choose", R"({"learner":"eve"})").status,
              200U);
    changing_ = std::thread([this] {
      t_stopped = &stopped_;
      service_->engine().At("shop")->PutArms(
          {{.arm = "d", .features = {0.5F, 0.5F}}}, false);
    });
    stopped_.get_future().wait();
  }
  void GoOn() {
    go_on_.set_value();
    changing_.join();
  }

  std::promise<void> stopped_;
  std::promise<void> go_on_;
  std::thread changing_;
};

TEST_F(BusyBanditTest, IsDescribedAtOnce) {
  MakeBusyShop();
  for (const char* path :
       {"/v1/bandits/shop", "/v1/bandits", "/metrics", "/v1/live"}) {
    EXPECT_EQ(Get(path).status, 200U) << path;
  }
  const Json described = Get("/v1/bandits/shop").json();
  EXPECT_EQ(described.at("stats").at("learners"), 1);
  EXPECT_EQ(described.at("settings").at("dim"), 2);
  EXPECT_EQ(Put("/v1/bandits/shop", R"({"dim":2})").status, 200U);
  GoOn();
  EXPECT_EQ(Get("/v1/bandits/shop").json().at("stats").at("arms"), 4);
}

TEST_F(BusyBanditTest, KeepsNoConnectionOfOthersWaiting) {
  MakeBusyShop();
  const std::string shop = "/v1/bandits/shop";
  const std::string json = "application/json";
  const std::vector<TestRequest> requests{
      {.path = shop + "/arms/a"},
      {"PUT", shop + "/arms/e", R"({"features":[1,2]})", json},
      {.method = "DELETE", .path = shop + "/arms/b"},
      {.path = shop + "/learners/eve"},
      {.path = shop + "/tags"},
      {"POST", shop + "/predict", R"({"learner":"eve","arms":["a"]})", json},
      {"POST", shop + "/observe", R"({"arm":"a","reward":1})", json},
      {"POST", shop + "/choose", R"({"learner":"eve"})", json},
      {"POST", shop + "/reward", R"({"decision":1,"reward":1})", json},
      {"PATCH", shop, R"({"reward_wait":5})", json},
      {.method = "DELETE", .path = shop + "/learners/adam"},
      {"POST", shop + "/arms", "{\"arm\":\"f\",\"features\":[1,2]}\n",
       "application/x-ndjson"},
  };
  std::vector<std::unique_ptr<http::testing::RawClient>> waiting;
  for (const TestRequest& request : requests) {
    waiting.push_back(std::make_unique<http::testing::RawClient>(port_));
    waiting.back()->Send(TextOf(request));
    // Connections are spread over the threads.
    for (int i = 0; i < 4; ++i) {
      http::testing::RawClient other(port_);
      other.Send(TextOf({.path = "/healthz"}));
      const auto answer = other.Read();
      ASSERT_TRUE(answer) << request.method << ' ' << request.path;
      EXPECT_EQ(answer->status, 200);
    }
  }
  GoOn();
  for (const auto& client : waiting) EXPECT_TRUE(client->Read());
}

// What it waits for is the database, which may be on another machine.
TEST(Threads, OfConnectionsNeverWaitForTheStore) {
  const auto threads_of = [](const std::string& name) {
    for (const Route& route : Routes()) {
      if (route.name() == name) return route.threads;
    }
    ADD_FAILURE() << "there is no route " << name;
    return Threads::kConnection;
  };
  const std::string bandit = "/v1/bandits/{bandit}";
  EXPECT_EQ(threads_of("GET /metrics"), Threads::kShort);
  EXPECT_EQ(threads_of("GET /v1/live"), Threads::kShort);
  EXPECT_EQ(threads_of("PATCH " + bandit), Threads::kLong);
  EXPECT_EQ(threads_of("DELETE " + bandit + "/learners/{learner}"),
            Threads::kLong);
}

TEST_F(BusyBanditTest, LetsOthersLearnWhileManyAdministrateIt) {
  MakeBusyShop();
  std::vector<std::unique_ptr<http::testing::RawClient>> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.push_back(std::make_unique<http::testing::RawClient>(port_));
    waiting.back()->Send(
        TextOf({"PUT", "/v1/bandits/shop/snapshots/s" + std::to_string(i)}));
  }
  ASSERT_EQ(Put("/v1/bandits/other", R"({"dim":2})").status, 201U);
  const auto answer =
      Post("/v1/bandits/other/rewards",
           R"({"rewards":[{"decision":1,"reward":1,"id":"x"}]})");
  EXPECT_EQ(answer.status, 200U);
  GoOn();
  for (const auto& client : waiting) EXPECT_TRUE(client->Read());
}

TEST_F(BusyBanditTest, LeavesNoAnswersToBeMadeWhenMemoryIsUsedUp) {
  constexpr std::size_t kMost = 65'536;
  options_.server.most_body_bytes = kMost;
  MakeBusyShop();
  const std::string head = TextOf({.path = "/v1/bandits/shop/tags"});
  std::vector<std::unique_ptr<http::testing::RawClient>> waiting;
  // More than there are threads.
  for (int i = 0; i < 6; ++i) {
    waiting.push_back(std::make_unique<http::testing::RawClient>(port_));
    waiting.back()->Send(head);
    ASSERT_EQ(Get("/v1").status, 200U);
  }
  http::testing::RawClient large(port_);
  large.Send(
      "POST /v1/bandits/shop/choices HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      "Content-Type: application/json\r\nContent-Length: 65537\r\n\r\n" +
      std::string(kMost, ' '));
  EXPECT_TRUE(http::testing::Becomes([&] {
    http::testing::RawClient other(port_);
    const auto answer = other.Ask(TextOf({.path = "/v1"}));
    return answer && answer->status == 503;
  }));
  GoOn();
  // Those that no thread had begun with before: two of them, or more if the
  // threads were slow.
  int refused = 0;
  for (const auto& client : waiting) {
    const auto answer = client->Read();
    ASSERT_TRUE(answer);
    if (answer->status == 503) {
      ++refused;
    } else {
      EXPECT_EQ(answer->status, 200);
    }
  }
  EXPECT_GE(refused, 2);
}

}  // namespace
}  // namespace manyarms::service
