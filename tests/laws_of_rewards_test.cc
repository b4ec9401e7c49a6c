// What must hold for every policy with every search that learns from clicks,
// forgets, or both, or makes a share of its choices uniformly.

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <sstream>

#include "bandit/model.h"
#include "policy/kinds.h"
#include "policy_laws.h"
#include "posterior/logistic.h"
#include "search/kinds.h"

namespace manyarms {
namespace {

enum class Kind { kClicks, kForgetting, kClicksAndForgetting, kUniformShare };

struct RewardCase {
  Combination combination;
  Kind kind;

  friend std::ostream& operator<<(std::ostream& out, const RewardCase& c) {
    return out << c.combination;
  }
};

// Clicks and forgetting are refused with exploration by theory, and forgetting
// with policies that cannot forget.
std::vector<RewardCase> Cases() {
  std::vector<RewardCase> cases;
  for (const Combination& combination : CombinationsWhere(
           [](const Combination& c) { return !ExploresByTheory(c.policy); })) {
    cases.push_back({combination, Kind::kClicks});
    cases.push_back({combination, Kind::kUniformShare});
    if (CanForget(combination.policy)) {
      cases.push_back({combination, Kind::kForgetting});
      cases.push_back({combination, Kind::kClicksAndForgetting});
    }
  }
  return cases;
}

std::vector<RewardCase> CasesWhere(
    const std::function<bool(const RewardCase&)>& holds) {
  std::vector<RewardCase> some = Cases();
  std::erase_if(some, [&](const RewardCase& c) { return !holds(c); });
  return some;
}

std::string CaseName(const ::testing::TestParamInfo<RewardCase>& c) {
  constexpr const char* kNames[] = {"Clicks", "Forgetting",
                                    "ClicksAndForgetting", "UniformShare"};
  return c.param.combination.name +
         kNames[static_cast<std::size_t>(c.param.kind)];
}

class RewardLaws : public ::testing::TestWithParam<RewardCase> {
 protected:
  static bool clicks() {
    return GetParam().kind == Kind::kClicks ||
           GetParam().kind == Kind::kClicksAndForgetting;
  }
  static bool forgets() {
    return GetParam().kind == Kind::kForgetting ||
           GetParam().kind == Kind::kClicksAndForgetting;
  }
  static double uniform_share() {
    return GetParam().kind == Kind::kUniformShare ? 0.3 : 0.0;
  }

  static BanditOptions Options(const SearchOptions& search,
                               std::uint64_t seed = 1) {
    return {.dim = kDim,
            .policy = GetParam().combination.policy,
            .search = search,
            .rewards = clicks() ? RewardModel::kClicks : RewardModel::kLinear,
            .forgetting = forgets() ? 0.95 : 1.0,
            .explore_uniform = uniform_share(),
            .seed = seed};
  }
  static Bandit MakeBandit(std::uint64_t seed = 1) {
    return Bandit(Options(GetParam().combination.search, seed));
  }

  static std::vector<float> Row(ArmId arm) {
    std::vector<float> row(kDim);
    RandomStream(3, RandomStream::Role::kArm, arm).Gaussians(row);
    return row;
  }
  static void AddArms(Bandit& bandit, ArmId first, ArmId last) {
    for (ArmId id = first; id < last; ++id) bandit.Add(id, Row(id));
  }

  // A click, or the sum of the features, which turns around every 200 steps.
  static double Reward(std::span<const float> x, ArmId step) {
    double sum = 0;
    for (const float value : x) sum += value;
    if (step / 200 % 2 == 1) sum = -sum;
    if (!clicks()) return sum;
    const double u =
        RandomStream(4, RandomStream::Role::kNoise, step).Uniform();
    return u < Sigmoid(sum - 1) ? 1 : 0;
  }

