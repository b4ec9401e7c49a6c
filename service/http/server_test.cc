#include "service/http/server.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "manyarms/error.h"
#include "service/http/test_server.h"

namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Becomes;
using testing::Echo;
using testing::RawClient;
using testing::TestOptions;

TEST(Server, AnswersARequest) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  const auto answer = client.Ask("GET /a/b?c=d HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head,
            "HTTP/1.1 200 OK\r\n"
            "Server: manyarms\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Content-Type: text/plain\r\n"
            "Content-Length: 14\r\n"
            "Cache-Control: no-store\r\n\r\n");
  EXPECT_EQ(answer->body, "0 /a/b?c=d [0]");
}

TEST(Server, KeepsConnections) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.Ask(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "2 /? [3]abc");
  }
  EXPECT_EQ(server.stats().accepted, 1);
}

TEST(Server, ClosesWhenAsked) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  const auto answer =
      client.Ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->Header("Connection"), "close");
  EXPECT_TRUE(client.Ends());
}

TEST(Server, ServesTheFormerVersion) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient once(server.port());
  const auto answer = once.Ask("GET / HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->Header("Connection"), "close");
  EXPECT_EQ(answer->body, "0 /? [0]");
  EXPECT_TRUE(once.Ends());

  RawClient kept(server.port());
  for (int i = 0; i < 2; ++i) {
    const auto again =
        kept.Ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->Header("Connection"), "keep-alive");
  }
}

TEST(Server, AnswersHeadWithoutABody) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  client.Send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto head = client.Read(true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->Header("Content-Length"), "8");
  const auto next = client.Ask("GET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "0 /next? [0]");
}

TEST(Server, KnowsMethods) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  const std::vector<std::pair<std::string, Method>> methods = {
      {"GET", Method::kGet},       {"POST", Method::kPost},
      {"PUT", Method::kPut},       {"PATCH", Method::kPatch},
      {"DELETE", Method::kDelete}, {"OPTIONS", Method::kOptions},
      {"TRACE", Method::kOther},   {"get", Method::kOther},
      {"BREW", Method::kOther}};
  for (const auto& [name, method] : methods) {
    const auto answer = client.Ask(name + " / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(answer) << name;
    EXPECT_EQ(answer->body,
              std::to_string(static_cast<int>(method)) + " /? [0]");
  }
}

TEST(Server, TellsWhatAHeadSays) {
  Head seen;
  const Server server(
      TestOptions(),
      [&](const Head& head) -> std::variant<Admission, Response> {
        seen = head;
        return Admission{.most_body = 100};
      },
      Echo);
  RawClient client(server.port());
  ASSERT_TRUE(
      client.Ask("POST /p?q HTTP/1.1\r\nhost: x:80\r\n"
                 "Origin: http://x\r\n"
                 "AUTHORIZATION:   Bearer t \t\r\n"
                 "content-type: application/json\r\n"
                 "Content-Length: 2\r\n\r\n{}"));
  EXPECT_EQ(seen.method, Method::kPost);
  EXPECT_EQ(seen.path, "/p");
  EXPECT_EQ(seen.query, "q");
  EXPECT_EQ(seen.host, "x:80");
  EXPECT_EQ(seen.origin, "http://x");
  EXPECT_EQ(seen.authorization, "Bearer t");
  EXPECT_EQ(seen.content_type, "application/json");
  EXPECT_EQ(seen.content_length, 2);
  EXPECT_TRUE(seen.has_body);
  ASSERT_TRUE(
      client.Ask("POST /p HTTP/1.1\r\nHost: x\r\n"
                 "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"));
  EXPECT_EQ(seen.content_length, 0);
  EXPECT_TRUE(seen.has_body);
  ASSERT_TRUE(client.Ask("POST /p HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_FALSE(seen.has_body);
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    all += "POST /" + std::to_string(i) +
           " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n" +
           std::to_string(i % 10);
  }
  ASSERT_TRUE(client.Send(all));
  for (int i = 0; i < 1000; ++i) {
    const auto answer = client.Read();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body,
              "2 /" + std::to_string(i) + "? [1]" + std::to_string(i % 10));
  }
}

TEST(Server, ReadsRequestsThatAreCutAnywhere) {
  const Server server(TestOptions(), AdmitAll, Echo);
  const std::string request =
      "\r\nPOST /a?b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;x=\"y\"\r\nhello\r\nA\r\n, everyone\r\n0\r\nTrailer: t\r\n\r\n";
  RawClient client(server.port());
  for (std::size_t cut = 0; cut <= request.size(); ++cut) {
    client.Send(request.substr(0, cut));
    // Nothing is answered before the request is complete. To wait at each cut
    // would take long; at some it suffices.
    if (cut % 40 == 7) {
      ASSERT_FALSE(client.Hears(0.02)) << cut;
    }
    client.Send(request.substr(cut));
    const auto answer = client.Read();
    ASSERT_TRUE(answer) << cut;
    EXPECT_EQ(answer->body, "2 /a?b [15]hello, everyone") << cut;
  }
  RawClient slow(server.port());
  for (const char c : request) slow.Send(std::string(1, c));
  const auto answer = slow.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "2 /a?b [15]hello, everyone");
}

