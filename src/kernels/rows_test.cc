#include "kernels/rows.h"

#include "kernel_fixture.h"
#include "manyarms/random.h"

namespace manyarms::kernels {
namespace {

TEST_P(Kernels, RowKernelsAgreeWithTheObviousAtAnyLengthAndAlignment) {
  std::vector<float> a(300);
  std::vector<float> b(300);
  RandomStream random(4, RandomStream::Role::kArm, 0);
  for (float& v : a) v = static_cast<float>(random.Below(9)) - 4;
  for (float& v : b) v = static_cast<float>(random.Below(9)) - 4;
  for (const std::size_t n : {4U, 8U, 12U, 16U, 20U, 28U, 32U, 36U, 140U}) {
    for (std::size_t shift = 0; shift < 9; ++shift) {
      float distance = 0;
      float product = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const float difference = a[shift + i] - b[2 * shift + i];
        distance += difference * difference;
        product += a[shift + i] * b[2 * shift + i];
      }
      EXPECT_EQ(SquaredDistance(&a[shift], &b[2 * shift], n), distance);
      EXPECT_EQ(InnerProduct(&a[shift], &b[2 * shift], n), product);
    }
  }
}

TEST_P(Kernels, PlainReadSumsEverything) {
  for (std::size_t blocks = 1; blocks < 20; ++blocks) {
    const std::vector<float> ones(kLanes * blocks, 1.0F);
    EXPECT_EQ(PlainRead(ones.data(), ones.size()),
              static_cast<float>(ones.size()));
  }
}

}  // namespace
}  // namespace manyarms::kernels
