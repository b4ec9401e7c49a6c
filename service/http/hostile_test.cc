#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/http/test_server.h"

// Requests with random damage. Whatever comes, the server answers or closes,
// and serves the next client.
namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Becomes;
using testing::Echo;
using testing::RawClient;
using testing::TestOptions;

std::vector<std::string> Requests() {
  return {"GET /a?b=c HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
          // NOLINTNEXTLINE(readability-redundant-parentheses)
          ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
           "5;a=\"b\"\r\nhello\r\n0\r\nC: d\r\n\r\n"),
          // NOLINTNEXTLINE(readability-redundant-parentheses)
          ("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
           "Content-Length: 2\r\nConnection: close\r\n\r\n{}"),
          "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"};
}
std::vector<std::string> Fragments() {
  return {"\r\n",
          "\n",
          "\r",
          "\r\n\r\n",
          " ",
          "\t",
          ":",
          "0\r\n\r\n",
          "GET ",
          "FFFFFFFFFFFFFFFF",
          std::string(1, '\0'),
          "\xff",
          "\"",
          ";",
          "Content-Length: 7\r\n",
          "Transfer-Encoding: chunked\r\n",
          "Host: y\r\n",
          std::string(9000, 'a')};
}

std::string Damaged(std::mt19937& random) {
  const auto below = [&](std::size_t bound) { return random() % bound; };
  std::string text = Requests()[below(Requests().size())];
  for (std::size_t i = below(4); i > 0; --i) {
    const std::size_t at = below(text.size() + 1);
    switch (below(4)) {
      case 0:
        text.insert(at, Fragments()[below(Fragments().size())]);
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      default:
        text += Requests()[below(Requests().size())];
    }
    if (text.empty()) text.push_back(' ');
  }
  return text;
}

TEST(Hostile, DamagedRequestsAreAnsweredOrEndTheConnection) {
  constexpr unsigned kSeed = 17;
  // Always the same requests.
  std::mt19937 random(kSeed);  // NOLINT(bugprone-random-generator-seed)
  ServerOptions options = TestOptions();
  options.head_seconds = options.body_seconds = 0.5;
  const Server server(options, AdmitAll, Echo);
  std::size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = Damaged(random);
    RawClient client(server.port());
    const std::size_t cut = random() % (text.size() + 1);
    client.Send(text.substr(0, cut));
    client.Send(text.substr(cut));
    client.EndSending();
    const std::string answers = client.ReadAll();
    EXPECT_EQ(answers.find("HTTP/1.1 500"), std::string::npos) << text;
    EXPECT_TRUE(answers.empty() || answers.find("HTTP/1.1 ") == 0) << text;
    refused += answers.find("HTTP/1.1 400") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(refused, 500);
  EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }));
  RawClient client(server.port());
  EXPECT_TRUE(client.Ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
}

// Many connections at once that come, go, and break off anywhere, with answers
// from other threads: for the sanitizers.
TEST(Hostile, ConnectionsMayBreakOffAnywhere) {
  Server* workers = nullptr;
  Server server(TestOptions(), AdmitAll, [&](Request request, Reply reply) {
    const bool streamed = request.head.method == Method::kPost;
    workers->OnWorker(
        [streamed, held = std::make_shared<Reply>(std::move(reply))] {
          if (!streamed) return held->Send({.body = "later"});
          held->Begin(200, "text/plain");
          for (int i = 0; i < 20; ++i) held->Piece(std::string(5000, 'x'));
          held->End();
        });
  });
  workers = &server;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&server, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 100; ++i) {
        RawClient client(server.port());
        const std::string text = Requests()[random() % 3];
        client.Send(text.substr(0, random() % (2 * text.size())));
        if (client.Hears(0.002)) client.ReadSome(random() % 100'000 + 1);
        if (random() % 2 == 0) client.Reset();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }));
}

}  // namespace
}  // namespace manyarms::http
