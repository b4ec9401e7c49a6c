#include "service/http/body_memory.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "service/http/test_server.h"

namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Becomes;
using testing::Echo;
using testing::RawClient;
using testing::TestOptions;

constexpr std::uint64_t kMost = 10'000;

std::string Post(std::size_t size) {
  return "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " +
         std::to_string(size) + "\r\n\r\n";
}

std::string Whole(std::size_t size) {
  return Post(size) + std::string(size, 'b');
}

ServerOptions Options() {
  ServerOptions options = TestOptions();
  options.most_body_bytes = kMost;
  return options;
}

TEST(BodyBudget, IsSharedAndGivenBack) {
  auto budget = std::make_shared<BodyBudget>(10);
  BodyMemory one(budget);
  EXPECT_TRUE(one.Take(6));
  {
    BodyMemory two(budget);
    EXPECT_FALSE(two.Take(5));
    EXPECT_FALSE(two.Take(~std::uint64_t{0}));
    EXPECT_TRUE(two.Take(4));
    EXPECT_FALSE(one.Take(1));
  }
  EXPECT_EQ(budget->used(), 6);
  BodyMemory moved = std::move(one);
  one = BodyMemory(budget);
  EXPECT_EQ(budget->used(), 6);
  moved = BodyMemory();
  EXPECT_EQ(budget->used(), 0);
}

TEST(BodyMemory, OfBodiesThatArriveIsBounded) {
  const Server server(Options(), AdmitAll, Echo);
  RawClient first(server.port());
  RawClient second(server.port());
  first.Send(Post(9'000) + std::string(6'000, 'b'));
  ASSERT_TRUE(Becomes([&] { return server.stats().body_bytes == 6'000; }));
  const auto refused = second.Ask(Whole(5'000));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_EQ(refused->Header("Retry-After"), "1");
  EXPECT_EQ(refused->body,
            R"({"error":{"status":503,"code":"unavailable","message":"the )"
            R"(bodies of all requests and answers have more than 10000 )"
            R"(bytes, which is the most"}})");
  // What was refused is given back, and smaller ones are served.
  EXPECT_TRUE(Becomes([&] { return server.stats().body_bytes == 6'000; }));
  const auto small = second.Ask(Whole(4'000));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->status, 200);
  const auto whole = first.Ask(std::string(3'000, 'b'));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->status, 200);
  EXPECT_TRUE(Becomes([&] { return server.stats().body_bytes == 0; }));
}

TEST(BodyMemory, OfChunksIsBounded) {
  const Server server(Options(), AdmitAll, Echo);
  RawClient client(server.port());
  const auto refused = client.Ask(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4e20\r\n" +
      std::string(20'000, 'b') + "\r\n0\r\n\r\n");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_TRUE(Becomes([&] { return server.stats().body_bytes == 0; }));
}

TEST(BodyMemory, IsCountedByWhatHasCome) {
  const Server server(Options(), AdmitAll, Echo);
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(server.port());
    clients.back().Send(Post(9'000) + "b");
  }
  ASSERT_TRUE(Becomes([&] { return server.stats().body_bytes == 20; }));
  clients.clear();
  EXPECT_TRUE(Becomes([&] { return server.stats().body_bytes == 0; }));
}

TEST(BodyMemory, IsKeptUntilTheRequestIsAnswered) {
  std::mutex mutex;
  std::vector<std::pair<Request, Reply>> waiting;
  Server server(Options(), AdmitAll, [&](Request request, Reply reply) {
    const std::scoped_lock lock(mutex);
    waiting.emplace_back(std::move(request), std::move(reply));
  });
  const auto count = [&] {
    const std::scoped_lock lock(mutex);
    return waiting.size();
  };
  RawClient first(server.port());
  first.Send(Whole(8'000));
  ASSERT_TRUE(Becomes([&] { return count() == 1; }));
  RawClient second(server.port());
  const auto refused = second.Ask(Whole(8'000));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  {
    const std::scoped_lock lock(mutex);
    waiting.front().second.Send({});
    waiting.clear();
  }
  ASSERT_TRUE(first.Read());
  second.Send(Whole(8'000));
  EXPECT_TRUE(Becomes([&] { return count() == 1; }));
  // A request may outlive its server.
  server.Stop(0);
}

TEST(BodyMemory, OfSlowClientsIsGivenBack) {
  ServerOptions options = Options();
  options.body_seconds = 0.1;
  const Server server(options, AdmitAll, Echo);
  RawClient slow(server.port());
  const auto answer = slow.Ask(Post(9'000) + std::string(6'000, 'b'));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 408);
  EXPECT_EQ(server.stats().body_bytes, 0);
}

TEST(BodyMemory, OfAnswersThatAreNotReadIsBounded) {
  const Server server(
      Options(),
      [](const Head& head) -> std::variant<Admission, Response> {
        return Admission{.most_body = 1'000, .always = head.path == "/health"};
      },
      [](const Request& request, Reply reply) {
        const bool big = request.head.path == "/big";
        reply.Send({.body = std::string(big ? 32U << 20U : 1U, 'a')});
      });
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  RawClient other(server.port());
  {
    RawClient slow(server.port(), /*receive_buffer=*/1);
    slow.Send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(Becomes([&] { return server.stats().body_bytes > kMost; }));
    const auto refused = other.Ask(get);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    EXPECT_EQ(refused->Header("Retry-After"), "1");
    const auto health = other.Ask("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(health);
    EXPECT_EQ(health->status, 200);
    slow.Reset();
  }
  EXPECT_TRUE(Becomes([&] { return server.stats().body_bytes == 0; }));
  // One that is read is given back, too.
  for (const char* path : {"/big", "/"}) {
    const auto answer =
        other.Ask("GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_TRUE(Becomes([&] { return server.stats().body_bytes == 0; }));
  }
}

class Counting final : public BodySink {
 public:
  std::unique_ptr<Response> Take(std::string_view /*piece*/) override {
    return nullptr;
  }
};

TEST(BodyMemory, IsNotTakenForSinks) {
  const Server server(
      Options(),
      [](const Head&) -> std::variant<Admission, Response> {
        return Admission{.most_body = 1'000'000,
                         .sink = std::make_unique<Counting>()};
      },
      Echo);
  RawClient client(server.port());
  const auto answer = client.Ask(Whole(50'000));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

}  // namespace
}  // namespace manyarms::http
