// The largest and the smallest numbers that a bandit takes.

#include <fmt/format.h>

#include <cmath>

#include "manyarms/bandit.h"
#include "testing.h"

namespace manyarms {
namespace {

// The largest numbers that are let in must not overflow anywhere.
TEST(Bandit, BearsExtremeInput) {
  const auto big = static_cast<float>(kMaxFeature);
  const std::vector<std::vector<float>> arms = {
      {big, big, big}, {-big, big, -big}, {1e-30F, 0, 0}, {0, 0, 0}};
  for (const PolicyOptions& policy :
       {PolicyOptions{ThompsonOptions{kMaxExploration}},
        PolicyOptions{EliminationOptions{kMaxExploration}},
        PolicyOptions{UcbOptions{kMaxExploration}},
        PolicyOptions{
            GlocTsOptions{.exploration = kMaxExploration, .norm_bound = 1e6}},
        PolicyOptions{QglocOptions{.exploration = kMaxExploration,
        .norm_bound = 1e6,
        .shortest = 1e-3}}}) {
    for (const double lambda : {kMinRegularisation, kMaxRegularisation}) {
      for (const double reward : {kMaxReward, -kMaxReward, 1e-300}) {
        Bandit bandit({.dim = 3, .policy = policy, .regularisation = lambda});
        for (ArmId id = 0; id < arms.size(); ++id) bandit.Add(id, arms[id]);
        for (int t = 0; t < 20; ++t) {
          const Decision decision = bandit.Choose();
          ASSERT_TRUE(std::isfinite(decision.score));
          bandit.Learn(decision, reward);
          ASSERT_TRUE(std::isfinite(bandit.Predict(arms[0])));
        }
      }
    }
  }
}

// Widths whose squares leave the range of float lose digits and then vanish
// (see kMaxFeature). Decisions stay what they should be all the same.
TEST(Bandit, DecidesByIdAmongArmsTooShortToTellApart) {
  const std::vector<PolicyOptions> policies = {
      ThompsonOptions{}, UcbOptions{},
      EliminationOptions{TheoryRadius{.horizon = 100}}};
  const std::vector<SearchOptions> searches = {
      ScanOptions{}, CertifiedOptions{.background = false}};
  for (const PolicyOptions& policy : policies) {
    for (const SearchOptions& search : searches) {
      for (const float size : {1e-19F, 1e-21F, 1e-24F, 1e-40F, 0.0F}) {
        SCOPED_TRACE(fmt::format("{} {} {}", PolicyName(policy),
                                 SearchName(search), size));
        Bandit bandit({.dim = 3, .policy = policy, .search = search});
        for (const ArmId id : {9U, 4U, 6U}) {
          bandit.Add(id, std::vector<float>{size, size, size});
        }
        for (int t = 0; t < 20; ++t) {
          const Decision decision = bandit.Choose();
          const std::vector<Decision> slate = bandit.ChooseBest(3);
          ASSERT_TRUE(std::isfinite(decision.score));
          ASSERT_EQ(slate.size(), 3U);
          // elim picks one of those that are certain at random.
          const bool at_random = PolicyName(policy) == "elim";
          ASSERT_TRUE(at_random || decision.arm == 4U);
          ASSERT_EQ(slate[0].arm, 4U);
          ASSERT_EQ(slate[2].arm, 9U);
          bandit.Learn(decision, 1e9);
          ASSERT_TRUE(
              std::isfinite(bandit.Predict(std::vector<float>{1, 1, 1})));
        }
        // One that can be told apart is more uncertain, or has a score.
        bandit.Add(7, std::vector<float>{1, 0, 0});
        int chosen = 0;
        for (int t = 0; t < 20; ++t) {
          const Decision decision = bandit.Choose();
          chosen += decision.arm == 7 ? 1 : 0;
          bandit.Learn(decision, decision.arm == 7 ? 1 : 0);
        }
        EXPECT_GT(chosen, 10);
      }
    }
  }
}

TEST(Bandit, HasScoresOfUcbThatVanishOnlyWithTheSquares) {
  const auto score = [](float size) {
    Bandit bandit({.dim = 1, .policy = UcbOptions{2.0}});
    bandit.Add(0, std::vector<float>{size});
    return bandit.Choose().score / (2.0 * size);
  };
  EXPECT_NEAR(score(1e-18F), 1, 1e-6);
  EXPECT_NEAR(score(1e-20F), 1, 1e-4);
  EXPECT_EQ(score(1e-24F), 0);
}

}  // namespace
}  // namespace manyarms
