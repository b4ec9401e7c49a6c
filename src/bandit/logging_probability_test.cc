// Probabilities of decisions to be written into logs.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bandit/probabilities.h"
#include "manyarms/bandit.h"
#include "saved_bytes.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::FirstIds;
using testing::GaussianRows;

// The probability of each number of hits among independent draws.
std::vector<double> Binomial(std::uint64_t draws, double p) {
  std::vector<double> masses = {1};
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    masses.push_back(0);
    for (std::size_t hits = masses.size() - 1; hits > 0; --hits) {
      masses[hits] = (1 - p) * masses[hits] + p * masses[hits - 1];
    }
    masses[0] *= 1 - p;
  }
  return masses;
}

// The mean of 1/(logged probability) over the decisions of one kind for an arm,
// each of whose draws hits with the probability p.
double MeanInverse(const ChoiceMix& mix, bool is_uniform, std::uint64_t draws,
                   double p) {
  double mean = 0;
  const std::uint64_t further = is_uniform ? draws : draws - 1;
  const std::vector<double> masses = Binomial(further, p);
  for (std::uint64_t hits = 0; hits <= further; ++hits) {
    const double logged =
        LoggingProbabilityOf(mix, is_uniform, draws, [&](std::uint64_t asked) {
          EXPECT_EQ(asked, further);
          return Wins{.of = {hits}, .draws = asked, .is_certain = false};
        });
    mean += masses[hits] / logged;
  }
  return mean;
}

// What a target that always plays one arm would be thought to earn if all
// rewards are 1: exact, by summing over all numbers of hits.
TEST(LoggingProbability, MakesTheMeanWeightOfEveryArmOne) {
  for (const std::size_t arms : {2U, 1'000U}) {
    for (const double p : {0.0, 1e-4, 0.03, 0.5, 1.0}) {
      for (const std::uint64_t draws : {1U, 2U, 7U, 50U}) {
        for (const double share : {1e-3, 0.05, 0.5, 1.0}) {
          const ChoiceMix mix{.uniform_share = share, .eligible = arms};
          const double mean =
              share / static_cast<double>(arms) *
                  MeanInverse(mix, true, draws, p) +
              (1 - share) * p * MeanInverse(mix, false, draws, p);
          EXPECT_NEAR(mean, 1, 1e-11) << arms << " " << p << " " << draws;
        }
        const ChoiceMix none{.uniform_share = 0, .eligible = arms};
        EXPECT_NEAR(p * MeanInverse(none, false, draws, p),
                    1 - std::pow(1 - p, static_cast<double>(draws)), 1e-11);
      }
    }
  }
}

struct MeanWeight {
  double mean;
  double standard_error;
};

template <class Weight>
MeanWeight MeanOver(int choices, const Weight& weight) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < choices; ++i) {
    const double w = weight();
    sum += w;
    squares += w * w;
  }
  const double mean = sum / choices;
  return {mean, std::sqrt((squares / choices - mean * mean) / choices)};
}

