// What must not hold the few threads that may wait.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "service/api/test_service.h"

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

}  // namespace
}  // namespace manyarms::service
