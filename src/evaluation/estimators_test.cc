#include "manyarms/estimators.h"

#include <cmath>
#include <limits>
#include <vector>

#include "evaluation/student.h"
#include "simulated_log.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::CoverageOf;
using testing::Covered;
using testing::ExpectError;
using testing::SimulatedLogs;
using Wide = long double;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Straight from the definitions.
struct Slow {
  Slow(const SimulatedLogs::Log& log, double clip) {
    const auto n = static_cast<Wide>(log.rewards.size());
    std::vector<Wide> weights;
    Wide squares = 0;
    for (std::size_t i = 0; i < log.rewards.size(); ++i) {
      const double weight = log.target[i] / log.logged[i];
      weights.push_back(weight > clip ? clip : weight);
      sum += weights[i];
      squares += weights[i] * weights[i];
      ips += weights[i] * log.rewards[i] / n;
      dr += (log.target_predictions[i] +
             weights[i] * (log.rewards[i] - log.logged_predictions[i])) /
            n;
    }
    snips = ips / (sum / n);
    size = sum * sum / squares;
    Wide ips_squares = 0;
    Wide snips_squares = 0;
    Wide dr_squares = 0;
    for (std::size_t i = 0; i < log.rewards.size(); ++i) {
      const Wide r = log.rewards[i];
      const Wide w = weights[i];
      ips_squares += (w * r - ips) * (w * r - ips);
      snips_squares += w * w * (r - snips) * (r - snips);
      const Wide term =
          log.target_predictions[i] + w * (r - log.logged_predictions[i]);
      dr_squares += (term - dr) * (term - dr);
    }
    ips_error = std::sqrt(ips_squares / (n * (n - 1)));
    snips_error = std::sqrt(snips_squares * n / (n - 1)) / sum;
    dr_error = std::sqrt(dr_squares / (n * (n - 1)));
  }

  Wide sum = 0, size = 0;
  Wide ips = 0, snips = 0, dr = 0;
  Wide ips_error = 0, snips_error = 0, dr_error = 0;
};

void ExpectEstimate(const Estimate& estimate, Wide value, Wide error,
                    Wide freedom) {
  const auto v = static_cast<double>(value);
  const auto e = static_cast<double>(error);
  const double reach = StudentQuantile(0.95, static_cast<double>(freedom)) * e;
  EXPECT_NEAR(estimate.value, v, 1e-12);
  EXPECT_NEAR(estimate.standard_error, e, 1e-12);
  EXPECT_NEAR(estimate.low, v - reach, 1e-10);
  EXPECT_NEAR(estimate.high, v + reach, 1e-10);
}

TEST(Estimators, AreTheirDefinitions) {
  const SimulatedLogs world({.choices = 500});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SimulatedLogs::Log log = world.Make(seed);
    for (const double clip : {1.5, std::numeric_limits<double>::infinity()}) {
      const EstimatorOptions options{.clip = clip};
      const Slow slow(log, clip);
      const Wide freedom = slow.size - 1;
      ExpectEstimate(InversePropensity(log.choices(), options), slow.ips,
                     slow.ips_error, freedom);
      ExpectEstimate(SelfNormalised(log.choices(), options), slow.snips,
                     slow.snips_error, freedom);
      ExpectEstimate(DoublyRobust(log.choices(), log.predictions(), options),
                     slow.dr, slow.dr_error, freedom);
      const WeightSummary weights = SummariseWeights(log.choices(), options);
      EXPECT_NEAR(weights.effective_sample_size, static_cast<double>(slow.size),
                  1e-9);
      EXPECT_NEAR(weights.mean, static_cast<double>(slow.sum) / 500, 1e-12);
      EXPECT_EQ(weights.clipped > 0, clip == 1.5);
      EXPECT_GT(weights.largest, 1.5);  // that before clipping
    }
  }
}

