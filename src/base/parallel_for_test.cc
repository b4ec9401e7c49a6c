#include "base/parallel_for.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace manyarms {
namespace {

TEST(ParallelFor, VisitsEveryNumberOnceWhateverTheThreads) {
  for (const std::size_t threads : {1U, 2U, 8U}) {
    for (const std::size_t count : {0U, 1U, 99U, 100U, 101U, 12345U}) {
      std::vector<std::atomic<int>> visits(count);
      ParallelFor(
          count, 100,
          [&](std::size_t begin, std::size_t end) {
            EXPECT_EQ(begin % 100, 0U);
            EXPECT_LE(end - begin, 100U);
            for (std::size_t i = begin; i < end; ++i) ++visits[i];
          },
          threads);
      for (const std::atomic<int>& visit : visits) EXPECT_EQ(visit, 1);
    }
  }
}

TEST(ParallelFor, DoesASingleRangeOnTheCallingThread) {
  std::thread::id thread;
  ParallelFor(
      100, 100,
      [&](std::size_t, std::size_t) { thread = std::this_thread::get_id(); },
      8);
  EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST(ParallelFor, ThrowsWhatTheLowestRangeThrew) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::string message;
    try {
      ParallelFor(
          1000, 10,
          [](std::size_t begin, std::size_t) {
            if (begin >= 300) throw std::runtime_error(std::to_string(begin));
          },
          8);
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "300");
  }
}

TEST(ParallelFor, UsesAtLeastOneThreadAndNotVeryMany) {
  EXPECT_GE(WorkThreads(), 1U);
  EXPECT_LE(WorkThreads(), 8U);
}

}  // namespace
}  // namespace manyarms