TEST(Server, SendsLargeAnswers) {
  const std::string large(5'000'000, 'x');
  const Server server(TestOptions(), AdmitAll, [&](Request, Reply reply) {
    reply.Send({.body = large});
  });
  RawClient client(server.port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.Ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body.size(), large.size());
  }
  EXPECT_TRUE(
      Becomes([&] { return server.stats().bytes_out > 2 * large.size(); }));
  EXPECT_LT(server.stats().bytes_out, 2 * large.size() + 1000);
}

TEST(Server, TakesHeadersOfTheHandler) {
  const Server server(
      TestOptions(), AdmitAll, [](Request request, Reply reply) {
        Response response{.status = 405, .headers = {{"Allow", "GET"}}};
        if (request.head.path == "/cache") {
          response.headers.emplace_back("cache-control", "max-age=60");
        }
        if (request.head.path == "/split") {
          response.headers.emplace_back("X", "a\r\nSet-Cookie: b");
        }
        reply.Send(std::move(response));
      });
  RawClient client(server.port());
  const auto plain = client.Ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->Header("Allow"), "GET");
  EXPECT_EQ(plain->Header("Cache-Control"), "no-store");
  const auto cached = client.Ask("GET /cache HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(cached);
  EXPECT_EQ(cached->Header("cache-control"), "max-age=60");
  EXPECT_EQ(cached->Header("Cache-Control"), "");
  const auto split = client.Ask("GET /split HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->status, 500);
  EXPECT_EQ(split->Header("Set-Cookie"), "");
}

TEST(Server, AnswersWithoutABody) {
  const Server server(TestOptions(), AdmitAll, [](Request, Reply reply) {
    reply.Send({.status = 204, .body = "never sent"});
  });
  RawClient client(server.port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.Ask("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 204);
    EXPECT_EQ(answer->Header("Content-Length"), "");
    EXPECT_EQ(answer->Header("Content-Type"), "");
  }
}

TEST(Server, RefusesAnAddressThatIsTaken) {
  const Server server(TestOptions(), AdmitAll, Echo);
  ServerOptions options = TestOptions();
  options.port = server.port();
  try {
    const Server second(options, AdmitAll, Echo);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_NE(std::string(error.what()).find("already in use"),
              std::string::npos)
        << error.what();
  }
  options.address = "nonsense";
  EXPECT_THROW(Server(options, AdmitAll, Echo), Error);
}

TEST(Server, ListensAtIpv6) {
  ServerOptions options = TestOptions();
  options.address = "::1";
  std::unique_ptr<Server> server;
  try {
    server = std::make_unique<Server>(options, AdmitAll, Echo);
  } catch (const Error&) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  EXPECT_GT(server->port(), 0);
}

TEST(Server, RefusesMoreConnectionsThanAllowed) {
  ServerOptions options = TestOptions();
  options.most_connections = 3;
  const Server server(options, AdmitAll, Echo);
  {
    std::vector<RawClient> clients;
    for (int i = 0; i < 3; ++i) {
      clients.emplace_back(server.port());
      ASSERT_TRUE(clients.back().Ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    }
    RawClient fourth(server.port());
    fourth.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const auto answer = fourth.Read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 503);
    EXPECT_EQ(answer->body,
              R"({"error":{"status":503,"code":"unavailable",)"
              R"("message":"there are 3 connections, which is the most"}})");
    EXPECT_EQ(answer->Header("Retry-After"), "1");
    EXPECT_EQ(answer->Header("Connection"), "close");
    fourth.EndSending();
    EXPECT_TRUE(fourth.Ends());
    EXPECT_EQ(server.stats().refused, 1);
    EXPECT_TRUE(Becomes([&] { return server.stats().connections == 3; }));
  }
  EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }));
  RawClient later(server.port());
  EXPECT_TRUE(later.Ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
}

TEST(Server, ServesManyConnections) {
  const Server server(TestOptions(), AdmitAll, Echo);
  std::vector<RawClient> clients;
  // NOLINTNEXTLINE(performance-inefficient-vector-operation)
  for (int i = 0; i < 400; ++i) clients.emplace_back(server.port());
  for (int round = 0; round < 2; ++round) {
    for (RawClient& client : clients) {
      client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    for (RawClient& client : clients) ASSERT_TRUE(client.Read());
  }
  EXPECT_EQ(server.stats().connections, 400);
  EXPECT_EQ(server.stats().accepted, 400);
  clients.clear();
  EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }));
}

TEST(Server, CountsBytes) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  const std::string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const auto answer = client.Ask(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(server.stats().bytes_in, request.size());
  EXPECT_TRUE(Becomes([&] {
    return server.stats().bytes_out ==
           answer->head.size() + answer->body.size();
  }));
}

}  // namespace
}  // namespace manyarms::http
