#include "reproduction/part.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/testing.h"

namespace manyarms::reproduction {
namespace {

using manyarms::testing::ExpectError;

std::vector<Job> Jobs(std::size_t count) {
  std::vector<Job> jobs;
  jobs.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    jobs.push_back({.label = std::to_string(i), .settings = Json::object()});
  }
  return jobs;
}

TEST(Part, TogetherPartsHaveEveryJobOnce) {
  const std::vector<Job> jobs = Jobs(10);
  std::vector<int> times(jobs.size(), 0);
  for (const char* text : {"1/4", "2/4", "3/4", "4/4"}) {
    for (const Job& job : JobsOf(ParsePart(text), jobs)) {
      ++times[std::stoul(job.label)];
    }
  }
  EXPECT_EQ(times, std::vector<int>(10, 1));
}

TEST(Part, PartsAreAboutEquallyLong) {
  EXPECT_EQ(JobsOf({.number = 1, .of = 4}, Jobs(10)).size(), 3U);
  EXPECT_EQ(JobsOf({.number = 4, .of = 4}, Jobs(10)).size(), 2U);
  EXPECT_TRUE(JobsOf({.number = 20, .of = 30}, Jobs(10)).empty());
}

TEST(Part, RefusesWhatIsNoPart) {
  for (const char* text : {"", "1", "/", "1/", "/2", "0/2", "3/2", "1/0",
                           "-1/2", "1/2/3", "a/b", "1 /2"}) {
    ExpectError(ErrorCode::kInvalidArgument, {text, "3/100"},
                [&] { ParsePart(text); });
  }
}

}  // namespace
}  // namespace manyarms::reproduction
