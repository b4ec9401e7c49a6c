#include "service/api/gate.h"

#include <gtest/gtest.h>

namespace manyarms::service {
namespace {

TEST(Gate, KnowsLoopbackAddresses) {
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1", "localhost",
                              "LOCALHOST", "0:0:0:0:0:0:0:1"}) {
    EXPECT_TRUE(IsLoopback(address)) << address;
  }
  for (const char* address :
       {"", "0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "localhost.evil.com",
        "127.0.0.1.evil.com", "127.1", "2130706433", "127.0.0.1 "}) {
    EXPECT_FALSE(IsLoopback(address)) << address;
  }
}

TEST(Gate, LetsPagesOfOtherOriginsNotIn) {
  for (const char* host :
       {"localhost", "localhost:7420", "127.0.0.1:80", "[::1]:7420", "[::1]"}) {
    EXPECT_TRUE(IsLocalRequest(host, "")) << host;
  }
  for (const char* host :
       {"", "evil.com", "evil.com:7420", "localhost.evil.com:7420",
        "127.0.0.1.evil.com", "[::1", "[::2]:7420", "::1", ":7420"}) {
    EXPECT_FALSE(IsLocalRequest(host, "")) << host;
  }
  EXPECT_TRUE(IsLocalRequest("localhost:7420", "http://localhost:7420"));
  for (const char* origin :
       {"null", "http://evil.com", "http://localhost", "http://localhost:8080",
        "http://127.0.0.1:7420", "localhost:7420"}) {
    EXPECT_FALSE(IsLocalRequest("localhost:7420", origin)) << origin;
  }
}

}  // namespace
}  // namespace manyarms::service
