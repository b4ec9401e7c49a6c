#include "service/store/read_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace manyarms::service {
namespace {

// Pages of three numbers from 0 on, `pages` of them.
struct Pages {
  std::vector<int> operator()() {
    std::vector<int> page;
    if (read == pages) return page;
    for (int i = 0; i < 3; ++i) page.push_back(3 * read + i);
    ++read;
    return page;
  }

  int pages = 0;
  int read = 0;
};

TEST(ReadAhead, UsesAllRowsInTheirOrder) {
  for (const int pages : {0, 1, 2, 50}) {
    std::vector<int> used;
    ReadAhead(Pages{.pages = pages}, [&](int row) { used.push_back(row); });
    std::vector<int> expected(static_cast<std::size_t>(3 * pages));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(used, expected);
  }
}

TEST(ReadAhead, ThrowsWhatTheReadingThreadThrowsAfterThePagesBefore) {
  std::vector<int> used;
  Pages pages{.pages = 9};
  const auto read = [&] {
    if (pages.read == 2) throw std::runtime_error("damaged");
    return pages();
  };
  EXPECT_THROW(ReadAhead(read, [&](int row) { used.push_back(row); }),
               std::runtime_error);
  EXPECT_EQ(used, std::vector<int>({0, 1, 2, 3, 4, 5}));
}

TEST(ReadAhead, ReadsNothingAnyMoreAfterUseHasThrown) {
  std::atomic<bool> reading = false;
  int reads = 0;
  Pages pages{.pages = 9};
  const auto read = [&] {
    reading = true;
    ++reads;
    auto page = pages();
    reading = false;
    return page;
  };
  EXPECT_THROW(
      ReadAhead(read, [&](int) { throw std::runtime_error("no memory"); }),
      std::runtime_error);
  EXPECT_FALSE(reading);
  EXPECT_EQ(reads, 2);
}

}  // namespace
}  // namespace manyarms::service
