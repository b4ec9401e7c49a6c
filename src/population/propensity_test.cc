// Probabilities and uniform choices of learners.

#include <sstream>
#include <thread>

#include "manyarms/population.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::FirstIds;
using testing::GaussianRows;

constexpr std::size_t kDim = 4;
constexpr std::size_t kArms = 300;

template <class Arms>
void AddArms(Arms& arms) {
  arms.Add(FirstIds(kArms), GaussianRows(kArms, kDim, 1));
}

Population Loaded(const Population& population) {
  std::stringstream bytes;
  population.Save(bytes);
  return Population::Load(bytes);
}

// A learner chooses, and says with which probabilities, as a lone bandit does.
TEST(PopulationPropensity, IsThatOfALoneBandit) {
  for (const PolicyOptions& policy :
       {PolicyOptions(ThompsonOptions{}), PolicyOptions(UcbOptions{})}) {
    for (const std::size_t p : {0U, 2U}) {
      Population population({.dim = kDim,
                             .policy = policy,
                             .explore_uniform = 0.25,
                             .context_dim = p,
                             .seed = 9});
      AddArms(population);
      const std::vector<LearnerKey> keys = {7, "eve"};
      std::vector<Bandit> lone;
      for (const LearnerKey& key : keys) {
        EXPECT_EQ(population.LoneOptions(key).explore_uniform, 0.25);
        lone.emplace_back(population.LoneOptions(key));
        AddArms(lone.back());
      }
      const std::vector<ArmId> some = {1, 5, 9, 200};
      const std::vector<float> values = {0.5F, -1};
      const Context context = std::span(values).first(p);
      int uniform = 0;
      for (std::uint64_t t = 0; t < 120; ++t) {
        const std::size_t who = t % 2;
        const Eligible eligible =
            t % 5 == 4 ? Eligible(std::span<const ArmId>(some)) : Eligible();
        EXPECT_EQ(
            population.Propensities(keys[who], some, 30, eligible, context),
            lone[who].Propensities(some, 30, eligible, context));
        const Decision one = population.Choose(keys[who], eligible, context);
        const Decision other = lone[who].Choose(eligible, context);
        ASSERT_EQ(one.arm, other.arm) << t;
        ASSERT_EQ(one.uniform, other.uniform);
        ASSERT_EQ(one.score, other.score);
        ASSERT_EQ(one.eligible, other.eligible);
        uniform += one.uniform ? 1 : 0;
        ASSERT_EQ(population.Propensity(keys[who], one, 30, eligible),
                  lone[who].Propensity(other, 30, eligible));
        const double logged = lone[who].LoggingProbability(other, 30, eligible);
        ASSERT_EQ(population.LoggingProbability(keys[who], one, 30, eligible,
                                                context),
                  logged);
        ASSERT_EQ(
            population.LoggingProbability(keys[who], one.id, 30, eligible),
            logged);
        if (t % 3 != 0) {
          population.Learn(keys[who], one.id, static_cast<double>(t % 7));
          lone[who].Learn(other, static_cast<double>(t % 7));
        }
      }
      EXPECT_GT(uniform, 10);
      const auto slate = population.ChooseBest(7, 5, {}, context);
      const auto other = lone[0].ChooseBest(5, {}, context);
      for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(slate[i].arm, other[i].arm);
      EXPECT_EQ(population.Propensity(7, slate[0], 30),
                lone[0].Propensity(other[0], 30));
      EXPECT_EQ(population.LoggingProbability(7, slate[0], 30),
                lone[0].LoggingProbability(other[0], 30));
      ExpectError(ErrorCode::kUnsupported, {"slate"},
                  [&] { population.Propensity(7, slate[1]); });
      ExpectError(ErrorCode::kUnsupported, {"slate"},
                  [&] { population.LoggingProbability(7, slate[1]); });
    }
  }
}

TEST(PopulationPropensity, NeedsNoLearner) {
  Population population({.dim = kDim});
  AddArms(population);
  const auto next = population.Propensities(3, FirstIds(kArms));
  EXPECT_FALSE(population.Knows(3));
  double sum = 0;
  for (const Probability& p : next) sum += p.value;
  EXPECT_NEAR(sum, 1, 1e-12);
  const Decision decision = population.Choose(3);
  EXPECT_EQ(population.Propensity(3, decision), next[decision.arm]);
}

TEST(PopulationPropensity, RefusesWhatHasChanged) {
  Population population({.dim = kDim, .explore_uniform = 0.1});
  AddArms(population);
  const auto outdated = [&](Population& of, const LearnerKey& key,
                            const Decision& decision) {
    ExpectError(ErrorCode::kOutdated, {"decision"},
                [&] { of.Propensity(key, decision); });
    ExpectError(ErrorCode::kOutdated, {"decision"},
                [&] { of.LoggingProbability(key, decision); });
  };
  const Decision eve = population.Choose("eve");
  const Decision bob = population.Choose("bob");
  const Probability before = population.Propensity("eve", eve);
  population.Observe("bob", ArmId{1}, 1);  // nothing to eve
  EXPECT_EQ(population.Propensity("eve", eve), before);
  outdated(population, "bob", bob);

  Population loaded = Loaded(population);
  EXPECT_EQ(loaded.Propensity("eve", eve), before);
  EXPECT_EQ(loaded.LoggingProbability("eve", eve),
            population.LoggingProbability("eve", eve));
  outdated(loaded, "bob", bob);
  EXPECT_EQ(loaded.Choose("eve").arm, population.Choose("eve").arm);

  // An exported learner may come among other arms.
  const auto exported = population.Export("eve");
  loaded.Import("eve", exported);
  outdated(loaded, "eve", eve);
  const Decision next = loaded.Choose("eve");
  EXPECT_EQ(next.arm, population.Choose("eve").arm);
  EXPECT_GT(loaded.Propensity("eve", next).value, 0);
  outdated(loaded, "eve", eve);
  loaded.Import("eve", loaded.Export("eve"));
  outdated(loaded, "eve", next);

  population.Remove(5);
  outdated(population, "eve", eve);
}