// A long arm among a thousand, which the policy chooses about a third of the
// time. The decisions are independent of one another, so the mean of their
// weights is normal with their standard error, and beyond 4 of them with a
// probability of 6e-5. (Weights of the uniform target are at most 1/share = 20,
// and some 1,000 decisions are uniform. Those of the fixed target are at most
// draws/(1 - share) = 53 for the policy's decisions, of which there are 6,000.
// A uniform one would weigh 20,000 if no draw hit, which has a probability of
// 10^-8 for an arm that is this likely.)
TEST(LoggingProbability, GivesConstantRewardsTheirValue) {
  constexpr std::size_t kArms = 1'000;
  constexpr std::uint64_t kDraws = 50;
  constexpr int kChoices = 20'000;
  constexpr ArmId kLong = 17;
  Bandit bandit({.dim = 4, .explore_uniform = 0.05, .seed = 11});
  std::vector<float> rows = GaussianRows(kArms, 4, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    rows[kLong * 4 + i] = i == 0 ? 12.0F : 0.0F;
  }
  bandit.Add(FirstIds(kArms), rows);
  for (std::uint64_t t = 0; t < 5; ++t) bandit.Observe(ArmId{t}, 0.5);
  const double p =
      bandit.Propensities(std::vector<ArmId>{kLong}, 10'000).front().value;
  EXPECT_GT(p, 0.25);
  EXPECT_LT(p, 0.5);
  const auto weight = [&](bool target_is_uniform, bool with_own) {
    const Decision decision = bandit.Choose();
    const double target = target_is_uniform       ? 1.0 / kArms
                          : decision.arm == kLong ? 1.0
                                                  : 0.0;
    const double logged = with_own ? bandit.LoggingProbability(decision, kDraws)
                                   : bandit.Propensity(decision, kDraws).value;
    bandit.Dismiss(decision.id);
    return target / logged;
  };
  for (const bool target_is_uniform : {false, true}) {
    const MeanWeight found =
        MeanOver(kChoices, [&] { return weight(target_is_uniform, true); });
    EXPECT_LE(std::abs(found.mean - 1), 4 * found.standard_error)
        << found.mean << " +- " << found.standard_error;
    EXPECT_LT(found.standard_error, 0.05);
    RecordProperty(
        target_is_uniform ? "uniform_target" : "fixed_target",
        fmt::format("{:.3f} +- {:.3f}", found.mean, found.standard_error));
  }
  // The same with the share of further draws is far off: why this is needed.
  const MeanWeight naive = MeanOver(2'000, [&] { return weight(true, false); });
  EXPECT_GT(naive.mean, 2);
  RecordProperty("share_of_draws", fmt::format("{:.2f} +- {:.2f}", naive.mean,
                                               naive.standard_error));
}

// The slow and obvious twin: the share of further draws, and the decision that
// says of itself whether it was uniform. Further draws are the same.
TEST(LoggingProbability, CountsADecisionOfThePolicyAmongTheDraws) {
  constexpr std::size_t kArms = 40;
  const std::vector<ArmId> some = {1, 5, 9, 20, 33};
  for (const double share : {0.0, 0.3, 1.0}) {
    for (const std::size_t p : {0U, 2U}) {
      Bandit bandit(
          {.dim = 3, .explore_uniform = share, .context_dim = p, .seed = 5});
      bandit.Add(FirstIds(kArms), GaussianRows(kArms, 3, 1));
      const std::vector<float> values = {0.5F, -1};
      const Context context = std::span(values).first(p);
      int uniform = 0;
      for (std::uint64_t t = 0; t < 200; ++t) {
        const bool of_some = t % 3 == 2;
        const auto eligible =
            of_some ? Eligible(std::span<const ArmId>(some)) : Eligible();
        const Decision decision =
            t % 4 == 3 ? bandit.ChooseBest(3, eligible, context).front()
                       : bandit.Choose(eligible, context);
        const auto n = static_cast<double>(decision.eligible);
        const std::uint64_t further = decision.uniform ? 20 : 19;
        const double hits = std::round(
            share == 1 ? 0
                       : (bandit.Propensity(decision, further, eligible).value -
                          share / n) /
                             (1 - share) * static_cast<double>(further));
        const double part = (hits + (decision.uniform ? 0 : 1)) / 20;
        const double logged = bandit.LoggingProbability(decision, 20, eligible);
        ASSERT_NEAR(logged, share / n + (1 - share) * part, 1e-12) << t;
        ASSERT_LE(logged, 1);
        // It is the same whenever it is asked for, and by whom.
        ASSERT_EQ(bandit.LoggingProbability(decision.id, 20, eligible, context),
                  logged);
        if (t % 20 == 0) {
          Bandit loaded = testing::Loaded(testing::Bytes(bandit));
          EXPECT_EQ(loaded.LoggingProbability(decision, 20, eligible), logged);
        }
        uniform += decision.uniform ? 1 : 0;
        bandit.Learn(decision, static_cast<double>(t % 7));
      }
      EXPECT_EQ(uniform > 0, share > 0);
      EXPECT_EQ(uniform < 200, share < 1);
    }
  }
}

TEST(LoggingProbability, ChangesNoLaterDecision) {
  Bandit asked({.dim = 4, .explore_uniform = 0.2});
  Bandit silent({.dim = 4, .explore_uniform = 0.2});
  for (Bandit* bandit : {&asked, &silent}) {
    bandit->Add(FirstIds(300), GaussianRows(300, 4, 1));
  }
  for (std::uint64_t t = 0; t < 100; ++t) {
    const Decision decision = asked.Choose();
    ASSERT_EQ(decision.arm, silent.Choose().arm);
    asked.LoggingProbability(decision, 10);
    asked.Learn(decision.id, static_cast<double>(t % 5));
    silent.Learn(decision.id, static_cast<double>(t % 5));
  }
  EXPECT_EQ(testing::Bytes(asked), testing::Bytes(silent));
}

TEST(LoggingProbability, IsNeverZero) {
  Bandit bandit({.dim = 4});
  bandit.Add(FirstIds(1'000), GaussianRows(1'000, 4, 1));
  int zeros = 0;
  for (int t = 0; t < 300; ++t) {
    const Decision decision = bandit.Choose();
    for (const std::uint64_t draws : {1U, 3U, 50U}) {
      const double logged = bandit.LoggingProbability(decision, draws);
      ASSERT_GE(logged, 1 / static_cast<double>(draws));
      ASSERT_LE(logged, 1);
    }
    if (bandit.Propensity(decision, 50).value == 0) ++zeros;
  }
  EXPECT_GT(zeros, 50);  // of the share of further draws
}

TEST(LoggingProbability, IsExactForUcb) {
  constexpr std::size_t kArms = 12;
  Bandit bandit({.dim = 3, .policy = UcbOptions{}, .explore_uniform = 0.3});
  bandit.Add(FirstIds(kArms), GaussianRows(kArms, 3, 1));
  int agreed = 0;
  int differed = 0;
  for (std::uint64_t t = 0; t < 400; ++t) {
    const std::vector<Probability> next = bandit.Propensities(FirstIds(kArms));
    const auto best = static_cast<ArmId>(
        std::ranges::max_element(next, {}, &Probability::value) - next.begin());
    const Decision decision = bandit.Choose();
    EXPECT_TRUE(decision.uniform || decision.arm == best);
    ++(decision.uniform && decision.arm == best ? agreed : differed);
    for (const std::uint64_t draws : {1U, 1'000U}) {
      EXPECT_DOUBLE_EQ(bandit.LoggingProbability(decision, draws),
                       0.3 / kArms + (decision.arm == best ? 0.7 : 0.0));
    }
    bandit.Learn(decision, static_cast<double>(t % 4));
  }
  EXPECT_GT(agreed, 0);
  EXPECT_GT(differed, 0);
}

TEST(LoggingProbability, IsKnownForOneArmAndForUniformChoicesAlone) {
  Bandit bandit({.dim = 3, .explore_uniform = 0.5});
  bandit.Add(FirstIds(8), GaussianRows(8, 3, 1));
  const std::vector<ArmId> one = {7};
  const Eligible only(std::span<const ArmId>{one});
  for (int t = 0; t < 10; ++t) {
    EXPECT_EQ(bandit.LoggingProbability(bandit.Choose(only), 1, only), 1);
  }
  Bandit uniform({.dim = 3, .explore_uniform = 1});
  uniform.Add(FirstIds(8), GaussianRows(8, 3, 1));
  EXPECT_EQ(uniform.LoggingProbability(uniform.Choose()), 1.0 / 8);
}

TEST(LoggingProbability, RefusesWhatPropensityRefuses) {
  Bandit bandit({.dim = 3, .explore_uniform = 0.5});
  bandit.Add(FirstIds(12), GaussianRows(12, 3, 1));
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
     [&] { bandit.LoggingProbability(decision, 0, among); });
  is(ErrorCode::kInvalidArgument, {"draws is 16777217"},
     [&] { bandit.LoggingProbability(decision, kMaxDraws + 1, among); });
  is(ErrorCode::kInvalidArgument, {"12 arms", "same 3", "decision 1"},
     [&] { bandit.LoggingProbability(decision); });
  const std::vector<ArmId> others = {5, 6, 7};
  is(ErrorCode::kInvalidArgument, {"decision 1", "not among the eligible"},
     [&] {
       bandit.LoggingProbability(decision, 10, std::span<const ArmId>(others));
     });
  is(ErrorCode::kUnknownId, {"decision 9 "},
     [&] { bandit.LoggingProbability(DecisionId{9}); });
  is(ErrorCode::kUnknownId, {"another bandit's"}, [&] {
    bandit.LoggingProbability({.id = decision.id, .arm = decision.arm + 1}, 10,
                              among);
  });
  is(ErrorCode::kUnsupported, {"slate", "first"},
     [&] { bandit.LoggingProbability(slate[1]); });
  is(ErrorCode::kInvalidArgument, {"context"}, [&] {
    bandit.LoggingProbability(decision, 10, among, std::vector<float>{1});
  });
  EXPECT_GT(bandit.LoggingProbability(slate[0]), 0);
  EXPECT_EQ(testing::Bytes(bandit), before);

  bandit.Observe(ArmId{3}, 1);
  ExpectError(ErrorCode::kOutdated, {"decision 1"},
              [&] { bandit.LoggingProbability(decision, 10, among); });
  const Decision now = bandit.Choose();
  EXPECT_GT(bandit.LoggingProbability(now), 0);
  bandit.Add(77, std::vector<float>{1, 2, 3});
  ExpectError(ErrorCode::kOutdated, {"decision"},
              [&] { bandit.LoggingProbability(now); });

  Bandit elim({.dim = 3, .policy = EliminationOptions{}});
  elim.Add(FirstIds(12), GaussianRows(12, 3, 1));
  const Decision of_elim = elim.Choose();
  ExpectError(ErrorCode::kUnsupported, {"elim", "stages"},
              [&] { elim.LoggingProbability(of_elim, 1); });
}

}  // namespace
}  // namespace manyarms
