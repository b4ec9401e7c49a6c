#include <array>
#include <cmath>
#include <sstream>

#include "manyarms/bandit.h"
#include "manyarms/population.h"
#include "manyarms/random.h"
#include "posterior/logistic.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

constexpr std::size_t kDim = 4;
constexpr std::size_t kArms = 2'000;

constexpr std::array<double, kDim> kTheta = {1, -0.5, 0.8, 0};

double ClickRate(std::span<const float> x) {
  double log_odds = -2;
  for (std::size_t j = 0; j < kDim; ++j) log_odds += kTheta[j] * x[j];
  return Sigmoid(log_odds);
}

BanditOptions Clicks(const PolicyOptions& policy, const SearchOptions& search) {
  return {.dim = kDim,
          .policy = policy,
          .search = search,
          .rewards = RewardModel::kClicks,
          .seed = 5};
}

// Plays, and returns the arms that were chosen.
std::vector<ArmId> Play(Bandit& bandit, std::uint64_t seed, int steps) {
  std::vector<ArmId> chosen;
  for (int t = 0; t < steps; ++t) {
    const Decision decision = bandit.Choose();
    if (!std::holds_alternative<EliminationOptions>(bandit.options().policy)) {
      EXPECT_LE(decision.score, 1);
    }
    EXPECT_GE(decision.score, 0);
    const ArmId id = decision.arm;
    const double rate = ClickRate(bandit.Features({&id, 1}));
    const double u =
        RandomStream(seed, RandomStream::Role::kNoise, chosen.size()).Uniform();
    bandit.Learn(decision, u < rate ? 1 : 0);
    chosen.push_back(id);
  }
  return chosen;
}

void AddArms(Bandit& bandit) {
  bandit.Add(testing::FirstIds(kArms), testing::GaussianRows(kArms, kDim, 7));
}

TEST(Clicks, ServedExactlyByCertifiedSearch) {
  for (const PolicyOptions& policy :
       {PolicyOptions(ThompsonOptions{.exploration = 1.0}),
        PolicyOptions(UcbOptions{.exploration = 1.0}),
        PolicyOptions(EliminationOptions{})}) {
    Bandit certified(Clicks(policy, CertifiedOptions{.background = false}));
    Bandit scan(Clicks(policy, ScanOptions{}));
    AddArms(certified);
    AddArms(scan);
    EXPECT_EQ(Play(certified, 3, 400), Play(scan, 3, 400));
  }
}

