#include "search/finder_cache.h"

#include <algorithm>
#include <vector>

#include "catalogue/arm_store.h"
#include "search/certified/certified_index.h"
#include "testing.h"

namespace manyarms {
namespace {

// Finders without orders take about as much as each other.
class FinderCacheTest : public ::testing::Test {
 protected:
  FinderCacheTest()
      : store_(2),
        index_({}, Objective::kInnerProduct, store_, Scope::kAllArms),
        one_(BytesOfOne()) {}

  // Whether the asker has a finder after asking this many times.
  static bool Asks(FinderCache& cache, std::uint64_t asker, int times = 1) {
    bool has = false;
    for (int i = 0; i < times; ++i) has = cache.Borrow(asker).get() != nullptr;
    return has;
  }

  std::size_t BytesOfOne() {
    FinderCache cache(index_, std::size_t{1} << 30);
    const std::size_t empty = cache.memory_bytes();
    EXPECT_TRUE(Asks(cache, 1, 10));
    return cache.memory_bytes() - empty;
  }

  ArmStore store_;
  CertifiedIndex index_;
  const std::size_t one_;
};

TEST_F(FinderCacheTest, GivesAFinderToWhoeverAsksAFewTimes) {
  FinderCache cache(index_, 100 * one_);
  EXPECT_FALSE(Asks(cache, 1));
  EXPECT_FALSE(Asks(cache, 1));
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_TRUE(Asks(cache, 1, 10));
  EXPECT_EQ(cache.size(), 1U);
  const FinderCache::Loan first = cache.Borrow(1);
  EXPECT_FALSE(Asks(cache, 2));
}

TEST_F(FinderCacheTest, LendsEachAskerItsOwn) {
  FinderCache cache(index_, 100 * one_);
  Asks(cache, 1, 10);
  Asks(cache, 2, 10);
  Finder* const of_one = cache.Borrow(1).get();
  Finder* const of_two = cache.Borrow(2).get();
  EXPECT_NE(of_one, of_two);
  EXPECT_EQ(cache.Borrow(1).get(), of_one);
}

TEST_F(FinderCacheTest, TakesFindersBackFromThoseThatAskLess) {
  FinderCache cache(index_, 3 * one_);
  for (const std::uint64_t asker : {1U, 2U, 3U})
    EXPECT_TRUE(Asks(cache, asker, 20));
  EXPECT_FALSE(Asks(cache, 4, 19));  // no more often than the others
  EXPECT_TRUE(Asks(cache, 4, 10));
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_FALSE(Asks(cache, 1));  // it had not asked for longest
  EXPECT_TRUE(Asks(cache, 2));
}

TEST_F(FinderCacheTest, AskersThatTakeTurnsDoNotTakeEachOthersFinders) {
  FinderCache cache(index_, 2 * one_);
  std::vector<int> kept(3);
  for (int round = 0; round < 100; ++round) {
    for (const std::uint64_t asker : {0U, 1U, 2U}) {
      if (Asks(cache, asker)) ++kept[asker];
    }
  }
  std::ranges::sort(kept);
  EXPECT_EQ(kept[0], 0);
  EXPECT_GT(kept[1], 90);
}

TEST_F(FinderCacheTest, DoesNotTakeAwayWhatIsLent) {
  FinderCache cache(index_, one_);
  EXPECT_TRUE(Asks(cache, 1, 10));
  {
    const FinderCache::Loan lent = cache.Borrow(1);
    EXPECT_FALSE(Asks(cache, 2, 100));
    EXPECT_EQ(cache.size(), 1U);
  }
  EXPECT_TRUE(Asks(cache, 2));
}

TEST_F(FinderCacheTest, ForgetsAnAsker) {
  FinderCache cache(index_, 100 * one_);
  Asks(cache, 1, 10);
  cache.Forget(1);
  cache.Forget(2);
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(FinderCacheTest, WithTooLittleMemoryNobodyHasAFinder) {
  FinderCache cache(index_, 1);
  Asks(cache, 1, 100);
  EXPECT_EQ(cache.size(), 0U);
}

}  // namespace
}  // namespace manyarms
