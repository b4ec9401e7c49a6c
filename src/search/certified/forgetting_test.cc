// Certified search asked with a belief that forgets: its widths grow again, and
// bounds from an earlier version hold only if that is taken into account.

#include <Eigen/Cholesky>
#include <cmath>
#include <utility>
#include <vector>

#include "manyarms/random.h"
#include "search/scan/scan.h"
#include "search/searcher.h"
#include "testing.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

constexpr std::size_t kDim = 6;
constexpr std::size_t kArms = 3000;
constexpr double kExploration = 1;

// Ridge regression that can be told to forget a part of what it has learned.
class ForgettingBelief final : public Belief {
 public:
  explicit ForgettingBelief(bool admits_growth)
      : admits_growth_(admits_growth) {}

  void Learn(std::span<const float> features, double reward) {
    const Eigen::VectorXd x =
        Eigen::Map<const Eigen::VectorXf>(features.data(), kDim).cast<double>();
    v_ += x * x.transpose();
    b_ += reward * x;
    ++version_;
  }

  void Forget(double kept) {
    v_ *= kept;
    b_ *= kept;
    growths_.emplace_back(++version_, 1 / std::sqrt(kept));
    widest_ /= std::sqrt(kept);
  }

  Eigen::VectorXd Mean() const override { return v_.ldlt().solve(b_); }
  RowMatrix InverseFactor() const override {
    const Eigen::MatrixXd lower = v_.llt().matrixL();
    return lower.triangularView<Eigen::Lower>().solve(
        Eigen::MatrixXd::Identity(kDim, kDim));
  }
  std::uint64_t version() const override { return version_; }
  double WidthGrowthSince(std::uint64_t version) const override {
    double growth = 1;
    for (const auto& [at, by] : growths_) {
      if (admits_growth_ && at > version) growth *= by;
    }
    return growth;
  }
  double WidestWidth() const override { return widest_; }

 private:
  bool admits_growth_;
  Eigen::MatrixXd v_ = Eigen::MatrixXd::Identity(kDim, kDim);
  Eigen::VectorXd b_ = Eigen::VectorXd::Zero(kDim);
  std::uint64_t version_ = 0;
  double widest_ = 1;
  std::vector<std::pair<std::uint64_t, double>> growths_;
};

struct Outcome {
  int differences = 0;  // from a scan's answers
  SearchStats stats;
};

// Chooses by the mean plus uncertainty, or by uncertainty alone, learns, and
// forgets half of everything now and then.
Outcome ChooseLearnAndForget(Objective objective, bool admits_growth) {
  ArmStore store(kDim);
  const std::vector<Slot> slots = store.Add(
      testing::FirstIds(kArms), testing::GaussianRows(kArms, kDim, 1));
  Searcher certified(CertifiedOptions{.background = false}, objective, store,
                     1);
  Searcher scan(ScanOptions{}, objective, store, 1);
  certified.Add(slots);
  scan.Add(slots);
  ForgettingBelief belief(admits_growth);
  Outcome outcome;
  std::vector<float> row(kDim);
  for (std::uint64_t step = 0; step < 2000; ++step) {
    const Eigen::VectorXd mean = belief.Mean();
    const RowMatrix factor = belief.InverseFactor();
    const Query query{.belief = &belief,
                      .direction = &mean,
                      .factor = &factor,
                      .exploration = kExploration};
    const std::optional<Hit> expected = scan.Best(query);
    if (certified.Best(query)->slot != expected->slot) ++outcome.differences;
    store.CopyFeatures(expected->slot, row);
    belief.Learn(row, row[0] + RandomStream(2, Role::kNoise, step).Gaussian());
    if (step % 100 == 99) belief.Forget(0.5);
  }
  outcome.stats = certified.stats();
  return outcome;
}

class Forgetting : public ::testing::TestWithParam<Objective> {};

TEST_P(Forgetting, LeavesAnswersExact) {
  const Outcome outcome = ChooseLearnAndForget(GetParam(), true);
  EXPECT_EQ(outcome.differences, 0);
  EXPECT_GT(outcome.stats.snapshots, 0U);
  EXPECT_LT(outcome.stats.arms_scored, 2000 * kArms);  // orders were in use
}

// Otherwise the test above would show nothing.
TEST_P(Forgetting, WouldSpoilAnswersIfItWereHidden) {
  EXPECT_GT(ChooseLearnAndForget(GetParam(), false).differences, 0);
}

INSTANTIATE_TEST_SUITE_P(Objectives, Forgetting,
                         ::testing::Values(Objective::kOptimism,
                                           Objective::kQuadraticForm));

}  // namespace
}  // namespace manyarms
