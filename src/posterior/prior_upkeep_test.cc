#include "posterior/prior_upkeep.h"

#include <cmath>
#include <vector>

#include "testing.h"

namespace manyarms {
namespace {

// What is left of each column of the prior is between kLeastPart and 1 after
// every update, and exactly 1 when it has just been put back.
TEST(PriorUpkeep, KeepsEveryColumnUp) {
  for (const double forgetting : {0.01, 0.5, 0.87, 0.9, 0.99, 0.999, 0.99999}) {
    for (const std::size_t columns : {1U, 2U, 17U, 65U}) {
      const PriorUpkeep upkeep(forgetting, columns);
      std::vector<double> left(columns, 1.0);
      for (std::uint64_t update = 0; update < 40'000; ++update) {
        for (double& part : left) part *= forgetting;
        const PriorUpkeep::Due due = upkeep.After(update);
        ASSERT_LE(due.first, due.last);
        ASSERT_LE(due.last, columns);
        for (std::size_t j = due.first; j < due.last; ++j) {
          left[j] += due.part;
          ASSERT_NEAR(left[j], 1, 1e-9) << forgetting << " " << update;
        }
        if (update % 97 == 0) {
          for (std::size_t j = 0; j < columns; ++j) {
            ASSERT_NEAR(upkeep.Left(update + 1, j), left[j], 1e-9)
                << forgetting << " " << update << " " << j;
          }
        }
        for (const double part : left) {
          ASSERT_GE(part, PriorUpkeep::kLeastPart * (1 - 1e-9))
              << forgetting << " " << columns << " " << update;
        }
      }
    }
  }
}

// On average it costs no more than a column for each update, if forgetting is
// as slow as it is with as many rewards as there are columns.
TEST(PriorUpkeep, TakesFewColumnsIfForgettingIsSlow) {
  constexpr std::size_t kColumns = 17;
  const PriorUpkeep upkeep(0.999, kColumns);
  std::size_t put_back = 0;
  for (std::uint64_t update = 0; update < 10'000; ++update) {
    const PriorUpkeep::Due due = upkeep.After(update);
    EXPECT_LE(due.last - due.first, 1U);
    put_back += due.last - due.first;
  }
  EXPECT_LT(put_back, 1'500U);
}

}  // namespace
}  // namespace manyarms