TEST(Clicks, PredictionsAreProbabilities) {
  Bandit bandit(Clicks(ThompsonOptions{.exploration = 1.0}, ScanOptions{}));
  const std::vector<float> x = {1, 0, 0, 1};
  EXPECT_DOUBLE_EQ(bandit.Predict(x), 0.5);
  // Each click of these features is one in four.
  for (int t = 0; t < 2'000; ++t) bandit.Observe(x, t % 4 == 0 ? 1.0 : 0.0);
  EXPECT_NEAR(bandit.Predict(x), 0.25, 0.01);
  const std::vector<double> mean = bandit.Mean();
  EXPECT_NEAR(Sigmoid(mean[0] + mean[3]), bandit.Predict(x), 1e-12);
  AddArms(bandit);
  const std::vector<ArmId> ids = {0, 1};
  EXPECT_NEAR(bandit.Scores(ids)[1],
              bandit.Predict(bandit.Features(std::vector<ArmId>{1})), 1e-6);
}

TEST(Clicks, SharesCountAsClicksDo) {
  Bandit halves(Clicks(ThompsonOptions{}, ScanOptions{}));
  const std::vector<float> x = {1, 2, 0, 0};
  for (int t = 0; t < 500; ++t) halves.Observe(x, 0.3);
  EXPECT_NEAR(halves.Predict(x), 0.3, 0.01);
}

TEST(Clicks, WithContexts) {
  BanditOptions options = Clicks(UcbOptions{.exploration = 1.0}, ScanOptions{});
  options.context_dim = 2;
  Bandit scan(options);
  options.search = CertifiedOptions{.background = false};
  Bandit certified(options);
  AddArms(scan);
  AddArms(certified);
  for (std::size_t t = 0; t < 200; ++t) {
    const auto context = testing::GaussianRows(1, 2, t % 5);
    const Decision expected = scan.Choose({}, context);
    const Decision found = certified.Choose({}, context);
    ASSERT_EQ(found.arm, expected.arm);
    const double click = t % 3 == 0 ? 1 : 0;
    scan.Learn(expected, click);
    certified.Learn(found, click);
    ASSERT_GT(scan.Predict(testing::GaussianRows(1, kDim, t), context), 0);
    ASSERT_LT(scan.Predict(testing::GaussianRows(1, kDim, t), context), 1);
  }
}

TEST(Clicks, SavedAndLoaded) {
  Bandit bandit(Clicks(ThompsonOptions{.exploration = 1.0},
                       CertifiedOptions{.background = false}));
  AddArms(bandit);
  Play(bandit, 1, 200);
  std::stringstream file;
  bandit.Save(file);
  Bandit loaded = Bandit::Load(file);
  EXPECT_EQ(loaded.options(), bandit.options());
  EXPECT_EQ(Play(loaded, 2, 100), Play(bandit, 2, 100));
}

PopulationOptions ManyWithClicks() {
  return {.dim = kDim,
          .policy = ThompsonOptions{.exploration = 1.0},
          .search = CertifiedOptions{.background = false},
          .rewards = RewardModel::kClicks};
}

TEST(Clicks, OfLearnersAreThoseOfLoneBandits) {
  PopulationOptions options = ManyWithClicks();
  for (const bool is_shared : {false, true}) {
    if (is_shared) options.prior = SharedPrior{};
    Population population(options);
    const auto rows = testing::GaussianRows(kArms, kDim, 7);
    population.Add(testing::FirstIds(kArms), rows);
    const auto play = [&](std::uint64_t key) {
      Bandit lone(population.LoneOptions(key));
      AddArms(lone);
      for (std::uint64_t t = 0; t < 80; ++t) {
        const Decision expected = lone.Choose();
        const Decision found = population.Choose(key);
        EXPECT_EQ(found.arm, expected.arm);
        const ArmId arm = expected.arm;
        const double u =
            RandomStream(key, RandomStream::Role::kNoise, t).Uniform();
        const double click = u < ClickRate(lone.Features({&arm, 1})) ? 1 : 0;
        lone.Learn(expected, click);
        population.Learn(key, found.id, click);
      }
      const std::vector<float> x = {1, 0, 0, 0};
      EXPECT_NEAR(population.Predict(key, x), lone.Predict(x), 1e-12);
    };
    for (std::uint64_t key = 0; key < 6; ++key) play(key);
    EXPECT_EQ(population.stats().prior_refits > 0, is_shared);
    for (const double value : population.Prior().mean) {
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

TEST(Clicks, RefuseWhatDoesNotFit) {
  BanditOptions options = Clicks(ThompsonOptions{}, ScanOptions{});
  options.negative_rewards = true;
  ExpectError(ErrorCode::kUnsupported, {"negative_rewards", "clicks"},
              [&] { const Bandit bandit(options); });
  ExpectError(ErrorCode::kUnsupported, {"theory", "clicks"}, [] {
    const Bandit bandit(Clicks(
        UcbOptions{.exploration = TheoryRadius{.horizon = 10}}, ScanOptions{}));
  });

  Bandit bandit(Clicks(ThompsonOptions{}, ScanOptions{}));
  AddArms(bandit);
  const Decision decision = bandit.Choose();
  const std::vector<float> x = {1, 0, 0, 0};
  for (const double wrong : {2.0, -0.5, std::nan("")}) {
    const std::vector<std::string> parts = {"reward", "clicks", "from 0 to 1"};
    ExpectError(ErrorCode::kInvalidArgument, parts,
                [&] { bandit.Learn(decision, wrong); });
    ExpectError(ErrorCode::kInvalidArgument, parts,
                [&] { bandit.Observe(x, wrong); });
    ExpectError(ErrorCode::kInvalidArgument, parts, [&] {
      bandit.Observe(std::vector<ArmId>{1, 2}, std::vector<double>{1, wrong});
    });
  }
  EXPECT_EQ(bandit.pending(), 1U);
  EXPECT_EQ(bandit.Mean(), std::vector<double>(kDim));

  Population population(ManyWithClicks());
  population.Add(1, x);
  const Decision theirs = population.Choose(3);
  ExpectError(ErrorCode::kInvalidArgument, {"reward", "clicks"},
              [&] { population.Learn(3, theirs.id, 2); });
  EXPECT_EQ(population.Describe(3).pending, 1U);
}

TEST(Clicks, AreNotImportedIntoLinearLearners) {
  Population clicks(ManyWithClicks());
  clicks.Observe(1, std::vector<float>{1, 0, 0, 0}, 1.0);
  PopulationOptions options = ManyWithClicks();
  options.rewards = RewardModel::kLinear;
  Population linear(options);
  ExpectError(ErrorCode::kInvalidArgument, {"clicks", "linear"},
              [&] { linear.Import(1, clicks.Export(1)); });
  Population others(ManyWithClicks());
  others.Import(1, clicks.Export(1));
  EXPECT_EQ(others.Mean(1), clicks.Mean(1));
}

}  // namespace
}  // namespace manyarms
