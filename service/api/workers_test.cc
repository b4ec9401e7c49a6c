// What must not hold the few threads that may wait.

#include "service/http/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "service/api/http_error.h"
#include "service/api/test_service.h"
#include "service/http/test_server.h"

namespace manyarms::service {
namespace {

class WorkersTest : public TestService {
 protected:
  /// A bandit "wide" whose arms take more than a page of 4 MiB.
  void MakeWide() {
    ASSERT_EQ(Put("/v1/bandits/wide", R"({"dim":64,"arms":"numbers"})").status,
              201U);
    std::string features;
    for (int i = 0; i < 64; ++i) features += i == 0 ? "0.12345" : ",-0.98765";
    std::string lines;
    for (int i = 0; i < kArms; ++i) {
      lines += "{\"arm\":" + std::to_string(i) + ",\"features\":[" + features +
               "]}\n";
    }
    ASSERT_EQ(
        Ask({"POST", "/v1/bandits/wide/arms", lines, "application/x-ndjson"})
            .status,
        200U);
  }

  static constexpr int kArms = 9'000;
};

TEST_F(WorkersTest, LongPagesOfArmsEndEarly) {
  Start();
  MakeWide();
  Json next = 0;
  std::vector<std::uint64_t> arms;
  int pages = 0;
  while (!next.is_null()) {
    const TestAnswer answer =
        Get("/v1/bandits/wide/arms?limit=10000&from=" + next.dump());
    EXPECT_LT(answer.body.size(), 5U << 20U);
    const Json page = answer.json();
    for (const Json& arm : page.at("arms")) arms.push_back(arm.at("arm"));
    next = page.at("next");
    ++pages;
  }
  EXPECT_EQ(pages, 2);
  ASSERT_EQ(arms.size(), std::size_t{kArms});
  for (std::size_t i = 0; i < arms.size(); ++i) ASSERT_EQ(arms[i], i);
}

TEST_F(WorkersTest, ClientsThatDoNotReadHoldNoWorker) {
  Start();
  MakeWide();
  std::vector<std::unique_ptr<http::testing::RawClient>> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(std::make_unique<http::testing::RawClient>(
        port_, /*receive_buffer=*/1));
    ASSERT_TRUE(slow.back()->Send(
        TextOf({.path = "/v1/bandits/wide/arms?limit=10000"})));
  }
  // Both are answered on workers.
  EXPECT_EQ(Get("/v1/bandits/wide/snapshots").status, 200U);
  EXPECT_EQ(Get("/v1/bandits/wide/arms?limit=1").status, 200U);
}

TEST(Workers, RefuseWorkWhenMuchWaits) {
  std::promise<void> go;
  http::Workers workers(1);
  std::promise<void> begun;
  workers.Do([&] {
    begun.set_value();
    go.get_future().wait();
  });
  begun.get_future().wait();
  std::atomic<std::size_t> done = 0;
  for (std::size_t i = 0; i < http::Workers::kMostWaiting; ++i) {
    workers.Do([&] { ++done; });
  }
  try {
    workers.Do([&] { ++done; });
    ADD_FAILURE() << "was not refused";
  } catch (...) {
    EXPECT_EQ(FailureOf(std::current_exception()).status, 503U);
  }
  go.set_value();
  EXPECT_TRUE(http::testing::Becomes(
      [&] { return done == http::Workers::kMostWaiting; }));
}

// Temporary files are made in this folder while it lives.
class TemporaryFilesIn {
 public:
  // NOLINTBEGIN(concurrency-mt-unsafe)
  explicit TemporaryFilesIn(const std::filesystem::path& folder) {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryFilesIn() {
    if (before_) {
      setenv("TMPDIR", before_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
  }
  // NOLINTEND(concurrency-mt-unsafe)
  TemporaryFilesIn(const TemporaryFilesIn&) = delete;
  TemporaryFilesIn& operator=(const TemporaryFilesIn&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST_F(WorkersTest, EvaluationsAreBoundedAndEndWhenTheServiceStops) {
  const TemporaryFilesIn here(folder_);
  Start();
  MakeShop(R"({"dim":2,"probability_draws":1})");
  std::string choices = R"({"choices":[{})";
  for (int i = 1; i < 1'000; ++i) choices += ",{}";
  choices += "]}";
  for (int i = 0; i < 11; ++i) {
    ASSERT_EQ(Post("/v1/bandits/shop/choices", choices).status, 200U);
  }
  const std::string path = "/v1/bandits/shop/evaluate";
  const TestAnswer refused =
      Post(path, R"({"draws":100000,"default_reward":0})");
  EXPECT_EQ(refused.status, 422U) << refused.body;
  EXPECT_TRUE(refused.message().starts_with("11000 decisions with 100000 "))
      << refused.body;
  // This would take minutes.
  http::testing::RawClient client(port_);
  client.Send(TextOf({"POST", path, R"({"draws":90000,"default_reward":0})",
                      "application/json"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_FALSE(
        entry.path().filename().string().starts_with("manyarms-evaluation-"))
        << entry.path();
  }
  const auto start = std::chrono::steady_clock::now();
  service_->Stop(5);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503) << answer->body;
}

}  // namespace
}  // namespace manyarms::service
