#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "service/http/test_server.h"

// Requests that servers and proxies could understand differently, or that are
// too large, as raw bytes.
namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Echo;
using testing::RawClient;
using testing::TestOptions;

struct Case {
  std::string name;
  std::string bytes;
};

std::string Host(std::string_view name = "x") {
  return fmt::format("Host: {}\r\n", name);
}

std::string Post(const std::string& fields, const std::string& body) {
  return "POST / HTTP/1.1\r\n" + Host() + fields + "\r\n" + body;
}

std::vector<Case> MalformedHeads() {
  const std::string get = "GET / HTTP/1.1\r\n";
  return {
      {"no method", " / HTTP/1.1\r\n" + Host() + "\r\n"},
      {"method with a separator", "G(T / HTTP/1.1\r\n" + Host() + "\r\n"},
      {"no target", "GET HTTP/1.1\r\n" + Host() + "\r\n"},
      {"two spaces", "GET  / HTTP/1.1\r\n" + Host() + "\r\n"},
      {"space in the target", "GET /a b HTTP/1.1\r\n" + Host() + "\r\n"},
      {"space behind the version", "GET / HTTP/1.1 \r\n" + Host() + "\r\n"},
      {"no version", "GET /\r\n\r\n"},
      {"lower case version", "GET / http/1.1\r\n" + Host() + "\r\n"},
      {"version 0.9", "GET / HTTP/0.9\r\n" + Host() + "\r\n"},
      {"version 1.2", "GET / HTTP/1.2\r\n" + Host() + "\r\n"},
      {"version 2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"version of two digits", "GET / HTTP/1.10\r\n" + Host() + "\r\n"},
      {"another host in the target",
       "GET http://y/ HTTP/1.1\r\n" + Host() + "\r\n"},
      {"another port in the target",
       "GET http://x:80/ HTTP/1.1\r\n" + Host() + "\r\n"},
      {"host of the target without the field",
       "GET http://x/ HTTP/1.1\r\n\r\n"},
      {"empty host in the target", "GET http:///a HTTP/1.1\r\nHost:\r\n\r\n"},
      {"user in the target", "GET http://a@x/ HTTP/1.1\r\n" + Host() + "\r\n"},
      {"only a scheme", "GET http:// HTTP/1.1\r\n" + Host() + "\r\n"},
      {"no slashes behind the scheme",
       "GET http:/x/ HTTP/1.1\r\n" + Host() + "\r\n"},
      {"another scheme", "GET ftp://x/ HTTP/1.1\r\n" + Host() + "\r\n"},
      {"fragment in an absolute target",
       "GET http://x/#b HTTP/1.1\r\n" + Host() + "\r\n"},
      {"authority", "CONNECT x:80 HTTP/1.1\r\n" + Host() + "\r\n"},
      {"asterisk", "OPTIONS * HTTP/1.1\r\n" + Host() + "\r\n"},
      {"relative target", "GET a HTTP/1.1\r\n" + Host() + "\r\n"},
      {"fragment", "GET /a#b HTTP/1.1\r\n" + Host() + "\r\n"},
      {"beyond ASCII in the target",
       "GET /\xc3\xa4 HTTP/1.1\r\n" + Host() + "\r\n"},
      {"control character in the target",
       "GET /\x01 HTTP/1.1\r\n" + Host() + "\r\n"},
      {"tab in the target", "GET /\ta HTTP/1.1\r\n" + Host() + "\r\n"},
      {"delete in the target", "GET /\x7f HTTP/1.1\r\n" + Host() + "\r\n"},
      {"NUL in the target",
       std::string("GET /\0 HTTP/1.1\r\n", 17) + Host() + "\r\n"},
      {"two empty lines first", "\r\n\r\n" + get + Host() + "\r\n"},
      {"LF first", "\n" + get + Host() + "\r\n"},
      {"LF alone ends the first line", "GET / HTTP/1.1\n" + Host() + "\r\n"},
      {"LF alone ends a field", get + "Host: x\nA: b\r\n\r\n"},
      {"LF alone ends the head", get + "Host: x\r\n\n"},
      {"only LF", "GET / HTTP/1.1\nHost: x\n\n"},
      {"CR alone in a field", get + Host() + "A: b\rC: d\r\n\r\n"},
      {"CR alone before CR LF", get + Host() + "A: b\r\r\n\r\n"},
      {"CR alone ends the head", get + Host() + "\r\r\n\r\n"},
      {"NUL in a field", get + Host() + std::string("A: b\0c\r\n\r\n", 10)},
      {"control character in a field", get + Host() + "A: \x0b\r\n\r\n"},
      {"no colon", get + Host() + "A\r\n\r\n"},
      {"no name", get + Host() + ": b\r\n\r\n"},
      {"space before the colon", get + Host() + "A : b\r\n\r\n"},
      {"space before the colon of a length",
       Post("Content-Length : 3\r\n", "abc")},
      {"tab before the colon", get + Host() + "A\t: b\r\n\r\n"},
      {"space in a name", get + Host() + "A B: c\r\n\r\n"},
      {"beyond ASCII in a name", get + Host() + "\xc3\xa4: c\r\n\r\n"},
      {"first field begins with a space", get + " A: b\r\n" + Host() + "\r\n"},
      {"folded field", get + Host() + "A: b\r\n c\r\n\r\n"},
      {"folded by a tab", get + Host() + "A: b\r\n\tc\r\n\r\n"},
      {"folded after nothing", get + Host() + "A:\r\n b\r\n\r\n"},
      {"folded to nothing", get + Host() + "A: b\r\n \r\n\r\n"},
      {"folded length", Post("Content-Length:\r\n 3\r\n", "abc")},
      {"no host", get + "\r\n"},
      {"two hosts", get + Host() + Host() + "\r\n"},
      {"two hosts in 1.0", "GET / HTTP/1.0\r\n" + Host() + "host: y\r\n\r\n"},
      {"space in the host", get + "Host: x y\r\n\r\n"},
      {"path in the host", get + "Host: x/y\r\n\r\n"},
      {"user in the host", get + "Host: u@x\r\n\r\n"},
      {"list of hosts", get + "Host: x\"y\r\n\r\n"},
      {"two authorizations",
       get + Host() + "Authorization: a\r\nauthorization: a\r\n\r\n"},
      {"two origins", get + Host() + "Origin: a\r\nOrigin: b\r\n\r\n"},
      {"two content types",
       Post("Content-Type: a\r\nContent-Type: a\r\nContent-Length: 1\r\n",
            "a")},
      {"authorization beyond ASCII",
       get + Host() + "Authorization: \xff\r\n\r\n"},
      {"connection that is no list", get + Host() + "Connection: a b\r\n\r\n"},
      {"length and coding",
       Post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "0\r\n\r\n")},
      {"coding and length",
       Post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            "0\r\n\r\n")},
      {"unknown coding and length",
       Post("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n", "abcde")},
      {"length and unknown coding",
       Post("Content-Length: 5\r\nTransfer-Encoding: identity\r\n", "abcde")},
      {"different lengths",
       Post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd")},
      {"equal lengths",
       Post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc")},
      {"list of lengths", Post("Content-Length: 3, 4\r\n", "abcd")},
      {"list of equal lengths", Post("Content-Length: 3, 3\r\n", "abc")},
      {"list of one length", Post("Content-Length: 3,\r\n", "abc")},
      {"no length", Post("Content-Length: \r\n", "")},
      {"negative length", Post("Content-Length: -3\r\n", "abc")},
      {"length with a sign", Post("Content-Length: +3\r\n", "abc")},
      {"length with a point", Post("Content-Length: 3.0\r\n", "abc")},
      {"hexadecimal length", Post("Content-Length: 0x3\r\n", "abc")},
      {"length with a space", Post("Content-Length: 1 1\r\n", "abc")},
      {"length beyond 64 bits",
       Post("Content-Length: 18446744073709551616\r\n", "abc")},
      {"two codings in two fields",
       Post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "0\r\n\r\n")},
      {"unknown coding, then chunked, in two fields",
       Post("Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n",
            "0\r\n\r\n")},
      {"coding in 1.0",
       "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
       "0\r\n\r\n"},
  };
}

