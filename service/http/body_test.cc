#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "service/http/test_server.h"

namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Echo;
using testing::kMostBody;
using testing::RawClient;
using testing::TestOptions;
using Admitted = std::variant<Admission, Response>;

// NOLINTNEXTLINE(modernize-use-string-view)
std::string Get() { return "GET /next HTTP/1.1\r\nHost: x\r\n\r\n"; }

std::string PostHead(std::size_t length, const std::string& fields = "") {
  return "POST / HTTP/1.1\r\nHost: x\r\n" + fields +
         "Content-Length: " + std::to_string(length) + "\r\n\r\n";
}

// NOLINTNEXTLINE(modernize-use-string-view)
std::string ChunkedHead() {
  return "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
}

TEST(Body, OfTheLargestSizeIsTaken) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  const std::string body(kMostBody, 'b');
  const auto whole = client.Ask(PostHead(body.size()) + body);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body, "2 /? [100000]" + body);
  const auto chunked =
      client.Ask(ChunkedHead() + "186A0\r\n" + body + "\r\n0\r\n\r\n");
  ASSERT_TRUE(chunked);
  EXPECT_EQ(chunked->body, "2 /? [100000]" + body);
}

TEST(Body, IsTheSameHoweverItIsCut) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  std::string body;
  for (int i = 0; i < 20'000; ++i) body += std::to_string(i) + ',';
  body.resize(kMostBody);
  for (const std::size_t chunk : {1U, 3U, 1000U, 4096U, 70'000U}) {
    std::string text = ChunkedHead();
    const std::size_t size = chunk < 10 ? 5000 : body.size();
    for (std::size_t from = 0; from < size; from += chunk) {
      const std::string piece = body.substr(from, std::min(chunk, size - from));
      char digits[20];
      std::snprintf(digits, sizeof(digits), "%zx\r\n", piece.size());
      text += digits + piece + "\r\n";
    }
    text += "0\r\n\r\n";
    const auto answer = client.Ask(text);
    ASSERT_TRUE(answer) << chunk;
    EXPECT_EQ(answer->body,
              "2 /? [" + std::to_string(size) + "]" + body.substr(0, size))
        << chunk;
  }
}

TEST(Body, TooLargeByItsLengthIsRefusedAtOnce) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  const auto answer = client.Ask(PostHead(kMostBody + 1));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
  EXPECT_EQ(answer->body,
            R"({"error":{"status":413,"code":"too_large","message":)"
            R"("the body has 100001 bytes, expected at most 100000"}})");
  EXPECT_EQ(answer->Header("Connection"), "close");
  EXPECT_EQ(server.stats().malformed, 1);
}

TEST(Body, TooLargeIsRefusedThoughTheClientGoesOn) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  // More than the sockets hold, so that the answer would be lost if the server
  // closed without reading.
  client.Send(PostHead(8'000'000) + std::string(8'000'000, 'b'));
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
}

TEST(Body, TooLargeInChunksIsRefusedWhenItIsKnown) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient announced(server.port());
  const auto answer = announced.Ask(ChunkedHead() + "186A1\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
  EXPECT_EQ(answer->body,
            R"({"error":{"status":413,"code":"too_large","message":)"
            R"("the body has more than 100000 bytes"}})");

  RawClient several(server.port());
  const auto sum =
      several.Ask(ChunkedHead() + "C350\r\n" + std::string(50'000, 'b') +
                  "\r\nC350\r\n" + std::string(50'000, 'b') + "\r\n1\r\n");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->status, 413);
}

TEST(Body, OfAnEnormousLengthTakesNoMemory) {
  const Server server(
      TestOptions(),
      [](const Head&) -> Admitted {
        return Admission{.most_body = std::uint64_t{1} << 60};
      },
      Echo);
  RawClient client(server.port());
  client.Send(PostHead(std::size_t{1} << 59) + "b");
  EXPECT_FALSE(client.Hears(0.05));
  RawClient other(server.port());
  EXPECT_TRUE(other.Ask(Get()));
}

TEST(Admission, RefusesARequestWithoutABody) {
  std::atomic<int> handled = 0;
  const Server server(
      TestOptions(),
      [](const Head& head) -> Admitted {
        if (head.path == "/next") return Admission{};
        return Response{.status = 401};
      },
      [&](Request, Reply reply) {
        ++handled;
        reply.Send({});
      });
  RawClient client(server.port());
  const auto refused = client.Ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 401);
  EXPECT_EQ(handled, 0);
  EXPECT_TRUE(client.Ask(Get()));
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(server.stats().malformed, 0);
}

TEST(Admission, ReadsASmallRefusedBodyAndGoesOn) {
  const Server server(
      TestOptions(),
      [](const Head& head) -> Admitted {
        if (head.path == "/next") return Admission{};
        return Response{.status = 404};
      },
      Echo);
  RawClient client(server.port());
  // The body is itself a request, which must not be served.
  std::string body = "GET /inner HTTP/1.1\r\nHost: x\r\n\r\n";
  body.resize(65'536, 'b');
  client.Send(PostHead(body.size()) + body.substr(0, 10));
  const auto refused = client.Read();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 404);
  EXPECT_EQ(refused->Header("Connection"), "");
  const auto next = client.Ask(body.substr(10) + Get());
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "0 /next? [0]");
}

TEST(Admission, ClosesAfterALargeRefusedBodyOrOneOfUnknownLength) {
  const Server server(
      TestOptions(),
      [](const Head&) -> Admitted { return Response{.status = 404}; }, Echo);
  for (const std::string& head : {PostHead(65'537), ChunkedHead(),
                                  PostHead(3, "Expect: 100-continue\r\n")}) {
    RawClient client(server.port());
    const auto refused = client.Ask(head);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 404);
    EXPECT_EQ(refused->Header("Connection"), "close");
    client.Send(Get());
    client.EndSending();
    EXPECT_TRUE(client.Ends());
  }
}

TEST(Admission, ThatThrowsIsAnsweredBy500) {
  const Server server(
      TestOptions(),
      [](const Head&) -> Admitted { throw std::runtime_error("secret"); },
      Echo);
  RawClient client(server.port());
  const auto answer = client.Ask(Get());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body.find("secret"), std::string::npos);
}

