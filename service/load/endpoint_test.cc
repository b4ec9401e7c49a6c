#include "service/load/endpoint.h"

#include <gtest/gtest.h>

#include "testing.h"

namespace manyarms::load {
namespace {

TEST(Endpoint, IsReadFromAUrl) {
  EXPECT_EQ(ParseUrl("http://127.0.0.1:7420").Name(), "127.0.0.1:7420");
  EXPECT_EQ(ParseUrl("http://localhost:81/").Name(), "127.0.0.1:81");
  EXPECT_EQ(ParseUrl("http://[::1]:7420").Name(), "[::1]:7420");
  EXPECT_EQ(ParseUrl("http://[::1]").Name(), "[::1]:80");
  EXPECT_EQ(ParseUrl("http://127.5.0.1").port, 80);
}

TEST(Endpoint, OfAnotherMachineIsRefused) {
  for (const char* url :
       {"http://192.168.0.1:7420", "http://example.com", "http://0.0.0.0:1",
        "http://[::2]:7420", "http://128.0.0.1", "http://localhost.evil.com",
        "http://[::ffff:10.0.0.1]:80"}) {
    testing::ExpectError(ErrorCode::kInvalidArgument,
                         {url, "not this machine", "everybody else"},
                         [&] { ParseUrl(url); });
  }
}

TEST(Endpoint, RefusesWhatIsNoUrl) {
  for (const char* url :
       {"", "127.0.0.1:7420", "ftp://127.0.0.1", "http://127.0.0.1:0",
        "http://127.0.0.1:65536", "http://127.0.0.1:x",
        "http://127.0.0.1:", "http://127.0.0.1:80/v1", "http://a@127.0.0.1",
        "http://", "https://127.0.0.1:7420", "http://127.0.0.1:80?x=1"}) {
    testing::ExpectError(ErrorCode::kInvalidArgument, {url},
                         [&] { ParseUrl(url); });
  }
}

TEST(Endpoint, ServicesOfAllAddressesAreReachedByLoopback) {
  EXPECT_EQ(HostToConnectTo("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(HostToConnectTo("localhost"), "127.0.0.1");
  EXPECT_EQ(HostToConnectTo("0.0.0.0"), "127.0.0.1");
  EXPECT_EQ(HostToConnectTo("::"), "::1");
  EXPECT_EQ(HostToConnectTo("0:0:0:0:0:0:0:0"), "::1");
  EXPECT_EQ(HostToConnectTo("::1"), "::1");
  EXPECT_EQ(HostToConnectTo("192.0.2.7"), "192.0.2.7");
}

TEST(Endpoint, NothingThatListensIsAnError) {
  // Port 1 of an address of loopback that nobody uses.
  testing::ExpectError(ErrorCode::kIo, {"127.3.2.1:1", "refused"},
                       [] { Connect({.host = "127.3.2.1", .port = 1}); });
}

}  // namespace
}  // namespace manyarms::load
