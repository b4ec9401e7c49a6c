#include "policy/exploration.h"

#include <cmath>

#include "policy/kinds.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

void CheckExploration(const Exploration& exploration) {
  CheckPolicy(ThompsonOptions{exploration}, 1);
}

// The paper's beta for its own experiments: about 13.
TEST(TheoryRadius, IsThePapersFormulaForUnitRegularisation) {
  const double beta = 1 + std::sqrt(2 * std::log(4 * 20000 / 0.05) +
                                    16 * std::log(1 + 20000 / 16.0));
  EXPECT_NEAR(TheoryRadiusValue(16, 1.0, 20000, 0.05 / (4 * 20000)), beta,
              1e-12);
  EXPECT_NEAR(beta, 13, 0.5);
}

TEST(TheoryRadius, IsFiniteAtTheBounds) {
  const TheoryRadius extreme{.horizon = kMaxSteps, .delta = 1e-100};
  CheckExploration(extreme);
  const double failure = extreme.delta / (4.0 * kMaxSteps);
  EXPECT_TRUE(std::isfinite(
      TheoryRadiusValue(kMaxDim, kMinRegularisation, kMaxSteps, failure)));
}

TEST(Exploration, AcceptsConstantsAndTheory) {
  CheckExploration(0.0);
  CheckExploration(2.0);
  CheckExploration(TheoryRadius{.horizon = 10});
}

TEST(Exploration, RefusesWhatHasNoMeaning) {
  ExpectError(ErrorCode::kInvalidArgument, {"exploration is -1"},
              [] { CheckExploration(-1.0); });
  ExpectError(ErrorCode::kInvalidArgument, {"exploration is nan"},
              [] { CheckExploration(std::nan("")); });
  ExpectError(ErrorCode::kInvalidArgument, {"exploration", "1e+06"},
              [] { CheckExploration(1e7); });
  ExpectError(ErrorCode::kInvalidArgument, {"horizon is 0"},
              [] { CheckExploration(TheoryRadius{}); });
  ExpectError(ErrorCode::kInvalidArgument, {"delta is 0"},
              [] { CheckExploration(TheoryRadius{.horizon = 1, .delta = 0}); });
}

}  // namespace
}  // namespace manyarms
