#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/http/piece_queue.h"
#include "service/http/test_server.h"

namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Becomes;
using testing::RawClient;
using testing::TestOptions;

std::string Get(std::string_view target = "/") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", target);
}

/// Keeps the replies of all requests for the test.
class Held {
 public:
  Handler handler() {
    return [this](Request request, Reply reply) {
      const std::scoped_lock lock(mutex_);
      replies_.emplace_back(std::move(request.head.path), std::move(reply));
    };
  }
  std::size_t size() {
    const std::scoped_lock lock(mutex_);
    return replies_.size();
  }
  Reply Take() {
    EXPECT_TRUE(Becomes([&] { return size() > 0; }));
    const std::scoped_lock lock(mutex_);
    Reply reply = std::move(replies_.front().second);
    replies_.erase(replies_.begin());
    return reply;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, Reply>> replies_;
};

TEST(Reply, MayComeFromAnotherThreadLater) {
  Held held;
  const Server server(TestOptions(), AdmitAll, held.handler());
  RawClient client(server.port());
  client.Send(Get() + Get());
  Reply first = held.Take();
  // The second request waits for the answer to the first.
  EXPECT_FALSE(client.Hears(0.05));
  EXPECT_EQ(held.size(), 0);
  std::thread([&] { first.Send({.body = "first"}); }).join();
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "first");
  held.Take().Send({.body = "second"});
  const auto second = client.Read();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->body, "second");
}

TEST(Reply, ThatIsDroppedIsAnsweredBy500) {
  Held held;
  const Server server(TestOptions(), AdmitAll, held.handler());
  RawClient client(server.port());
  for (int i = 0; i < 2; ++i) {
    client.Send(Get());
    { const Reply dropped = held.Take(); }
    const auto answer = client.Read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 500);
    EXPECT_EQ(answer->body,
              R"({"error":{"status":500,"code":"internal","message":)"
              R"("the request could not be answered"}})");
  }
}

TEST(Reply, IsAnsweredBy500IfTheHandlerThrows) {
  const Server server(TestOptions(), AdmitAll, [](Request, Reply) {
    throw std::runtime_error("secret");
  });
  RawClient client(server.port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.Ask(Get());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 500);
    EXPECT_EQ(answer->body.find("secret"), std::string::npos);
  }
}

TEST(Reply, StaysTheAnswerIfTheHandlerThrowsAfterIt) {
  const Server server(TestOptions(), AdmitAll, [](Request, Reply reply) {
    reply.Send({.body = "sent"});
    throw std::runtime_error("late");
  });
  RawClient client(server.port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.Ask(Get());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "sent");
  }
}

TEST(Reply, IsSentOnce) {
  Held held;
  const Server server(TestOptions(), AdmitAll, held.handler());
  RawClient client(server.port());
  client.Send(Get() + Get());
  Reply sent = held.Take();
  EXPECT_THROW(sent.Piece("x"), std::logic_error);
  EXPECT_THROW(sent.End(), std::logic_error);
  sent.Send({});
  EXPECT_THROW(sent.Send({}), std::logic_error);
  EXPECT_THROW(sent.Begin(200, "a/b"), std::logic_error);
  Reply begun = held.Take();
  begun.Begin(200, "a/b");
  EXPECT_THROW(begun.Send({}), std::logic_error);
  EXPECT_THROW(begun.Begin(200, "a/b"), std::logic_error);
  begun.End();
  EXPECT_THROW(begun.Piece("x"), std::logic_error);
  EXPECT_TRUE(client.Read());
  EXPECT_TRUE(client.Read());
}

TEST(Reply, AssignedToDropsItsFormerRequest) {
  Held held;
  const Server server(TestOptions(), AdmitAll, held.handler());
  RawClient first(server.port());
  first.Send(Get());
  Reply reply = held.Take();
  RawClient second(server.port());
  second.Send(Get());
  reply = held.Take();
  const auto dropped = first.Read();
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->status, 500);
  reply.Send({});
  const auto answer = second.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST(Reply, MayOutliveItsClient) {
  Held held;
  const Server server(TestOptions(), AdmitAll, held.handler());
  RawClient client(server.port());
  client.Send(Get());
  Reply reply = held.Take();
  client.Reset();
  reply.Send({.body = std::string(1'000'000, 'x')});
  EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }));
}