// Two arms, each logged with probability 1/2; the target always takes the one
// whose rewards were 3 and 5.
TEST(Estimators, AreWhatPaperAndPencilGive) {
  const std::vector<double> rewards{3, 7, 5, 1};
  const std::vector<double> logged{0.5, 0.5, 0.5, 0.5};
  const std::vector<double> target{1, 0, 1, 0};
  const WeightedChoices choices{
      .rewards = rewards, .logged = logged, .target = target};
  EXPECT_DOUBLE_EQ(InversePropensity(choices).value, 4);  // (6 + 10) / 4
  EXPECT_DOUBLE_EQ(SelfNormalised(choices).value, 4);
  EXPECT_DOUBLE_EQ(MeanReward(rewards).value, 4);
  // A model that is right: nothing is left to correct.
  const std::vector<double> of_logged{3, 7, 5, 1};
  const std::vector<double> of_target{4, 4, 4, 4};
  const Estimate robust =
      DoublyRobust(choices, {.logged_arm = of_logged, .target = of_target});
  EXPECT_EQ(robust.value, 4);
  EXPECT_EQ(robust.standard_error, 0);
  const Estimate direct = DirectMethod(of_target);
  EXPECT_EQ(direct.low, 4);
  EXPECT_EQ(direct.high, 4);
  const WeightSummary weights = SummariseWeights(choices);
  EXPECT_EQ(weights.effective_sample_size, 2);
  EXPECT_EQ(weights.largest, 2);
  EXPECT_EQ(weights.mean, 1);
}

TEST(Estimators, OfThePolicyThatMadeTheLogAreTheMeanReward) {
  SimulatedLogs::Log log = SimulatedLogs({}).Make(1);
  log.target = log.logged;
  const Estimate mean = MeanReward(log.rewards);
  EXPECT_EQ(InversePropensity(log.choices()), mean);
  EXPECT_NEAR(SelfNormalised(log.choices()).standard_error, mean.standard_error,
              1e-15);
  EXPECT_EQ(SelfNormalised(log.choices()).value, mean.value);
}

// IPS does not have this property, which is why SNIPS exists.
TEST(Estimators, SelfNormalisedMovesWithTheRewards) {
  SimulatedLogs::Log log = SimulatedLogs({}).Make(1);
  const Estimate before = SelfNormalised(log.choices());
  const Estimate without = InversePropensity(log.choices());
  for (double& reward : log.rewards) reward += 100;
  const Estimate after = SelfNormalised(log.choices());
  EXPECT_NEAR(after.value, before.value + 100, 1e-11);
  EXPECT_NEAR(after.standard_error, before.standard_error, 1e-11);
  EXPECT_GT(InversePropensity(log.choices()).standard_error,
            10 * without.standard_error);
}

TEST(Estimators, DoublyRobustWithoutAModelIsInversePropensity) {
  SimulatedLogs::Log log = SimulatedLogs({}).Make(1);
  log.logged_predictions.assign(log.rewards.size(), 0);
  log.target_predictions.assign(log.rewards.size(), 0);
  EXPECT_EQ(DoublyRobust(log.choices(), log.predictions()),
            InversePropensity(log.choices()));
}

// Sums in double alone would lose the small differences among large rewards.
TEST(Estimators, AreExactForRewardsThatCancel) {
  constexpr std::size_t kChoices = 1'000'000;
  std::vector<double> rewards(kChoices);
  for (std::size_t i = 0; i < kChoices; ++i) {
    rewards[i] = (i % 2 == 0 ? 5e8 : -5e8) + (i % 4 < 2 ? 0.25 : 0);
  }
  EXPECT_DOUBLE_EQ(MeanReward(rewards).value, 0.125);
}

