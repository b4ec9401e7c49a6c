#include "log/id_intervals.h"

#include <limits>
#include <set>

#include "testing.h"

namespace manyarms {
namespace {

TEST(IdIntervals, AgreeWithASet) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, RandomStream::Role::kArm, 0);
    IdIntervals intervals;
    std::set<std::uint64_t> set;
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t id = random.Below(200);
      EXPECT_EQ(intervals.Insert(id), set.insert(id).second);
      const std::uint64_t asked = random.Below(200);
      EXPECT_EQ(intervals.Contains(asked), set.contains(asked));
    }
    std::size_t runs = 0;
    for (const std::uint64_t id : set) {
      if (id == 0 || !set.contains(id - 1)) ++runs;
    }
    EXPECT_EQ(intervals.intervals(), runs);
  }
}

TEST(IdIntervals, HaveTheLargestNumber) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  IdIntervals intervals;
  EXPECT_TRUE(intervals.Insert(kLargest));
  EXPECT_TRUE(intervals.Insert(0));
  EXPECT_FALSE(intervals.Insert(kLargest));
  EXPECT_TRUE(intervals.Insert(kLargest - 1));
  EXPECT_FALSE(intervals.Contains(1));
  EXPECT_EQ(intervals.intervals(), 2);
}

}  // namespace
}  // namespace manyarms
