#include "kernels/gaussians.h"

#include <bit>
#include <cmath>

#include "kernel_fixture.h"
#include "manyarms/random.h"

namespace manyarms::kernels {
namespace {

using Role = RandomStream::Role;

// The distance of two floats of the same sign in units in the last place.
std::int64_t Ulps(float a, float b) {
  return std::abs(std::int64_t{std::bit_cast<std::int32_t>(a)} -
                  std::bit_cast<std::int32_t>(b));
}

// RandomStream's doubles come from the standard library's functions. An error
// of e units in the last place of a double changes the rounding to float with
// probability e / 2^28 or so: a difference is expected in some 10^8 values, ten
// are allowed in 10^7. Cosines near 0 are where it is lost if digits are.
TEST_P(Kernels, GaussiansAreThoseOfTheStandardLibraryRounded) {
  constexpr std::size_t kCount = 10'000'000;
  std::vector<float> floats(kCount);
  std::vector<double> doubles(kCount);
  RandomStream(3, Role::kArm, 4).Gaussians(floats);
  RandomStream(3, Role::kArm, 4).Gaussians(doubles);
  int different = 0;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::int64_t ulps = Ulps(floats[i], static_cast<float>(doubles[i]));
    different += ulps != 0;
    largest = std::max(largest, ulps);
  }
  RecordProperty("values", static_cast<int>(kCount));
  RecordProperty("different", different);
  RecordProperty("largest_difference_ulps", static_cast<int>(largest));
  EXPECT_LE(different, 10);
  EXPECT_LE(largest, 1);
}

TEST_P(Kernels, GaussiansDoNotDependOnHowManyAreAskedFor) {
  std::vector<float> all(100);
  RandomStream(1, Role::kArm, 2).Gaussians(all);
  for (std::size_t count = 0; count < 50; ++count) {
    std::vector<float> some(count + 1, -7.0F);
    RandomStream random(1, Role::kArm, 2);
    random.Gaussians(std::span(some).first(count));
    EXPECT_EQ(some.back(), -7.0F);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(some[i], all[i]);
    if (count % 2 != 0) continue;  // a pair is never divided
    random.Gaussians(some);
    for (std::size_t i = 0; i <= count; ++i) EXPECT_EQ(some[i], all[count + i]);
  }
}

}  // namespace
}  // namespace manyarms::kernels