std::vector<Case> MalformedBodies() {
  const auto chunked = [](const std::string& body) {
    return Post("Transfer-Encoding: chunked\r\n", body);
  };
  return {
      {"no size", chunked("\r\nabc\r\n0\r\n\r\n")},
      {"no hexadecimal size", chunked("g\r\nabc\r\n0\r\n\r\n")},
      {"negative size", chunked("-3\r\nabc\r\n0\r\n\r\n")},
      {"size with a sign", chunked("+3\r\nabc\r\n0\r\n\r\n")},
      {"size with 0x", chunked("0x3\r\nabc\r\n0\r\n\r\n")},
      {"space before the size", chunked(" 3\r\nabc\r\n0\r\n\r\n")},
      {"space behind the size", chunked("3 \r\nabc\r\n0\r\n\r\n")},
      {"size beyond 64 bits", chunked("10000000000000003\r\nabc\r\n0\r\n\r\n")},
      {"LF alone behind the size", chunked("3\nabc\r\n0\r\n\r\n")},
      {"CR alone behind the size", chunked("3\rabc\r\n0\r\n\r\n")},
      {"LF alone in an extension", chunked("3;a\nb\r\nabc\r\n0\r\n\r\n")},
      {"LF in a quoted extension", chunked("3;a=\"\n\"\r\nabc\r\n0\r\n\r\n")},
      {"CR LF in a quoted extension",
       chunked("3;a=\"\r\n\"\r\nabc\r\n0\r\n\r\n")},
      {"extension without a name", chunked("3;\r\nabc\r\n0\r\n\r\n")},
      {"endless extension", chunked("3;a=" + std::string(10'000, 'b'))},
      {"endless zeros", chunked(std::string(10'000, '0'))},
      {"more than the size", chunked("3\r\nabcd\r\n0\r\n\r\n")},
      {"less than the size", chunked("3\r\nab\r\n0\r\n\r\n")},
      {"LF alone behind a chunk", chunked("3\r\nabc\n0\r\n\r\n")},
      {"nothing behind a chunk", chunked("3\r\nabc0\r\n\r\n")},
      {"length among the last fields",
       chunked("0\r\nContent-Length: 3\r\n\r\n")},
      {"coding among the last fields",
       chunked("0\r\nTransfer-Encoding: chunked\r\n\r\n")},
      {"no colon in the last fields", chunked("0\r\nabc\r\n\r\n")},
      {"LF alone in the last fields", chunked("0\r\nA: b\nC: d\r\n\r\n")},
      {"endless last fields",
       chunked("0\r\nA: " + std::string(10'000, 'b') + "\r\n\r\n")},
  };
}

void ExpectRefused(const Case& request, int status, const std::string& code) {
  SCOPED_TRACE(request.name);
  int handled = 0;
  const Server server(TestOptions(), AdmitAll, [&](Request, Reply reply) {
    ++handled;
    reply.Send({});
  });
  RawClient client(server.port());
  client.Send(request.bytes);
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, status);
  EXPECT_EQ(answer->Header("Connection"), "close");
  EXPECT_EQ(answer->Header("Content-Type"), "application/json");
  EXPECT_EQ(
      answer->body.find(R"({"error":{"status":)" + std::to_string(status) +
                        R"(,"code":")" + code + R"(","message":")"),
      0)
      << answer->body;
  // What follows is not taken for another request.
  client.Send("GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
  client.EndSending();
  EXPECT_TRUE(client.Ends());
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(server.stats().malformed, status == 501 ? 0 : 1);
}

TEST(RefusedHeads, WhatTwoReadersCouldUnderstandDifferently) {
  for (const Case& request : MalformedHeads()) {
    ExpectRefused(request, 400, "bad_request");
  }
}

TEST(RefusedHeads, BodiesThatTwoReadersCouldUnderstandDifferently) {
  for (const Case& request : MalformedBodies()) {
    ExpectRefused(request, 400, "bad_request");
  }
}

TEST(RefusedHeads, CodingsThatAreNotUnderstood) {
  for (const std::string coding :
       {"gzip", "identity", "gzip, chunked", "chunked, gzip",
        "chunked, chunked", "xchunked", "\"chunked\"", "chunked;q=1", ""}) {
    ExpectRefused(
        {coding, Post("Transfer-Encoding: " + coding + "\r\n", "0\r\n\r\n")},
        501, "not_implemented");
  }
}

TEST(RefusedHeads, TheyAreRefusedBeforeTheyAreComplete) {
  ExpectRefused({"LF", "GET / HTTP/1.1\n"}, 400, "bad_request");
  ExpectRefused({"fold", "GET / HTTP/1.1\r\nHost: x\r\n a\r\n"}, 400,
                "bad_request");
  ExpectRefused({"control", "GET / HTTP/1.1\r\nHost: \x01\r\n"}, 400,
                "bad_request");
}

TEST(RefusedHeads, LargeOnes) {
  const std::string field = "A: " + std::string(1000, 'b') + "\r\n";
  std::string large = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 17; ++i) large += field;
  ExpectRefused({"complete", large + "\r\n"}, 431, "head_too_large");
  ExpectRefused({"incomplete", large}, 431, "head_too_large");
  ExpectRefused({"one field",
                 "GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(17'000, 'b')},
                431, "head_too_large");
  ExpectRefused({"target", "GET /" + std::string(8200, 'a') + " HTTP/1.1\r\n" +
                               Host() + "\r\n"},
                414, "target_too_long");
  ExpectRefused({"endless target", "GET /" + std::string(20'000, 'a')}, 414,
                "target_too_long");
}

TEST(RefusedHeads, TheLargestAreServed) {
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  std::string head =
      "GET /" + std::string(8191, 'a') + " HTTP/1.1\r\n" + Host();
  head += "A: " + std::string(std::size_t{16} * 1024 - head.size() - 7, 'b') +
          "\r\n\r\n";
  ASSERT_EQ(head.size(), 16 * 1024);
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.Ask(head);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
  }
  const auto large = client.Ask("GET /" + std::string(8192, 'a') +
                                " HTTP/1.1\r\n" + Host() + "\r\n");
  ASSERT_TRUE(large);
  EXPECT_EQ(large->status, 414);
}

TEST(RefusedHeads, WhatIsAllowedIsServed) {
  const std::vector<Case> requests = {
      {"empty line first", "\r\nGET / HTTP/1.1\r\n" + Host() + "\r\n"},
      {"empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"},
      {"IPv6 host", "GET / HTTP/1.1\r\nHost: [::1]:7420\r\n\r\n"},
      {"no space", "GET / HTTP/1.1\r\nHost:x\r\n\r\n"},
      {"tabs around values", "GET / HTTP/1.1\r\nHost:\t x \t\r\n\r\n"},
      {"beyond ASCII in other fields",
       "GET / HTTP/1.1\r\n" + Host() + "A: \xc3\xa4\r\n\r\n"},
      {"empty field", "GET / HTTP/1.1\r\n" + Host() + "A:\r\nB: \r\n\r\n"},
      {"length 0", Post("Content-Length: 0\r\n", "")},
      {"zeros before a length", Post("Content-Length: 003\r\n", "abc")},
      {"capitals",
       Post("TRANSFER-ENCODING: Chunked\r\n", "3\r\nabc\r\n0\r\n\r\n")},
      {"chunks", Post("Transfer-Encoding: chunked\r\n",
                      "003;a;b=c;d=\"e\\\"f\"\r\nabc\r\n0;x\r\nA: b\r\n\r\n")},
      {"unknown field", "GET / HTTP/1.1\r\n" + Host() + "Upgrade: h2c\r\n\r\n"},
  };
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  for (const Case& request : requests) {
    const auto answer = client.Ask(request.bytes);
    ASSERT_TRUE(answer) << request.name;
    EXPECT_EQ(answer->status, 200) << request.name << answer->body;
  }
}

TEST(RefusedHeads, AbsoluteTargetsOfThisHostAreServed) {
  struct Target {
    std::string target;
    std::string host;
    std::string seen;
  };
  const std::vector<Target> targets = {
      {"http://x/a/b?c=d", "x", "/a/b?c=d"},
      {"https://x/a", "x", "/a?"},
      {"HTTP://x/a", "x", "/a?"},
      {"http://x", "x", "/?"},
      {"http://x?c=http://y/", "x", "/?c=http://y/"},
      {"http://x//y/a", "x", "//y/a?"},
      {"http://Example.Org:7420/a", "example.org:7420", "/a?"},
      {"http://[::1]:7420/a", "[::1]:7420", "/a?"},
      {"/http://y/a", "x", "/http://y/a?"},
  };
  const Server server(TestOptions(), AdmitAll, Echo);
  RawClient client(server.port());
  for (const Target& target : targets) {
    const auto answer =
        client.Ask("GET " + target.target +
                   " HTTP/1.1\r\nHost: " + target.host + "\r\n\r\n");
    ASSERT_TRUE(answer) << target.target;
    EXPECT_EQ(answer->status, 200) << target.target << answer->body;
    EXPECT_EQ(answer->body, "0 " + target.seen + " [0]") << target.target;
  }
}

}  // namespace
}  // namespace manyarms::http
