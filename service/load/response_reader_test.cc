#include "service/load/response_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "testing.h"

namespace manyarms::load {
namespace {

// Reads an answer in pieces of this many bytes; it must be complete with the
// last byte and not before.
void ReadInPieces(const std::string& text, std::size_t size,
                  ResponseReader& reader) {
  reader.Reset();
  for (std::size_t i = 0; i < text.size(); i += size) {
    const bool last = i + size >= text.size();
    EXPECT_EQ(reader.Take(std::string_view(text).substr(i, size)), last)
        << size << ' ' << i;
  }
}

TEST(ResponseReader, ReadsAnswersHoweverTheyCome) {
  const std::string plain =
      "HTTP/1.1 200 OK\r\nContent-Type: x\r\ncontent-length: 5\r\n\r\nhello";
  const std::string chunked =
      "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\n\r\n";
  const std::string empty = "HTTP/1.1 204 No Content\r\n\r\n";
  const std::string continued = "HTTP/1.1 100 Continue\r\n\r\n" + plain;
  ResponseReader reader;
  for (std::size_t size = 1; size < 120; ++size) {
    ReadInPieces(plain, size, reader);
    EXPECT_EQ(reader.status(), 200U);
    EXPECT_EQ(reader.body(), "hello");
    ReadInPieces(chunked, size, reader);
    EXPECT_EQ(reader.status(), 404U);
    EXPECT_EQ(reader.body(), "abc0123456789");
    ReadInPieces(empty, size, reader);
    EXPECT_EQ(reader.status(), 204U);
    EXPECT_EQ(reader.body(), "");
    ReadInPieces(continued, size, reader);
    EXPECT_EQ(reader.body(), "hello");
  }
}

TEST(ResponseReader, SaysWhetherTheConnectionStays) {
  ResponseReader reader;
  const auto keeps = [&reader](const std::string& head) {
    ReadInPieces(head + "Content-Length: 0\r\n\r\n", 1000, reader);
    return reader.keeps_alive();
  };
  EXPECT_TRUE(keeps("HTTP/1.1 200 OK\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\nConnection: close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0 200 OK\r\n"));
  EXPECT_TRUE(keeps("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"));
}

TEST(ResponseReader, RefusesWhatIsNotHttp) {
  for (const std::string text :
       {"HTTP/2 200 OK\r\n\r\n", "hello there, who are you?\r\n\r\n",
        "HTTP/1.1 xyz\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc"}) {
    ResponseReader reader;
    testing::ExpectError(ErrorCode::kCorrupt, {"HTTP/1.1"},
                         [&] { reader.Take(text); });
  }
  ResponseReader reader;
  testing::ExpectError(ErrorCode::kCorrupt, {"too long"}, [&] {
    reader.Take("HTTP/1.1 200 OK\r\n" + std::string(70'000, 'x'));
  });
}

}  // namespace
}  // namespace manyarms::load