TEST(Expect, IsMetAfterAdmission) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  const std::string expect = "Expect: 100-Continue\r\n";
  for (int i = 0; i < 2; ++i) {
    const auto leave = client.Ask(PostHead(3, expect));
    ASSERT_TRUE(leave);
    EXPECT_EQ(leave->head, "HTTP/1.1 100 Continue\r\n\r\n");
    const auto answer = client.Ask("abc");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "2 /? [3]abc");
  }
  // A client that does not wait needs no leave.
  const auto answer = client.Ask(PostHead(3, expect) + "abc");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  const auto large = client.Ask(PostHead(kMostBody + 1, expect));
  ASSERT_TRUE(large);
  EXPECT_EQ(large->status, 413);
}

TEST(Expect, OfTheFormerVersionGetsNoInterimAnswer) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  client.Send(
      "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_FALSE(client.Hears(0.05));
  const auto answer = client.Ask("abc");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

/// Adds up bytes, and refuses those beyond a limit.
class Sum : public BodySink {
 public:
  explicit Sum(std::size_t most) : most_(most) {}
  std::unique_ptr<Response> Take(std::string_view piece) override {
    if (piece.find('!') != std::string_view::npos) {
      throw std::runtime_error("no exclamations");
    }
    bytes_ += piece.size();
    if (bytes_ <= most_) return nullptr;
    return std::make_unique<Response>(Response{.status = 422});
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t most_;
  std::size_t bytes_ = 0;
};

Server SinkServer() {
  return Server(
      TestOptions(),
      [](const Head& head) -> Admitted {
        if (head.path == "/next") return Admission{};
        return Admission{.most_body = 1'000'000'000,
                         .sink = std::make_unique<Sum>(10'000'000)};
      },
      [](Request request, Reply reply) {
        auto* sum = dynamic_cast<Sum*>(request.sink.get());
        const std::size_t bytes = sum == nullptr ? 0 : sum->bytes();
        reply.Send({.body = std::to_string(bytes) + ' ' +
                            std::to_string(request.body.size())});
      });
}

TEST(Sink, GetsTheBody) {
  const Server server = SinkServer();
  RawClient client(server.port());
  const auto small = client.Ask(PostHead(3) + "abc");
  ASSERT_TRUE(small);
  EXPECT_EQ(small->body, "3 0");
  const auto large =
      // NOLINTNEXTLINE(bugprone-string-constructor)
      client.Ask(PostHead(10'000'000) + std::string(10'000'000, 'b'));
  ASSERT_TRUE(large);
  EXPECT_EQ(large->body, "10000000 0");
  const auto chunked =
      client.Ask(ChunkedHead() + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  ASSERT_TRUE(chunked);
  EXPECT_EQ(chunked->body, "5 0");
  const auto none = client.Ask(PostHead(0));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->body, "0 0");
}

TEST(Sink, MayRefuseTheRest) {
  const Server server = SinkServer();
  {
    RawClient client(server.port());
    const auto answer =
        // NOLINTNEXTLINE(bugprone-string-constructor)
        client.Ask(PostHead(20'000'000) + std::string(10'000'001, 'b'));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 422);
    EXPECT_EQ(answer->Header("Connection"), "close");
  }
  RawClient client(server.port());
  // With little left, the connection is kept.
  const auto answer =
      // NOLINTNEXTLINE(bugprone-string-constructor)
      client.Ask(PostHead(10'050'000) + std::string(10'050'000, 'b'));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 422);
  EXPECT_EQ(answer->Header("Connection"), "");
  EXPECT_TRUE(client.Ask(Get()));
}

TEST(Sink, ThatRefusesTheLastByteKeepsTheConnection) {
  const Server server = SinkServer();
  RawClient client(server.port());
  const auto answer =
      // NOLINTNEXTLINE(bugprone-string-constructor)
      client.Ask(PostHead(10'000'001) + std::string(10'000'001, 'b'));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 422);
  EXPECT_TRUE(client.Ask(Get()));
}

TEST(Sink, ThatThrowsIsAnsweredBy500) {
  const Server server = SinkServer();
  RawClient client(server.port());
  const auto answer = client.Ask(PostHead(3) + "ab!");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 500);
  const auto next = client.Ask(Get());
  ASSERT_TRUE(next);
  EXPECT_EQ(next->status, 200);
}

}  // namespace
}  // namespace manyarms::http
