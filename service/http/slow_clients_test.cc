#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "service/http/test_server.h"

namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Becomes;
using testing::Echo;
using testing::RawClient;
using testing::TestOptions;

constexpr double kShort = 0.2;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

void Pause(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(SlowClients, HeadIsCutOff) {
  ServerOptions options = TestOptions();
  options.head_seconds = kShort;
  const Server server(options, AdmitAll, Echo);
  RawClient client(server.port());
  const auto start = std::chrono::steady_clock::now();
  // A byte now and then does not help.
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nA: bbbbbbbbbbbbbbb";
  for (const char c : head) {
    client.Send(std::string(1, c));
    if (client.Hears(0.02)) break;
  }
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_GE(SecondsSince(start), kShort);
  EXPECT_LT(SecondsSince(start), 3);
  EXPECT_EQ(answer->status, 408);
  EXPECT_EQ(answer->body,
            R"({"error":{"status":408,"code":"timeout","message":)"
            R"("the head took more than 0.2 seconds"}})");
  EXPECT_EQ(answer->Header("Connection"), "close");
  EXPECT_TRUE(client.Ends());
  EXPECT_EQ(server.stats().timed_out, 1);
}

TEST(SlowClients, WhoSaysNothingIsClosedWithoutAWord) {
  ServerOptions options = TestOptions();
  options.head_seconds = kShort;
  options.idle_seconds = 2 * kShort;
  const Server server(options, AdmitAll, Echo);
  RawClient silent(server.port());
  EXPECT_TRUE(silent.Ends());
  RawClient served(server.port());
  ASSERT_TRUE(served.Ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(served.Ends());
  EXPECT_GE(SecondsSince(start), 1.5 * kShort);
  EXPECT_LT(SecondsSince(start), 3);
  EXPECT_EQ(server.stats().timed_out, 0);
}

TEST(SlowClients, BodyIsCutOff) {
  ServerOptions options = TestOptions();
  options.body_seconds = kShort;
  const Server server(options, AdmitAll, Echo);
  for (const std::string field :
       {"Content-Length: 1000", "Transfer-Encoding: chunked"}) {
    RawClient client(server.port());
    client.Send("POST / HTTP/1.1\r\nHost: x\r\n" + field + "\r\n\r\n");
    for (int i = 0; i < 100 && !client.Hears(0.02); ++i) {
      client.Send(field[0] == 'C' ? "b" : "1\r\nb\r\n");
    }
    const auto answer = client.Read();
    ASSERT_TRUE(answer) << field;
    EXPECT_EQ(answer->status, 408) << field;
    EXPECT_EQ(answer->Header("Connection"), "close");
  }
  EXPECT_EQ(server.stats().timed_out, 2);
}

TEST(SlowClients, LargeBodyMayTakeLonger) {
  ServerOptions options = TestOptions();
  options.body_seconds = 0.6;
  const Server server(
      options,
      [](const Head&) -> std::variant<Admission, Response> {
        return Admission{.most_body = 10'000'000};
      },
      [](Request request, Reply reply) {
        reply.Send({.body = std::to_string(request.body.size())});
      });
  RawClient client(server.port());
  client.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 800000\r\n\r\n");
  for (int i = 0; i < 8; ++i) {
    Pause(0.12);
    client.Send(std::string(100'000, 'b'));
  }
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "800000");
}

TEST(SlowClients, RefusedBodyIsCutOff) {
  ServerOptions options = TestOptions();
  options.body_seconds = kShort;
  const Server server(
      options,
      [](const Head&) -> std::variant<Admission, Response> {
        return Response{.status = 404};
      },
      Echo);
  RawClient client(server.port());
  const auto answer =
      client.Ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 404);
  EXPECT_TRUE(client.Ends());
  EXPECT_EQ(server.stats().timed_out, 1);
}

TEST(SlowClients, ReaderIsCutOff) {
  ServerOptions options = TestOptions();
  options.write_seconds = kShort;
  const Server server(options, AdmitAll, [](Request, Reply reply) {
    // NOLINTNEXTLINE(bugprone-string-constructor)
    reply.Send({.body = std::string(20'000'000, 'x')});
  });
  RawClient client(server.port(), 4096);
  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  // Reads a little now and then.
  EXPECT_TRUE(Becomes([&] {
    client.ReadSome(100);
    return server.stats().timed_out == 1;
  }));
  EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }));
  EXPECT_LT(client.ReadAll().size(), 20'000'000);
}

TEST(SlowClients, ReaderOfALargeAnswerMayTakeLonger) {
  ServerOptions options = TestOptions();
  options.write_seconds = kShort;
  const Server server(options, AdmitAll, [](Request, Reply reply) {
    reply.Send({.body = std::string(8'000'000, 'x')});
  });
  RawClient client(server.port(), 65'536);
  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto start = std::chrono::steady_clock::now();
  std::size_t bytes = 0;
  while (bytes < 8'000'000) {
    const std::string some = client.ReadSome(100'000);
    ASSERT_FALSE(some.empty()) << bytes;
    bytes += some.size();
    if (SecondsSince(start) < 3 * kShort) Pause(0.01);
  }
  EXPECT_GT(SecondsSince(start), 2 * kShort);
}

TEST(SlowClients, AnswersMayTakeAnyTime) {
  ServerOptions options = TestOptions();
  options.head_seconds = options.body_seconds = options.write_seconds =
      options.idle_seconds = 0.1;
  Server* workers = nullptr;
  Server server(options, AdmitAll, [&](Request, Reply reply) {
    workers->OnWorker([held = std::make_shared<Reply>(std::move(reply))] {
      Pause(0.5);
      held->Send({});
    });
  });
  workers = &server;
  RawClient client(server.port());
  const auto answer = client.Ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST(SlowClients, AreNotThoseWhomABusyThreadKeptWaiting) {
  ServerOptions options = TestOptions();
  options.threads = 1;
  options.head_seconds = options.body_seconds = kShort;
  const Server server(options, AdmitAll, [](Request request, Reply reply) {
    if (request.head.path == "/long") Pause(3 * kShort);
    reply.Send({});
  });
  RawClient half(server.port());
  half.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na");
  Pause(0.05);
  RawClient busy(server.port());
  busy.Send("GET /long HTTP/1.1\r\nHost: x\r\n\r\n");
  Pause(0.05);
  half.Send("b");
  const auto answer = half.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(server.stats().timed_out, 0);
}

}  // namespace
}  // namespace manyarms::http
