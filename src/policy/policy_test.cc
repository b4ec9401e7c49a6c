#include "policy/policy.h"

#include <cmath>

#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

constexpr std::size_t kDim = 5;
constexpr std::size_t kArms = 200;

// Arms, a posterior that has seen some of them, and their features in double.
class PolicyFixture : public ::testing::Test {
 protected:
  PolicyFixture() : store_(kDim), posterior_(kDim, 1.0) {
    rows_ = testing::GaussianRows(kArms, kDim, 1);
    slots_ = store_.Add(testing::FirstIds(kArms), rows_);
  }

  Eigen::VectorXd Arm(std::size_t i) const {
    return Eigen::Map<const Eigen::VectorXf>(&rows_[i * kDim], kDim)
        .cast<double>();
  }
  void Learn(std::size_t i, double reward) {
    posterior_.Update(std::span(rows_).subspan(i * kDim, kDim), reward);
  }

  std::unique_ptr<Policy> Make(const PolicyOptions& policy,
                               std::uint64_t seed) {
    index_ = MakeSharedIndex(policy, ScanOptions{}, store_, seed);
    return MakePolicy(policy, ScanOptions{},
                      {.store = store_,
                       .posterior = posterior_,
                       .index = index_.get(),
                       .model = ContextModel({.arm_dim = kDim})},
                      seed);
  }

  ArmStore store_;
  Posterior posterior_;
  std::vector<float> rows_;
  std::vector<Slot> slots_;
  std::unique_ptr<Index> index_;
};

TEST_F(PolicyFixture, ThompsonPlaysTheBestArmOfItsSample) {
  constexpr std::uint64_t kSeed = 11;
  const auto policy = Make(ThompsonOptions{.exploration = 1.5}, kSeed);
  for (std::uint64_t t = 0; t < 100; ++t) {
    std::vector<double> xi(kDim);
    RandomStream(kSeed, RandomStream::Role::kSample, t).Gaussians(xi);
    const Eigen::VectorXd theta = posterior_.Sample(1.5, xi);
    const Hit hit = policy->Choose({});
    double best = -1e300;
    for (std::size_t i = 0; i < kArms; ++i) {
      best = std::max(best, theta.dot(Arm(i)));
    }
    ASSERT_NEAR(theta.dot(Arm(hit.slot)), best, 1e-4);
    ASSERT_NEAR(hit.score, best, 1e-4);
    Learn(hit.slot, Arm(hit.slot).sum());
  }
}

TEST_F(PolicyFixture, UcbPlaysTheLargestUpperBound) {
  constexpr double kRadius = 0.7;
  const auto policy = Make(UcbOptions{.exploration = kRadius}, 1);
  for (int t = 0; t < 100; ++t) {
    const Eigen::VectorXd mean = posterior_.Mean();
    const auto bound = [&](std::size_t i) {
      return mean.dot(Arm(i)) +
             kRadius *
                 posterior_.Width(std::span(rows_).subspan(i * kDim, kDim));
    };
    const Hit hit = policy->Choose({});
    double best = -1e300;
    for (std::size_t i = 0; i < kArms; ++i) best = std::max(best, bound(i));
    ASSERT_NEAR(bound(hit.slot), best, 1e-4);
    ASSERT_NEAR(hit.score, best, 1e-4);
    Learn(hit.slot, Arm(hit.slot).sum());
  }
}

TEST_F(PolicyFixture, TheoryMakesThompsonExploreMore) {
  const auto spread = [&](Exploration exploration) {
    const auto policy = Make(ThompsonOptions{exploration}, 1);
    double sum = 0;
    for (int t = 0; t < 50; ++t) sum += policy->Choose({}).score;
    return sum / 50;
  };
  // Without data the mean is 0 and scores are proportional to the radius.
  const double constant = spread(1.0);
  const double theory = spread(TheoryRadius{.horizon = 1000, .delta = 0.1});
  EXPECT_NEAR(theory / constant, TheoryRadiusValue(kDim, 1.0, 1000, 0.1 / 4000),
              1e-3);
}

TEST_F(PolicyFixture, RefusesOptionsOutOfBounds) {
  const auto make = [&](PolicyOptions policy, SearchOptions search) {
    return [=, this] {
      const auto index = MakeSharedIndex(policy, search, store_, 1);
      MakePolicy(policy, search,
                 {.store = store_,
                  .posterior = posterior_,
                  .index = index.get(),
                  .model = ContextModel({.arm_dim = kDim})},
                 1);
    };
  };
  ExpectError(ErrorCode::kInvalidArgument, {"exploration is -2"},
              make(ThompsonOptions{-2.0}, ScanOptions{}));
  ExpectError(ErrorCode::kInvalidArgument, {"accuracy is 0,", "0.125"},
              make(EliminationOptions{.accuracy = 0}, ScanOptions{}));
  ExpectError(ErrorCode::kInvalidArgument, {"accuracy is 0.5"},
              make(EliminationOptions{.accuracy = 0.5}, ScanOptions{}));
  ExpectError(ErrorCode::kUnsupported, {"ucb"},
              make(UcbOptions{}, HnswOptions{}));
}

TEST(PolicyName, IsWhatTheCommandLineSays) {
  EXPECT_EQ(PolicyName(ThompsonOptions{}), "ts");
  EXPECT_EQ(PolicyName(EliminationOptions{}), "elim");
  EXPECT_EQ(PolicyName(UcbOptions{}), "ucb");
  EXPECT_EQ(SearchName(ScanOptions{}), "scan");
  EXPECT_EQ(SearchName(HnswOptions{}), "hnsw");
}

}  // namespace
}  // namespace manyarms