// Intervals of 1,000 logs each. The standard error of a coverage of 95 % is
// 0.7 %, so 93 to 97 % is 2.9 of them on either side: with intervals that are
// exact, one of the nine shares would be outside for one seed in 30. The logged
// choices are worth 300 of the target's own at least. docs/evaluation.md has
// shorter logs and larger weights, where coverage falls.
TEST(Estimators, CoverTheTruthAsOftenAsTheySay) {
  for (const SimulatedLogs::Options& options :
       {SimulatedLogs::Options{.choices = 3000,
       .logged_preference = 0.5,
       .target_preference = 0.5},
        SimulatedLogs::Options{.choices = 10000},
        SimulatedLogs::Options{
            .choices = 3000, .logged_preference = 0, .target_is_best = true}}) {
    const Covered covered = CoverageOf(options, 1000);
    EXPECT_GE(covered.effective_sample_size, 298);
    for (const double share :
         {covered.inverse_propensity, covered.self_normalised,
          covered.doubly_robust}) {
      EXPECT_GE(share, 0.93);
      EXPECT_LE(share, 0.97);
    }
  }
}

// The same at another level, with a deterministic target and a uniform log.
// The standard error of a coverage of 80 % is 1.3 %.
TEST(Estimators, CoverTheBestPolicyOnAUniformLog) {
  const SimulatedLogs world(
      {.choices = 3000, .logged_preference = 0, .target_is_best = true});
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const SimulatedLogs::Log log = world.Make(seed);
    const Estimate estimate = SelfNormalised(log.choices(), {.level = 0.8});
    covered += estimate.low <= world.truth() && world.truth() <= estimate.high;
  }
  EXPECT_NEAR(covered, 800, 39);
}

// The mean over 1,000 logs is within 4 of its standard errors of the truth;
// one seed in 16,000 would fail for an estimator without bias.
TEST(Estimators, HaveNoBias) {
  const SimulatedLogs world({.choices = 200});
  constexpr int kLogs = 1000;
  std::vector<double> ips;
  std::vector<double> robust;
  for (std::uint64_t seed = 0; seed < kLogs; ++seed) {
    const SimulatedLogs::Log log = world.Make(seed);
    ips.push_back(InversePropensity(log.choices()).value);
    robust.push_back(DoublyRobust(log.choices(), log.predictions()).value);
  }
  for (const std::vector<double>& values : {ips, robust}) {
    const Estimate mean = MeanReward(values);
    EXPECT_NEAR(mean.value, world.truth(), 4 * mean.standard_error);
  }
}

class RefusedEstimates : public ::testing::Test {
 protected:
  void Refuse(const std::vector<std::string>& parts) const {
    for (const int which : {0, 1, 2, 3}) {
      ExpectError(ErrorCode::kInvalidArgument, parts, [&] {
        switch (which) {
          case 0:
            InversePropensity(log_.choices(), options_);
            return;
          case 1:
            SelfNormalised(log_.choices(), options_);
            return;
          case 2:
            DoublyRobust(log_.choices(), log_.predictions(), options_);
            return;
          default:
            SummariseWeights(log_.choices(), options_);
        }
      });
    }
  }

  SimulatedLogs::Log log_ = SimulatedLogs({.choices = 20}).Make(0);
  EstimatorOptions options_;
};

TEST_F(RefusedEstimates, NameImpossibleProbabilities) {
  for (const double wrong : {0.0, -0.5, 1.5, 1e-101, kNaN}) {
    log_.logged[7] = wrong;
    Refuse({"logged probability 7", "from 1e-100 to 1"});
  }
  log_.logged[7] = 0.5;
  for (const double wrong : {-0.1, 1.1, kNaN}) {
    log_.target[3] = wrong;
    Refuse({"target probability 3", "from 0 to 1"});
  }
}

TEST_F(RefusedEstimates, NameImpossibleRewards) {
  for (const double wrong : {kNaN, 2e9}) {
    log_.rewards[19] = wrong;
    Refuse({"reward 19", "from -1e+09 to 1e+09"});
  }
}

TEST_F(RefusedEstimates, NameLengthsThatDiffer) {
  log_.target.pop_back();
  Refuse({"19 values given as target probability, and 20 rewards"});
}

