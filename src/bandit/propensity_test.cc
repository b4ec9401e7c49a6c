// The probabilities with which a bandit chooses.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>

#include "manyarms/bandit.h"
#include "saved_bytes.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::FirstIds;
using testing::GaussianRows;

constexpr std::size_t kDim = 3;
constexpr std::size_t kArms = 12;

Bandit MakeBandit(BanditOptions options) {
  options.dim = kDim;
  options.seed = 4;
  Bandit bandit(options);
  bandit.Add(FirstIds(kArms), GaussianRows(kArms, kDim, 1));
  for (std::uint64_t t = 0; t < 15; ++t) {
    bandit.Observe(ArmId{t % 5}, 0.3 * static_cast<double>(t % 4));
  }
  return bandit;
}

double Sum(const std::vector<Probability>& probabilities) {
  double sum = 0;
  for (const Probability& p : probabilities) sum += p.value;
  return sum;
}

// The share of `draws` draws of a dense normal vector for which each arm is the
// best: V and b summed up, V inverted, and normal numbers of the standard
// library.
std::vector<double> DenseShares(const std::vector<ArmId>& eligible,
                                double exploration, int draws) {
  const std::vector<float> rows = GaussianRows(kArms, kDim, 1);
  const auto row = [&](ArmId arm) {
    return Eigen::Map<const Eigen::Vector3f>(rows.data() + arm * kDim)
        .cast<double>();
  };
  Eigen::Matrix3d v = Eigen::Matrix3d::Identity();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  for (std::uint64_t t = 0; t < 15; ++t) {
    const Eigen::Vector3d x = row(t % 5);
    v += x * x.transpose();
    b += 0.3 * static_cast<double>(t % 4) * x;
  }
  const Eigen::Matrix3d covariance = v.inverse();
  const Eigen::Vector3d mean = covariance * b;
  const Eigen::Matrix3d root = covariance.llt().matrixL();
  std::mt19937_64 engine(17);  // NOLINT(bugprone-random-generator-seed)
  std::normal_distribution<double> normal;
  std::vector<double> shares(kArms);
  for (int i = 0; i < draws; ++i) {
    const Eigen::Vector3d xi(normal(engine), normal(engine), normal(engine));
    const Eigen::Vector3d theta = mean + exploration * (root * xi);
    const ArmId best = *std::ranges::max_element(
        eligible, {}, [&](ArmId arm) { return theta.dot(row(arm)); });
    shares[best] += 1.0 / draws;
  }
  return shares;
}

// Twelve arms are compared for each of four sets of options. A difference is
// one of two shares of 10^6 draws, each with a standard error e, so 5 times
// sqrt(2) e are exceeded with a probability below 10^-6 for each, and by luck
// once in 20,000 changes of the seed.
TEST(Propensity, IsThatOfADensePosterior) {
  for (const double share : {0.0, 0.3}) {
    for (const bool some : {false, true}) {
      Bandit bandit =
          MakeBandit({.policy = ThompsonOptions{}, .explore_uniform = share});
      const std::vector<ArmId> arms = FirstIds(kArms);
      const std::vector<ArmId> among = {2, 4, 5, 9, 11};
      const auto eligible =
          some ? Eligible(std::span<const ArmId>(among)) : Eligible();
      const auto n = static_cast<double>(some ? among.size() : kArms);
      const std::vector<double> dense =
          DenseShares(some ? among : arms, 2.0, 1'000'000);
      const std::vector<Probability> found =
          bandit.Propensities(arms, 1'000'000, eligible);
      EXPECT_NEAR(Sum(found), 1, 1e-12);
      for (const ArmId arm : arms) {
        const bool is_eligible = !some || std::ranges::count(among, arm) > 0;
        const double expected =
            is_eligible ? share / n + (1 - share) * dense[arm] : 0;
        EXPECT_EQ(found[arm].standard_error > 0, is_eligible);
        EXPECT_LE(std::abs(found[arm].value - expected),
                  5 * std::sqrt(2.0) * found[arm].standard_error)
            << arm << ": " << found[arm].value << " and " << expected;
      }
    }
  }
}