  static Decision Step(Bandit& bandit, ArmId step) {
    const Decision decision = bandit.Choose();
    EXPECT_TRUE(std::isfinite(decision.score));
    EXPECT_EQ(decision.eligible, bandit.size());
    bandit.Learn(decision, Reward(bandit.Features({&decision.arm, 1}), step));
    return decision;
  }
};

// Of searches that are exact.
class ExactRewardLaws : public RewardLaws {};

// Of clicks, with and without forgetting.
class ClickLaws : public RewardLaws {};

TEST_P(RewardLaws, SameSeedSameDecisions) {
  const auto decisions = [](std::uint64_t seed) {
    Bandit bandit = MakeBandit(seed);
    AddArms(bandit, 0, 100);
    std::vector<ArmId> chosen;
    for (ArmId t = 0; t < 250; ++t) {
      if (t % 30 == 29) AddArms(bandit, 1000 + t, 1002 + t);
      chosen.push_back(Step(bandit, t).arm);
    }
    return chosen;
  };
  EXPECT_EQ(decisions(1), decisions(1));
}

TEST_P(ExactRewardLaws, DecidesAsTheScan) {
  Bandit bandit = MakeBandit();
  Bandit scan(Options(ScanOptions{}));
  AddArms(bandit, 0, 1'500);
  AddArms(scan, 0, 1'500);
  for (ArmId t = 0; t < 500; ++t) {
    const Decision decision = Step(bandit, t);
    const Decision expected = Step(scan, t);
    ASSERT_EQ(decision.arm, expected.arm) << t;
    ASSERT_EQ(decision.score, expected.score) << t;
    ASSERT_EQ(decision.uniform, expected.uniform) << t;
    bandit.Remove(t);
    scan.Remove(t);
    AddArms(bandit, 2'000 + t, 2'001 + t);
    AddArms(scan, 2'000 + t, 2'001 + t);
  }
}

TEST_P(RewardLaws, GoesOnAfterLoadingAsItWouldHaveWithout) {
  Bandit bandit = MakeBandit(5);
  AddArms(bandit, 0, 150);
  std::vector<Decision> waiting;
  for (ArmId t = 0; t < 150; ++t) {
    Step(bandit, t);
    if (t % 10 == 0) waiting.push_back(bandit.Choose());
  }
  std::stringstream file;
  bandit.Save(file);
  Bandit loaded = Bandit::Load(file);
  EXPECT_EQ(loaded.options(), bandit.options());
  for (const Decision& decision : waiting) {
    bandit.Learn(decision, 0.5);
    loaded.Learn(decision, 0.5);
  }
  EXPECT_EQ(loaded.Mean(), bandit.Mean());
  for (ArmId t = 150; t < 300; ++t) {
    const Decision expected = Step(bandit, t);
    const Decision decision = Step(loaded, t);
    if (!IsExact(GetParam().combination.search)) continue;
    ASSERT_EQ(decision.arm, expected.arm) << t;
    EXPECT_EQ(decision.score, expected.score);
  }
}

TEST_P(RewardLaws, ChoicesSayWhetherTheyAreUniform) {
  Bandit bandit = MakeBandit();
  AddArms(bandit, 0, 60);
  int uniform = 0;
  for (ArmId t = 0; t < 400; ++t) uniform += Step(bandit, t).uniform ? 1 : 0;
  if (uniform_share() == 0) {
    EXPECT_EQ(uniform, 0);
  } else {
    // Binomial with mean 120 and deviation 9.2: five deviations.
    EXPECT_NEAR(uniform, 120, 46);
  }
}

TEST_P(RewardLaws, NeverChoosesARemovedArm) {
  Bandit bandit = MakeBandit();
  AddArms(bandit, 0, 150);
  std::set<ArmId> removed;
  for (ArmId t = 0; t < 149; ++t) {
    const ArmId chosen = Step(bandit, t).arm;
    ASSERT_FALSE(removed.contains(chosen));
    bandit.Remove(chosen);
    removed.insert(chosen);
  }
  EXPECT_FALSE(removed.contains(Step(bandit, 149).arm));
}

TEST_P(ClickLaws, ScoresAreProbabilities) {
  Bandit bandit = MakeBandit();
  AddArms(bandit, 0, 100);
  // The score of elim is an uncertainty.
  const bool is_probability = !ScoreIsDifference(GetParam().combination.policy);
  for (ArmId t = 0; t < 200; ++t) {
    const double score = Step(bandit, t).score;
    EXPECT_GE(score, 0);
    if (is_probability) {
      EXPECT_LE(score, 1);
    }
  }
  for (const double expected : bandit.Scores(bandit.Ids())) {
    EXPECT_GT(expected, 0);
    EXPECT_LT(expected, 1);
  }
}

// A policy that forgets everything begins again; what is expected of arms is
// then what it was before the first reward.
TEST_P(RewardLaws, ForgetsAllAtOnce) {
  Bandit bandit = MakeBandit();
  AddArms(bandit, 0, 100);
  for (ArmId t = 0; t < 100; ++t) Step(bandit, t);
  if (!CanForget(GetParam().combination.policy)) {
    testing::ExpectError(ErrorCode::kUnsupported, {"cannot forget"},
                         [&] { bandit.Forget(1); });
    return;
  }
  bandit.Forget(1);
  EXPECT_EQ(bandit.Mean(), std::vector<double>(kDim));
  const std::vector<double> uncertainty = bandit.Uncertainty(bandit.Ids());
  Bandit fresh = MakeBandit();
  AddArms(fresh, 0, 100);
  EXPECT_EQ(uncertainty, fresh.Uncertainty(fresh.Ids()));
  for (ArmId t = 0; t < 50; ++t) Step(bandit, t);
}

TEST_P(RewardLaws, AWrongRewardChangesNothing) {
  Bandit bandit = MakeBandit();
  AddArms(bandit, 0, 50);
  for (ArmId t = 0; t < 30; ++t) Step(bandit, t);
  const std::vector<double> before = bandit.Mean();
  const Decision decision = bandit.Choose();
  const double wrong = clicks() ? 1.5 : 1e300;
  EXPECT_THROW(bandit.Learn(decision, wrong), Error);
  EXPECT_THROW(bandit.Observe(decision.arm, -wrong), Error);
  EXPECT_THROW(bandit.Learn(decision, std::nan("")), Error);
  EXPECT_EQ(bandit.pending(), 1U);
  EXPECT_EQ(bandit.Mean(), before);
  bandit.Learn(decision, 1);
  EXPECT_NE(bandit.Mean(), before);
}

INSTANTIATE_TEST_SUITE_P(EveryPolicyAndSearch, RewardLaws,
                         ::testing::ValuesIn(Cases()), CaseName);
INSTANTIATE_TEST_SUITE_P(EveryPolicy, ExactRewardLaws,
                         ::testing::ValuesIn(CasesWhere([](const auto& c) {
                           return IsExact(c.combination.search);
                         })),
                         CaseName);
INSTANTIATE_TEST_SUITE_P(EveryPolicyAndSearch, ClickLaws,
                         ::testing::ValuesIn(CasesWhere([](const auto& c) {
                           return c.kind == Kind::kClicks ||
                                  c.kind == Kind::kClicksAndForgetting;
                         })),
                         CaseName);

}  // namespace
}  // namespace manyarms
