#include "base/frequency_sketch.h"

#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

std::uint64_t HashOf(std::uint64_t key) {
  return RandomStream(1, RandomStream::Role::kArm, key).Bits();
}

TEST(FrequencySketch, CountsFewKeysExactly) {
  FrequencySketch sketch(1 << 12);
  for (std::uint64_t times = 1; times <= 10; ++times) {
    for (std::uint64_t key = 0; key < 20; ++key) {
      EXPECT_EQ(sketch.Count(HashOf(key)), times);
    }
  }
  EXPECT_EQ(sketch.Of(HashOf(3)), 10);
  EXPECT_EQ(sketch.Of(HashOf(99)), 0);
}

TEST(FrequencySketch, StopsAt255) {
  FrequencySketch sketch(1 << 12);
  for (int i = 0; i < 1000; ++i) sketch.Count(7);
  EXPECT_EQ(sketch.Of(7), 255);
}

// One key occurs at every tenth count, all others once.
TEST(FrequencySketch, FindsTheKeyThatOccursOften) {
  FrequencySketch sketch(1 << 12);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    sketch.Count(i % 10 == 0 ? HashOf(0) : HashOf(i));
  }
  EXPECT_GT(sketch.Of(HashOf(0)), 40);
  int rare_that_seem_often = 0;
  for (std::uint64_t key = 200'000; key < 201'000; ++key) {
    if (sketch.Of(HashOf(key)) >= 4) ++rare_that_seem_often;
  }
  EXPECT_LE(rare_that_seem_often, 10);
}

TEST(FrequencySketch, ForgetsWhatWasLongAgo) {
  FrequencySketch sketch(1 << 12);
  for (int i = 0; i < 100; ++i) sketch.Count(HashOf(0));
  for (std::uint64_t i = 1; i < 20'000; ++i) sketch.Count(HashOf(i));
  EXPECT_LE(sketch.Of(HashOf(0)), 3);
}

}  // namespace
}  // namespace manyarms
