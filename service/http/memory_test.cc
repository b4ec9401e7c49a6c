#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/http/test_server.h"

namespace {

// How many allocations from now the one is that fails; negative: none.
std::atomic<long> g_until_failure{-1};
// The threads of the tests themselves get what they want.
thread_local bool t_may_fail = true;

}  // namespace

// Not inlined: g++ sees one of a pair inlined without the other, and warns of a
// mismatch.
// NOLINTBEGIN(cppcoreguidelines-no-malloc): memory is what this file is about.
[[gnu::noinline]] void* operator new(std::size_t size) {
  // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions)
  if (t_may_fail && g_until_failure >= 0 && g_until_failure-- == 0) {
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory,
                                       std::size_t /*size*/) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)

namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Becomes;
using testing::Echo;
using testing::RawClient;
using testing::TestOptions;

// More than any request below makes.
constexpr long kAllocations = 60;

class Memory : public ::testing::Test {
 protected:
  Memory() { t_may_fail = false; }
  ~Memory() override { t_may_fail = true; }

  static ServerOptions Options() {
    ServerOptions options = TestOptions();
    options.threads = 1;
    options.head_seconds = options.body_seconds = options.write_seconds = 0.1;
    return options;
  }

  // Lets each allocation that a request leads to fail once, and asks whether
  // the server serves as before.
  static void FailEach(Server& server, const std::string& request) {
    long failed = 0;
    for (long i = 0; i < kAllocations; ++i) {
      {
        RawClient client(server.port());
        g_until_failure = i;
        client.Send(request);
        // Whatever it is, it comes: an answer or the end.
        (void)client.Read();
        failed += g_until_failure.exchange(-1) < 0 ? 1 : 0;
      }
      RawClient next(server.port());
      const auto answer = next.Ask("GET /next HTTP/1.1\r\nHost: x\r\n\r\n");
      ASSERT_TRUE(answer) << "allocation " << i;
      ASSERT_EQ(answer->status, 200) << "allocation " << i;
    }
    EXPECT_GT(failed, 3);
    EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }))
        << server.stats().connections;
  }
};

std::string Post(std::size_t size) {
  return "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " +
         std::to_string(size) + "\r\n\r\n" + std::string(size, 'b');
}

TEST_F(Memory, MayBeMissingForAnyPartOfARequest) {
  Server server(Options(), AdmitAll, Echo);
  FailEach(server, Post(70'000));
}

TEST_F(Memory, MayBeMissingForAnAnswerOfAnotherThread) {
  Server* place = nullptr;
  Server server(Options(), AdmitAll, [&](Request request, Reply reply) {
    if (request.head.path == "/next") return reply.Send({});
    auto kept = std::make_shared<Reply>(std::move(reply));
    place->OnWorker([kept] {
      kept->Begin(200, "text/plain");
      kept->Piece(std::string(100, 'p'));
      kept->End();
    });
  });
  place = &server;
  FailEach(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
}

TEST_F(Memory, MayBeMissingForAReplyThatIsSentLater) {
  Server* place = nullptr;
  Server server(Options(), AdmitAll, [&](Request request, Reply reply) {
    if (request.head.path == "/next") return reply.Send({});
    auto kept = std::make_shared<Reply>(std::move(reply));
    place->OnWorker([kept] { kept->Send({.body = std::string(9000, 'a')}); });
  });
  place = &server;
  FailEach(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
}

TEST_F(Memory, MayBeMissingForAConnection) {
  Server server(Options(), AdmitAll, Echo);
  const std::string request = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n";
  for (long i = 0; i < 10; ++i) {
    g_until_failure = i;
    RawClient client(server.port());
    (void)client.Ask(request);
    g_until_failure = -1;
    RawClient next(server.port());
    ASSERT_TRUE(next.Ask(request)) << "allocation " << i;
  }
  EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }))
      << server.stats().connections;
}

}  // namespace
}  // namespace manyarms::http