// Learners that have learned nothing decide by the prior, so it must not have
// been learned anew.
TEST(PopulationPropensity, RefusesAnotherPrior) {
  Population population({.dim = kDim, .prior = SharedPrior{}});
  AddArms(population);
  for (std::uint64_t t = 0; t < 40; ++t) {
    population.Observe(t % 4, ArmId{t}, static_cast<double>(t % 3));
  }
  const Decision decision = population.Choose("new");
  const Decision of_one = population.Choose(1);
  const Probability before = population.Propensity("new", decision);
  Population same = Loaded(population);
  EXPECT_EQ(same.Propensity("new", decision), before);
  ASSERT_TRUE(population.LearnPrior());
  ExpectError(ErrorCode::kOutdated, {"decision"},
              [&] { population.Propensity("new", decision); });
  EXPECT_GT(population.Propensity(1, of_one).value, 0);
  Population loaded = Loaded(population);
  ExpectError(ErrorCode::kOutdated, {"decision"},
              [&] { loaded.Propensity("new", decision); });
}

// Threads that ask for probabilities change nothing for those that choose and
// learn, for the same learner and for others.
TEST(PopulationPropensity, IsAskedForWhileOthersChooseAndLearn) {
  Population population({.dim = kDim, .explore_uniform = 0.1, .seed = 6});
  AddArms(population);
  const auto play = [](auto& arms, const auto&... learner) {
    std::vector<ArmId> chosen;
    for (std::uint64_t t = 0; t < 150; ++t) {
      const Decision decision = arms.Choose(learner...);
      arms.Learn(learner..., decision.id, static_cast<double>(t % 5));
      chosen.push_back(decision.arm);
    }
    return chosen;
  };
  std::vector<ArmId> eve;
  std::vector<ArmId> bob;
  std::thread one([&] { eve = play(population, LearnerKey("eve")); });
  std::thread other([&] { bob = play(population, LearnerKey("bob")); });
  for (int i = 0; i < 40; ++i) {
    double sum = 0;
    for (const Probability& p :
         population.Propensities("eve", FirstIds(kArms), 25)) {
      sum += p.value;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  one.join();
  other.join();
  Bandit lone_eve(population.LoneOptions("eve"));
  Bandit lone_bob(population.LoneOptions("bob"));
  AddArms(lone_eve);
  AddArms(lone_bob);
  EXPECT_EQ(eve, play(lone_eve));
  EXPECT_EQ(bob, play(lone_bob));
}

TEST(PopulationPropensity, RefusesBadInput) {
  Population population({.dim = kDim, .explore_uniform = 0.1});
  AddArms(population);
  const Decision decision = population.Choose("eve");
  population.Choose("bob");
  ExpectError(ErrorCode::kInvalidArgument, {"draws is 0"},
              [&] { population.Propensity("eve", decision, 0); });
  ExpectError(ErrorCode::kUnknownId, {"not one of learner \"bob\""},
              [&] { population.Propensity("bob", decision); });
  ExpectError(ErrorCode::kInvalidArgument, {"draws is 0"},
              [&] { population.LoggingProbability("eve", decision, 0); });
  ExpectError(ErrorCode::kUnknownId, {"not one of learner \"bob\""},
              [&] { population.LoggingProbability("bob", decision); });
  ExpectError(ErrorCode::kUnknownId, {"nobody"},
              [&] { population.LoggingProbability("nobody", decision.id); });
  ExpectError(ErrorCode::kUnknownId, {"another"}, [&] {
    population.LoggingProbability("eve",
                                  {.id = decision.id, .arm = decision.arm + 1});
  });
  ExpectError(ErrorCode::kInvalidArgument, {"context"}, [&] {
    population.LoggingProbability("eve", decision, 5, {},
                                  std::vector<float>{1});
  });
  ExpectError(ErrorCode::kUnknownId, {"nobody"},
              [&] { population.Propensity("nobody", decision.id); });
  ExpectError(ErrorCode::kUnknownId, {"another"}, [&] {
    population.Propensity("eve", {.id = decision.id, .arm = decision.arm + 1});
  });
  ExpectError(ErrorCode::kUnknownId, {"arm 900"},
              [&] { population.Propensities("eve", std::vector<ArmId>{900}); });
  ExpectError(ErrorCode::kInvalidArgument, {"explore_uniform is 2"},
              [] { Population({.dim = 1, .explore_uniform = 2}); });
  Population other({.dim = kDim, .explore_uniform = 0.2});
  ExpectError(ErrorCode::kInvalidArgument,
              {"explore_uniform 0.1", "explore_uniform 0.2"},
              [&] { other.Import("eve", population.Export("eve")); });
}

}  // namespace
}  // namespace manyarms