TEST(Reply, MayOutliveTheServer) {
  Held held;
  std::optional<Server> server(std::in_place, TestOptions(), AdmitAll,
                               held.handler());
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(server->port());
    clients.back().Send(Get());
  }
  Reply sent = held.Take();
  Reply begun = held.Take();
  const Reply dropped = held.Take();
  const Reply late = held.Take();
  begun.Begin(200, "text/plain");
  server.reset();
  sent.Send({});
  EXPECT_FALSE(begun.Piece("x"));
  begun.End();
}

TEST(Pieces, ReachTheClientAtOnce) {
  Held held;
  const Server server(TestOptions(), AdmitAll, held.handler());
  RawClient client(server.port());
  for (int round = 0; round < 2; ++round) {
    client.Send(Get());
    Reply reply = held.Take();
    reply.Begin(201, "application/x-ndjson");
    std::string head;
    while (head.find("\r\n\r\n") == std::string::npos) {
      head += client.ReadSome(1000);
    }
    EXPECT_EQ(head,
              "HTTP/1.1 201 Created\r\n"
              "Server: manyarms\r\n"
              "X-Content-Type-Options: nosniff\r\n"
              "Content-Type: application/x-ndjson\r\n"
              "Transfer-Encoding: chunked\r\n"
              "Cache-Control: no-store\r\n\r\n");
    EXPECT_TRUE(reply.Piece("hello, "));
    EXPECT_EQ(client.ReadSome(1000), "7\r\nhello, \r\n");
    EXPECT_TRUE(reply.Piece(""));
    EXPECT_TRUE(reply.Piece("everyone out there"));
    EXPECT_EQ(client.ReadSome(1000), "12\r\neveryone out there\r\n");
    reply.End();
    EXPECT_EQ(client.ReadSome(1000), "0\r\n\r\n");
  }
}

TEST(Pieces, OfTheFormerVersionEndWithTheConnection) {
  Held held;
  const Server server(TestOptions(), AdmitAll, held.handler());
  RawClient client(server.port());
  client.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  Reply reply = held.Take();
  reply.Begin(200, "text/plain");
  reply.Piece("a");
  reply.Piece("b");
  reply.End();
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->Header("Transfer-Encoding"), "");
  EXPECT_EQ(answer->Header("Connection"), "close");
  EXPECT_EQ(answer->body, "ab");
}

TEST(Pieces, AreLeftOutForHead) {
  Held held;
  const Server server(TestOptions(), AdmitAll, held.handler());
  RawClient client(server.port());
  client.Send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + Get());
  {
    Reply reply = held.Take();
    reply.Begin(200, "text/plain");
    EXPECT_TRUE(reply.Piece("a"));
    reply.End();
  }
  const auto head = client.Read(true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->Header("Transfer-Encoding"), "chunked");
  held.Take().Send({.body = "next"});
  const auto next = client.Read();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "next");
}

TEST(Pieces, WithoutAnEndLeaveTheAnswerIncomplete) {
  for (const std::string version : {"1.0", "1.1"}) {
    Held held;
    const Server server(TestOptions(), AdmitAll, held.handler());
    RawClient client(server.port());
    client.Send("GET / HTTP/" + version + "\r\nHost: x\r\n\r\n");
    {
      Reply reply = held.Take();
      reply.Begin(200, "text/plain");
      reply.Piece("a");
      EXPECT_TRUE(client.Hears(5));
    }
    if (version == "1.1") {
      EXPECT_FALSE(client.Read());
    }
    EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }));
  }
}