TEST_F(RefusedEstimates, NeedTwoChoicesThatCount) {
  log_.target.assign(20, 0);
  Refuse({"0 of 20 weights are more than 0"});
  log_.target[4] = 0.5;
  Refuse({"1 of 20 weights is more than 0", "at least 2"});
  log_ = SimulatedLogs({.choices = 1}).Make(0);
  Refuse({"1 logged choice given", "at least 2"});
  log_ = {};
  Refuse({"0 logged choices given"});
}

// Next to one weight of 1e6 the others count for nothing. The reward of that
// choice would be the estimate, with a standard error of about 0.
TEST_F(RefusedEstimates, NeedMoreThanOneWeightThatDominates) {
  log_.logged.assign(20, 0.5);
  log_.target.assign(20, 0.5);
  log_.logged[4] = 1e-6;
  log_.target[4] = 1;
  Refuse({"all 20 choices together are worth 1 of", "at least 2",
          "largest weight is 1e+06"});
  // Clipped to what the others have, it does not dominate any more.
  options_.clip = 1;
  EXPECT_NEAR(SummariseWeights(log_.choices(), options_).effective_sample_size,
              20, 1e-9);
  // Two equal weights are worth two choices, and less equal ones fewer.
  options_ = {};
  log_.logged.assign(20, 0.5);
  log_.target.assign(20, 0);
  log_.target[3] = log_.target[7] = 0.3;
  EXPECT_NEAR(SummariseWeights(log_.choices()).effective_sample_size, 2, 1e-9);
  log_.target[3] = 0.25;
  Refuse({"worth 1.98"});
  log_.target[3] = 0.299;
  Refuse({"worth 1.99 of"});
}

TEST_F(RefusedEstimates, NameImpossibleOptions) {
  for (const double level : {0.0, 1.0, -1.0, kNaN}) {
    options_ = {.level = level};
    Refuse({"level is", "between 0 and 1"});
    ExpectError(ErrorCode::kInvalidArgument, {"level is"},
                [&] { MeanReward(log_.rewards, level); });
    ExpectError(ErrorCode::kInvalidArgument, {"level is"},
                [&] { DirectMethod(log_.rewards, level); });
  }
  for (const double clip : {0.0, -1.0, kNaN}) {
    options_ = {.clip = clip};
    Refuse({"clip is", "more than 0"});
  }
}

TEST_F(RefusedEstimates, NameImpossiblePredictions) {
  log_.logged_predictions[2] = kNaN;
  ExpectError(ErrorCode::kInvalidArgument,
              {"prediction of the logged arm 2 is nan"},
              [&] { DoublyRobust(log_.choices(), log_.predictions()); });
  log_.logged_predictions[2] = 0;
  log_.target_predictions.pop_back();
  ExpectError(ErrorCode::kInvalidArgument,
              {"19 values given as prediction of the target", "20 rewards"},
              [&] { DoublyRobust(log_.choices(), log_.predictions()); });
}

// The smallest probability and the largest reward: nothing overflows.
TEST(Estimators, AreFiniteAtTheBounds) {
  const std::vector<double> rewards{kMaxReward, -kMaxReward, kMaxReward};
  const std::vector<double> logged(3, kMinProbability);
  const std::vector<double> target{1, 1, 0.5};
  const std::vector<double> wild(3, kMaxPrediction);
  const WeightedChoices choices{
      .rewards = rewards, .logged = logged, .target = target};
  for (const Estimate& estimate :
       {InversePropensity(choices), SelfNormalised(choices),
        DoublyRobust(choices, {.logged_arm = wild, .target = wild})}) {
    EXPECT_TRUE(std::isfinite(estimate.low));
    EXPECT_TRUE(std::isfinite(estimate.high));
    EXPECT_GT(estimate.standard_error, 0);
  }
}

}  // namespace
}  // namespace manyarms