// A thousand draws are within their standard errors of a million, for each arm.
// Errors of shares are not normal where they are small, but beyond 6 errors is
// no more likely than for a Poisson variable with mean 1 to reach 8: 10^-5.
TEST(Propensity, IsWithinItsStandardErrors) {
  Bandit bandit = MakeBandit({.explore_uniform = 0.1});
  const std::vector<ArmId> arms = FirstIds(kArms);
  const auto few = bandit.Propensities(arms);
  const auto many = bandit.Propensities(arms, 1'000'000);
  EXPECT_NEAR(Sum(few), 1, 1e-12);
  for (const ArmId arm : arms) {
    EXPECT_GT(few[arm].standard_error, 30 * many[arm].standard_error * 0.5);
    EXPECT_GE(few[arm].standard_error, 0.9 * 0.0009);  // about 1/m without hits
    EXPECT_LE(std::abs(few[arm].value - many[arm].value),
              6 * few[arm].standard_error);
  }
}

TEST(Propensity, HasTheStandardErrorOfItsFormula) {
  Bandit bandit = MakeBandit({.explore_uniform = 0.25});
  for (const Probability& p : bandit.Propensities(FirstIds(kArms), 40)) {
    const double hits = std::round(40 * (p.value - 0.25 / kArms) / 0.75);
    const double q = (hits + 1) / 42;
    EXPECT_NEAR(p.standard_error, 0.75 * std::sqrt(q * (1 - q) / 43), 1e-12);
  }
}

// What was said before the choice is said after it, after saving and loading,
// and by a bandit that chose by a scan; and it changes no later decision.
TEST(Propensity, DependsOnSeedAndDecisionAlone) {
  for (const SearchOptions& search :
       {SearchOptions(CertifiedOptions{.background = false}),
        SearchOptions(ScanOptions{}), SearchOptions(HnswOptions{}),
        SearchOptions(LshOptions{.min_depth = 1})}) {
    const BanditOptions options{
        .dim = 4, .search = search, .explore_uniform = 0.2, .seed = 3};
    Bandit asked(options);
    Bandit silent(options);
    for (Bandit* bandit : {&asked, &silent}) {
      bandit->Add(FirstIds(400), GaussianRows(400, 4, 1));
    }
    for (std::uint64_t t = 0; t < 200; ++t) {
      const auto before = asked.Propensities(FirstIds(400), 20);
      const Decision decision = asked.Choose();
      const Decision other = silent.Choose();
      ASSERT_EQ(decision.arm, other.arm) << t;
      ASSERT_EQ(decision.uniform, other.uniform);
      ASSERT_EQ(decision.score, other.score);
      const Probability now = asked.Propensity(decision, 20);
      if (!std::holds_alternative<LshOptions>(search) &&
          !std::holds_alternative<HnswOptions>(search)) {
        ASSERT_EQ(now, before[decision.arm]);
        if (t % 50 == 0) {
          Bandit loaded = testing::Loaded(testing::Bytes(asked));
          EXPECT_EQ(loaded.Propensity(decision, 20), now);
          EXPECT_EQ(loaded.Propensity(decision.id, 20), now);
        }
      }
      ASSERT_EQ(asked.Propensity(decision, 20), now);
      asked.Learn(decision, static_cast<double>(decision.arm % 7));
      silent.Learn(other, static_cast<double>(decision.arm % 7));
      if (t % 20 == 19) {
        for (Bandit* bandit : {&asked, &silent}) {
          bandit->Remove(ArmId{t});
          bandit->Add(1000 + t, GaussianRows(1, 4, t));
          bandit->Remove(ArmId{1000 + t});
          bandit->Add(ArmId{t}, GaussianRows(1, 4, t));
        }
      }
    }
  }
}

