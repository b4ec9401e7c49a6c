#include "kernels/block_rows.h"

#include <cmath>
#include <limits>

#include "kernel_fixture.h"
#include "manyarms/types.h"

namespace manyarms::kernels {
namespace {

struct alignas(64) Line {
  float values[kLanes];
};

TEST_P(Kernels, WriteBlockTransposesRowsAtAnyDistanceAndAlignment) {
  for (const std::size_t dim : kDims) {
    for (const std::size_t shift : {0U, 1U, 3U}) {
      const std::size_t stride = dim + shift;
      std::vector<float> rows(shift + kLanes * stride);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = static_cast<float>(i) - 100;
      }
      std::vector<Line> block(dim + 1, Line{{-1}});
      EXPECT_TRUE(WriteBlock(&rows[shift], static_cast<std::ptrdiff_t>(stride),
                             dim, block[0].values));
      for (std::size_t j = 0; j < dim; ++j) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          EXPECT_EQ(block[j].values[lane], rows[shift + lane * stride + j]);
        }
      }
      EXPECT_EQ(block[dim].values[0], -1);  // nothing beyond
    }
  }
}

TEST_P(Kernels, WriteBlockNoticesEveryValueThatIsNoFeature) {
  const auto limit = static_cast<float>(kMaxFeature);
  for (const std::size_t dim : {3U, 8U}) {
    std::vector<float> rows(kLanes * dim, limit);
    std::vector<Line> block(dim);
    const auto write = [&] {
      return WriteBlock(rows.data(), static_cast<std::ptrdiff_t>(dim), dim,
                        block[0].values);
    };
    for (float& value : rows) {
      for (const float bad :
           {std::nanf(""), -std::numeric_limits<float>::infinity(),
            std::nextafter(limit, 2 * limit)}) {
        value = bad;
        EXPECT_FALSE(write());
      }
      value = -limit;
      EXPECT_TRUE(write());
    }
  }
}

}  // namespace
}  // namespace manyarms::kernels
