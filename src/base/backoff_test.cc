#include "base/backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace manyarms {
namespace {

// How many opportunities are left out before the next attempt.
int LeftOut(Backoff& backoff) {
  int left_out = 0;
  while (!backoff.MayTry()) ++left_out;
  return left_out;
}

TEST(Backoff, LeavesOutMoreAfterEachFailureUpToItsLimit) {
  Backoff backoff(8);
  EXPECT_EQ(LeftOut(backoff), 0);
  std::vector<int> left_out;
  for (int failure = 0; failure < 6; ++failure) {
    backoff.Failed();
    left_out.push_back(LeftOut(backoff));
  }
  EXPECT_EQ(left_out, (std::vector<int>{1, 2, 4, 8, 8, 8}));
}

TEST(Backoff, StartsAgainAfterASuccess) {
  Backoff backoff;
  for (int failure = 0; failure < 5; ++failure) backoff.Failed();
  backoff.Succeeded();
  EXPECT_EQ(LeftOut(backoff), 0);
  backoff.Failed();
  EXPECT_EQ(LeftOut(backoff), 1);
}

}  // namespace
}  // namespace manyarms