TEST(Propensity, IsCertainForUcb) {
  Bandit bandit = MakeBandit({.policy = UcbOptions{}, .explore_uniform = 0.12});
  const auto next = bandit.Propensities(FirstIds(kArms));
  const Decision decision = bandit.Choose();
  EXPECT_NEAR(Sum(next), 1, 1e-12);
  double sum = 0;
  for (ArmId arm = 0; arm < kArms; ++arm) {
    EXPECT_EQ(next[arm].standard_error, 0);
    sum += next[arm].value > 0.5 ? 1 : 0;
  }
  EXPECT_EQ(sum, 1);
  EXPECT_EQ(bandit.Propensity(decision), next[decision.arm]);
  Bandit sure = MakeBandit({.policy = UcbOptions{}});
  EXPECT_EQ(sure.Propensity(sure.Choose()), (Probability{1, 0}));
  Bandit still = MakeBandit({.policy = ThompsonOptions{0}});
  EXPECT_EQ(still.Propensity(still.Choose()), (Probability{1, 0}));
}

TEST(Propensity, IsKnownWithoutDrawsForOneArmAndForUniformChoices) {
  Bandit bandit = MakeBandit({});
  const std::vector<ArmId> one = {7};
  const Eligible only(std::span<const ArmId>{one});
  const Decision decision = bandit.Choose(only);
  EXPECT_EQ(bandit.Propensity(decision, 1, only), (Probability{1, 0}));
  Bandit uniform = MakeBandit({.explore_uniform = 1});
  const Decision any = uniform.Choose();
  EXPECT_TRUE(any.uniform);
  EXPECT_EQ(any.score, 0);
  EXPECT_EQ(uniform.Propensity(any), (Probability{1.0 / kArms, 0}));
}

TEST(Propensity, ServesContexts) {
  Bandit bandit({.dim = kDim, .explore_uniform = 0.1, .context_dim = 2});
  bandit.Add(FirstIds(kArms), GaussianRows(kArms, kDim, 1));
  const std::vector<float> here = {1, -0.5F};
  const std::vector<float> there = {-1, 2};
  for (int t = 0; t < 30; ++t) {
    const std::vector<float>& context = t % 2 == 0 ? here : there;
    bandit.Learn(bandit.Choose({}, context), t % 3);
  }
  const auto next = bandit.Propensities(FirstIds(kArms), 500, {}, here);
  const Decision decision = bandit.Choose({}, here);
  const Probability p = bandit.Propensity(decision, 500);
  EXPECT_EQ(p, next[decision.arm]);
  EXPECT_EQ(bandit.Propensity(decision, 500, {}, here), p);
  EXPECT_NE(bandit.Propensities(FirstIds(kArms), 500, {}, there), next);
  ExpectError(ErrorCode::kInvalidArgument, {"context", "decision 31"},
              [&] { bandit.Propensity(decision, 500, {}, there); });
  ExpectError(ErrorCode::kInvalidArgument, {"context"},
              [&] { bandit.Propensities(FirstIds(kArms)); });
}

TEST(Propensity, RefusesWhatHasChanged) {
  const auto refused = [](const auto& change) {
    Bandit bandit = MakeBandit({.explore_uniform = 0.5});
    const Decision first = bandit.Choose();
    const Decision decision = bandit.Choose();
    bandit.Propensity(decision);
    change(bandit, first);
    ExpectError(ErrorCode::kOutdated, {"decision 2"},
                [&] { bandit.Propensity(decision); });
    Bandit loaded = testing::Loaded(testing::Bytes(bandit));
    ExpectError(ErrorCode::kOutdated, {"decision 2"},
                [&] { loaded.Propensity(decision); });
    const Decision later = bandit.Choose();
    EXPECT_GT(bandit.Propensity(later).value, 0);
    ExpectError(ErrorCode::kOutdated, {"decision 2"},
                [&] { bandit.Propensity(decision); });
    Bandit again = testing::Loaded(testing::Bytes(bandit));
    EXPECT_EQ(again.Propensity(later), bandit.Propensity(later));
    ExpectError(ErrorCode::kOutdated, {"decision 2"},
                [&] { again.Propensity(decision); });
  };
  refused([](Bandit& b, const Decision& first) { b.Learn(first, 1); });
  refused([](Bandit& b, const Decision&) { b.Observe(ArmId{3}, 1); });
  refused([](Bandit& b, const Decision&) { b.Forget(0.5); });
  refused([](Bandit& b, const Decision&) { b.Remove(b.Ids().back()); });
  refused([](Bandit& b, const Decision&) {
    b.Add(77, std::vector<float>{1, 2, 3});
  });
  refused([](Bandit& b, const Decision&) {
    const std::vector<ArmId> ids = {3};
    const std::vector<float> row = {1, 2, 3};
    b.Update(ids, FeatureRows(row.data(), 1, 3, {.row = 3}));
  });
}

