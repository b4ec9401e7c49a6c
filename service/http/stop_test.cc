#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/http/test_server.h"

namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Becomes;
using testing::Echo;
using testing::RawClient;
using testing::TestOptions;

std::string Get(std::string_view target = "/") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", target);
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

TEST(Stop, ClosesConnectionsThatHaveNoRequest) {
  Server server(TestOptions(), AdmitAll, Echo);
  RawClient fresh(server.port());
  RawClient kept(server.port());
  ASSERT_TRUE(kept.Ask(Get()));
  ASSERT_TRUE(Becomes([&] { return server.stats().connections == 2; }));
  const auto start = std::chrono::steady_clock::now();
  server.Stop(5);
  EXPECT_LT(SecondsSince(start), 3);
  EXPECT_TRUE(fresh.Ends());
  EXPECT_TRUE(kept.Ends());
  EXPECT_EQ(server.stats().connections, 0);
  EXPECT_ANY_THROW(RawClient(server.port()).Ask(Get()).value());
}

TEST(Stop, AnswersTheRequestsThatItHas) {
  std::mutex mutex;
  std::vector<Reply> replies;
  Server server(TestOptions(), AdmitAll, [&](Request, Reply reply) {
    const std::scoped_lock lock(mutex);
    replies.push_back(std::move(reply));
  });
  std::vector<RawClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back(server.port());
    clients.back().Send(Get());
  }
  ASSERT_TRUE(Becomes([&] {
    const std::scoped_lock lock(mutex);
    return replies.size() == 8;
  }));
  // One more whose body has not come.
  clients.emplace_back(server.port());
  clients.back().Send(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na");
  ASSERT_TRUE(Becomes([&] { return server.stats().connections == 9; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::thread stopping([&] { server.Stop(5); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  clients.back().Send("b");
  ASSERT_TRUE(Becomes([&] {
    const std::scoped_lock lock(mutex);
    return replies.size() == 9;
  }));
  for (Reply& reply : replies) reply.Send({.body = "answered"});
  for (RawClient& client : clients) {
    const auto answer = client.Read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "answered");
    EXPECT_EQ(answer->Header("Connection"), "close");
    client.EndSending();
    EXPECT_TRUE(client.Ends());
  }
  stopping.join();
}

TEST(Stop, DoesNotWaitLongerThanItWasTold) {
  std::mutex mutex;
  std::vector<Reply> replies;
  Server server(TestOptions(), AdmitAll, [&](Request, Reply reply) {
    const std::scoped_lock lock(mutex);
    replies.push_back(std::move(reply));
  });
  RawClient client(server.port());
  client.Send(Get());
  ASSERT_TRUE(Becomes([&] {
    const std::scoped_lock lock(mutex);
    return replies.size() == 1;
  }));
  const auto start = std::chrono::steady_clock::now();
  server.Stop(0.2);
  EXPECT_GE(SecondsSince(start), 0.2);
  EXPECT_LT(SecondsSince(start), 3);
  EXPECT_FALSE(client.Read());
  replies[0].Send({});
}

TEST(Stop, FinishesAnAnswerThatHasBegun) {
  Server* workers = nullptr;
  std::atomic<bool> begun = false;
  std::atomic<bool> stopping = false;
  Server server(TestOptions(), AdmitAll, [&](Request, Reply reply) {
    workers->OnWorker([&, held = std::make_shared<Reply>(std::move(reply))] {
      held->Begin(200, "text/plain");
      held->Piece("first ");
      begun = true;
      while (!stopping) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      held->Piece("last");
      held->End();
    });
  });
  workers = &server;
  RawClient client(server.port());
  client.Send(Get());
  ASSERT_TRUE(Becomes([&] { return begun.load(); }));
  std::thread stopper([&] {
    stopping = true;
    server.Stop(5);
  });
  const auto answer = client.Read();
  EXPECT_TRUE(answer);
  if (answer) {
    EXPECT_EQ(answer->body, "first last");
  }
  EXPECT_TRUE(client.Ends());
  stopper.join();
}

TEST(Stop, MayBeCalledTwiceAndUnderLoad) {
  Server server(TestOptions(), AdmitAll, Echo);
  std::atomic<int> answered = 0;
  std::atomic<bool> incomplete = false;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      try {
        RawClient client(server.port());
        while (client.Send(Get())) {
          const auto answer = client.Read();
          if (!answer) break;
          if (answer->body != "0 /? [0]") incomplete = true;
          ++answered;
          if (answer->Header("Connection") == "close") break;
        }
      } catch (const std::runtime_error&) {
        // It came too late to connect.
      }
    });
  }
  EXPECT_TRUE(Becomes([&] { return answered > 500; }));
  const auto start = std::chrono::steady_clock::now();
  server.Stop(5);
  EXPECT_LT(SecondsSince(start), 4);
  server.Stop(5);
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(incomplete);
  EXPECT_EQ(server.stats().connections, 0);
}

}  // namespace
}  // namespace manyarms::http
