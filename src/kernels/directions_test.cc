#include "kernels/directions.h"

#include <cmath>
#include <limits>

#include "kernel_fixture.h"

namespace manyarms::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Thresholds are integers too, so that many inner products are equal to one.
// Beyond the last direction lie numbers that reach a threshold and must not be
// counted.
TEST_P(Kernels, DirectionsReachedAgreesWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, kDirectionGroup / kLanes, dim);
    const auto vector = Direction(dim);
    for (std::size_t count = 1; count <= kDirectionGroup; ++count) {
      for (const float threshold : {-3.0F, 0.0F, 2.0F, -kInfinity}) {
        std::uint64_t expected = 0;
        for (Slot slot = 0; slot < count; ++slot) {
          if (Linear(arms, slot, vector) >= threshold) {
            expected |= std::uint64_t{1} << slot;
          }
        }
        ASSERT_EQ(DirectionsReached(arms.table().Features(0), count, vector,
                                    threshold),
                  expected)
            << dim << " features, " << count << " directions, " << threshold;
      }
    }
  }
}

// The vector is each direction in turn: it reaches its own square, and does not
// reach the next number above.
TEST_P(Kernels, DirectionsReachedTakesEqualityForReaching) {
  constexpr std::size_t kDim = 5;
  const IntegerArms arms(kDim, kDirectionGroup / kLanes, 3);
  for (Slot slot = 0; slot < kDirectionGroup; ++slot) {
    std::vector<float> vector(kDim);
    for (std::size_t j = 0; j < kDim; ++j) vector[j] = arms.Feature(slot, j);
    const float square = Linear(arms, slot, vector);
    const auto reached = [&](float threshold) {
      return DirectionsReached(arms.table().Features(0), kDirectionGroup,
                               vector, threshold) >>
                 slot &
             1U;
    };
    EXPECT_EQ(reached(square), 1U);
    EXPECT_EQ(reached(std::nextafter(square, 1e9F)), 0U);
  }
}

}  // namespace
}  // namespace manyarms::kernels