TEST(Propensity, RefusesBadInputAndStaysAsItWas) {
  Bandit bandit = MakeBandit({.explore_uniform = 0.5});
  const std::vector<ArmId> three = {1, 2, 3};
  const Eligible among(std::span<const ArmId>{three});
  const Decision decision = bandit.Choose(among);
  const std::vector<Decision> slate = bandit.ChooseBest(3);
  const std::string before = testing::Bytes(bandit);
  const auto is = [&](ErrorCode code, const std::vector<std::string>& parts,
                      const auto& work) {
    ExpectError(code, parts, work);
    EXPECT_EQ(testing::Bytes(bandit), before);
  };
  is(ErrorCode::kInvalidArgument, {"draws is 0", "16777216"},
     [&] { bandit.Propensity(decision, 0, among); });
  is(ErrorCode::kInvalidArgument, {"draws is 16777217"},
     [&] { bandit.Propensities(three, kMaxDraws + 1); });
  is(ErrorCode::kInvalidArgument, {"12 arms", "same 3", "decision 1"},
     [&] { bandit.Propensity(decision); });
  std::vector<ArmId> others = {5, 6, 7};
  is(ErrorCode::kInvalidArgument, {"decision 1", "not among the eligible"},
     [&] { bandit.Propensity(decision, 10, std::span<const ArmId>(others)); });
  is(ErrorCode::kUnknownId, {"decision 9 "},
     [&] { bandit.Propensity(DecisionId{9}); });
  is(ErrorCode::kUnknownId, {"another bandit's"}, [&] {
    bandit.Propensity({.id = decision.id, .arm = decision.arm + 1}, 10, among);
  });
  others = {99};
  is(ErrorCode::kUnknownId, {"arm 99"}, [&] { bandit.Propensities(others); });
  others = {3, 3};
  is(ErrorCode::kDuplicateId, {"arm 3"}, [&] { bandit.Propensities(others); });
  is(ErrorCode::kUnsupported, {"slate", "first"},
     [&] { bandit.Propensity(slate[1]); });
  is(ErrorCode::kInvalidArgument, {"context"},
     [&] { bandit.Propensity(decision, 10, among, std::vector<float>{1}); });
  EXPECT_GT(bandit.Propensity(slate[0]).value, 0);
  EXPECT_EQ(testing::Bytes(bandit), before);

  for (const double share : {-0.1, 1.5, std::nan("")}) {
    ExpectError(ErrorCode::kInvalidArgument, {"explore_uniform is", "0 to 1"},
                [&] { Bandit({.dim = 1, .explore_uniform = share}); });
  }
  Bandit elim = MakeBandit({.policy = EliminationOptions{}});
  const Decision of_elim = elim.Choose();
  ExpectError(ErrorCode::kUnsupported, {"elim", "stages"},
              [&] { elim.Propensity(of_elim); });
  ExpectError(ErrorCode::kUnsupported, {"elim", "stages"},
              [&] { elim.Propensities(three); });
  ExpectError(ErrorCode::kNoArms, {},
              [] { Bandit({.dim = 1}).Propensities({}); });
}

}  // namespace
}  // namespace manyarms
