#include "service/http/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <limits>

namespace manyarms::http {
namespace {

std::size_t Fit(std::size_t most_connections, std::uint64_t files) {
  ServerOptions options;
  options.most_connections = most_connections;
  options.threads = 2;
  return ConnectionsThatFit(options, files);
}

TEST(OpenFiles, LeaveRoomForOthers) {
  EXPECT_EQ(Fit(10'000, 20'000), 10'000);
  EXPECT_EQ(Fit(10'000, 10'108), 10'000);
  EXPECT_EQ(Fit(10'000, 10'107), 9'999);
  EXPECT_EQ(Fit(10'000, 1'024), 916);
  EXPECT_EQ(Fit(10'000, 109), 1);
  EXPECT_EQ(Fit(10'000, 108), 1);
  EXPECT_EQ(Fit(10'000, 0), 1);
  EXPECT_EQ(Fit(5, std::numeric_limits<std::uint64_t>::max()), 5);
}

// Exits with 0 if the limit could be raised to the hard limit.
[[noreturn]] void Raise() {
  const rlimit limit{.rlim_cur = 60, .rlim_max = 200};
  // NOLINTBEGIN(concurrency-mt-unsafe): the only thread
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) std::exit(2);
  if (RaiseOpenFiles() != 200) std::exit(3);
  rlimit now{};
  if (getrlimit(RLIMIT_NOFILE, &now) != 0) std::exit(4);
  std::exit(now.rlim_cur == 200 ? 0 : 5);
  // NOLINTEND(concurrency-mt-unsafe)
}

TEST(OpenFiles, AreRaisedToWhatIsAllowed) {
  EXPECT_EXIT(Raise(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace manyarms::http