TEST(Pieces, ComeInOrderFromAWorker) {
  Server* workers = nullptr;
  Server server(TestOptions(), AdmitAll, [&](Request, Reply reply) {
    workers->OnWorker([held = std::make_shared<Reply>(std::move(reply))] {
      held->Begin(200, "text/plain");
      for (int i = 0; i < 20'000; ++i) held->Piece(std::to_string(i) + '\n');
      held->End();
    });
  });
  workers = &server;
  std::string expected;
  for (int i = 0; i < 20'000; ++i) expected += std::to_string(i) + '\n';
  std::vector<RawClient> clients;
  // NOLINTNEXTLINE(performance-inefficient-vector-operation)
  for (int i = 0; i < 6; ++i) clients.emplace_back(server.port());
  for (RawClient& client : clients) client.Send(Get());
  for (RawClient& client : clients) {
    const auto answer = client.Read();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->body == expected);
  }
}

TEST(Pieces, WaitForAReaderAndEndWithIt) {
  ServerOptions options = TestOptions();
  options.write_seconds = 0.3;
  Server* workers = nullptr;
  std::atomic<std::size_t> made = 0;
  std::atomic<bool> gone = false;
  Server server(options, AdmitAll, [&](Request, Reply reply) {
    workers->OnWorker([&, held = std::make_shared<Reply>(std::move(reply))] {
      held->Begin(200, "text/plain");
      while (held->Piece(std::string(10'000, 'x'))) made += 10'000;
      gone = true;
    });
  });
  workers = &server;
  RawClient client(server.port(), 4096);
  client.Send(Get());
  // The client reads nothing. What is made stays near what the queue and the
  // sockets hold.
  EXPECT_TRUE(Becomes([&] { return gone.load(); }));
  EXPECT_GT(made, 100'000);
  EXPECT_LT(made, 2 * PieceQueue::kMost + 1'000'000);
  EXPECT_EQ(server.stats().timed_out, 1);
}

TEST(Pieces, StopWhenTheClientIsGone) {
  Server* workers = nullptr;
  std::atomic<bool> gone = false;
  Server server(TestOptions(), AdmitAll, [&](Request, Reply reply) {
    workers->OnWorker([&, held = std::make_shared<Reply>(std::move(reply))] {
      held->Begin(200, "text/plain");
      while (held->Piece(std::string(10'000, 'x'))) {
      }
      gone = true;
    });
  });
  workers = &server;
  RawClient client(server.port());
  client.Send(Get());
  ASSERT_FALSE(client.ReadSome(10).empty());
  client.Reset();
  EXPECT_TRUE(Becomes([&] { return gone.load(); }));
}

TEST(Pieces, HaveNoTextOfAnotherHeader) {
  Held held;
  const Server server(TestOptions(), AdmitAll, held.handler());
  RawClient client(server.port());
  client.Send(Get());
  Reply reply = held.Take();
  reply.Begin(200, "text/plain\r\nX: y");
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 500);
  EXPECT_TRUE(Becomes([&] { return !reply.Piece("a"); }));
}

TEST(OnWorker, WorkWaitsForItsTurn) {
  Server server(TestOptions(), AdmitAll, testing::Echo);
  std::atomic<int> done = 0;
  for (int i = 0; i < 50; ++i) {
    server.OnWorker([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++done;
    });
  }
  server.OnWorker([] { throw std::runtime_error("nobody hears it"); });
  EXPECT_TRUE(Becomes([&] { return done == 50; }));
}

TEST(OnWorker, LongWorkKeepsNoShortWorkWaiting) {
  std::atomic<bool> go_on = false;
  std::atomic<bool> done = false;
  Server server(TestOptions(), AdmitAll, testing::Echo);
  for (int i = 0; i < 20; ++i) {
    server.OnWorker([&] { go_on.wait(false); }, Pool::kLong);
  }
  server.OnWorker([&] { done = true; });
  EXPECT_TRUE(Becomes([&] { return done.load(); }));
  go_on = true;
  go_on.notify_all();
}

TEST(OnWorker, WhatHasNotBegunIsDroppedWithTheServer) {
  std::atomic<int> done = 0;
  {
    Server server(TestOptions(), AdmitAll, testing::Echo);
    for (int i = 0; i < 1000; ++i) {
      server.OnWorker([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++done;
      });
    }
  }
  EXPECT_LT(done, 1000);
}

}  // namespace
}  // namespace manyarms::http
