// What must hold for populations with every policy and search that serve them:
// with learners that know nothing of each other, with a shared prior, with
// contexts, and with clicks that are forgotten.

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <sstream>

#include "bandit/model.h"
#include "manyarms/population.h"
#include "policy_laws.h"
#include "posterior/logistic.h"
#include "search/kinds.h"

namespace manyarms {
namespace {

enum class Kind { kIndependent, kSharedPrior, kContexts, kFadingClicks };

struct PopulationCase {
  Combination combination;
  Kind kind;

  friend std::ostream& operator<<(std::ostream& out, const PopulationCase& c) {
    return out << c.combination;
  }
};

std::vector<PopulationCase> Cases() {
  std::vector<PopulationCase> cases;
  for (const Combination& combination :
       CombinationsWhere([](const Combination& c) {
         return !Has<EliminationOptions>(c.policy);
       })) {
    cases.push_back({combination, Kind::kIndependent});
    cases.push_back({combination, Kind::kContexts});
    if (!ExploresByTheory(combination.policy)) {
      cases.push_back({combination, Kind::kSharedPrior});
      cases.push_back({combination, Kind::kFadingClicks});
    }
  }
  return cases;
}

std::string CaseName(const ::testing::TestParamInfo<PopulationCase>& c) {
  constexpr const char* kNames[] = {"", "SharedPrior", "Contexts",
                                    "FadingClicks"};
  return c.param.combination.name +
         kNames[static_cast<std::size_t>(c.param.kind)];
}

// Learners are numbers from 0 on; each has a taste of its own.
class PopulationLaws : public ::testing::TestWithParam<PopulationCase> {
 protected:
  static PopulationOptions Options(std::uint64_t seed = 1) {
    PopulationOptions options{.dim = kDim,
                              .policy = GetParam().combination.policy,
                              .search = GetParam().combination.search,
                              .seed = seed};
    if (GetParam().kind == Kind::kContexts) options.context_dim = 2;
    if (GetParam().kind == Kind::kSharedPrior) options.prior = SharedPrior{};
    if (GetParam().kind == Kind::kFadingClicks) {
      options.rewards = RewardModel::kClicks;
      options.forgetting = 0.98;
    }
    return options;
  }

  static std::vector<float> ContextAt(std::uint64_t step) {
    if (GetParam().kind != Kind::kContexts) return {};
    return {static_cast<float>(step % 3) - 1, static_cast<float>(step % 2)};
  }

  static std::vector<float> Row(ArmId arm) {
    std::vector<float> row(kDim);
    RandomStream(3, RandomStream::Role::kArm, arm).Gaussians(row);
    return row;
  }

  static double Reward(std::uint64_t learner, ArmId arm) {
    const std::vector<float> row = Row(arm);
    double sum = 0;
    for (const float value : row) sum += value;
    sum += row[learner % kDim];
    return GetParam().kind == Kind::kFadingClicks ? Sigmoid(sum) : sum;
  }

  static void AddArms(Population& population, ArmId first, ArmId last) {
    for (ArmId id = first; id < last; ++id) population.Add(id, Row(id));
  }

  static ArmId Step(Population& population, std::uint64_t step) {
    const std::uint64_t learner = step % 7;
    const Decision decision = population.Choose(learner, {}, ContextAt(step));
    EXPECT_TRUE(std::isfinite(decision.score));
    population.Learn(learner, decision.id, Reward(learner, decision.arm));
    return decision.arm;
  }
};

TEST_P(PopulationLaws, SameSeedSameDecisions) {
  const auto decisions = [](std::uint64_t seed) {
    Population population(Options(seed));
    AddArms(population, 0, 100);
    std::vector<ArmId> chosen;
    for (std::uint64_t t = 0; t < 200; ++t) {
      if (t % 30 == 29) AddArms(population, 1000 + t, 1002 + t);
      chosen.push_back(Step(population, t));
    }
    return chosen;
  };
  const std::vector<ArmId> first = decisions(1);
  EXPECT_EQ(first, decisions(1));
  if (Has<ThompsonOptions>(GetParam().combination.policy)) {
    EXPECT_NE(first, decisions(2));
  } else {
    EXPECT_EQ(first, decisions(2));  // ucb draws nothing
  }
}

TEST_P(PopulationLaws, ChoosesEligibleArmsOnly) {
  Population population(Options());
  AddArms(population, 0, 300);
  for (ArmId t = 0; t < 40; ++t) {
    const std::vector<ArmId> ids = {t, t + 100, t + 200};
    const Decision few = population.Choose(t % 3, ids, ContextAt(t));
    EXPECT_TRUE(std::ranges::count(ids, few.arm) > 0);
    population.Learn(t % 3, few.id, Reward(t % 3, few.arm));

    const std::vector<ArmId> all = population.Ids();
    const auto mask = std::make_unique<bool[]>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) mask[i] = all[i] % 3 == t % 3;
    const std::vector<Decision> many = population.ChooseBest(
        t % 3, 200, std::span<const bool>(mask.get(), all.size()),
        ContextAt(t));
    EXPECT_EQ(many.size(), 100U);
    std::set<ArmId> distinct;
    for (const Decision& decision : many) {
      EXPECT_EQ(decision.arm % 3, t % 3);
      distinct.insert(decision.arm);
      population.Dismiss(t % 3, decision.id);
    }
    EXPECT_EQ(distinct.size(), many.size());
  }
}

TEST_P(PopulationLaws, GoesOnAfterLoadingAsItWouldHaveWithout) {
  Population population(Options());
  AddArms(population, 0, 100);
  for (std::uint64_t t = 0; t < 150; ++t) Step(population, t);
  population.Remove(5);
  std::stringstream file;
  population.Save(file);
  Population loaded = Population::Load(file);
  EXPECT_EQ(loaded.options(), population.options());
  for (std::uint64_t t = 150; t < 300; ++t) {
    const ArmId expected = Step(population, t);
    const ArmId chosen = Step(loaded, t);
    if (IsExact(GetParam().combination.search)) {
      ASSERT_EQ(chosen, expected) << t;
    }
  }
}

TEST_P(PopulationLaws, NeverChoosesARemovedArm) {
  Population population(Options());
  AddArms(population, 0, 150);
  std::set<ArmId> removed;
  for (std::uint64_t t = 0; t < 149; ++t) {
    const ArmId chosen = Step(population, t);
    ASSERT_FALSE(removed.contains(chosen));
    population.Remove(chosen);
    removed.insert(chosen);
  }
  EXPECT_EQ(population.size(), 1U);
  EXPECT_FALSE(removed.contains(Step(population, 149)));
}

TEST_P(PopulationLaws, PlaysTheOnlyArm) {
  Population population(Options());
  population.Add(42, Row(1));
  for (std::uint64_t t = 0; t < 30; ++t) {
    ASSERT_EQ(Step(population, t), 42U);
    population.Observe(t % 5, ArmId{42}, 0.0, ContextAt(t));
  }
}

TEST_P(PopulationLaws, BearsZeroVectorsAndEqualArms) {
  Population population(Options());
  for (ArmId id = 0; id < 50; ++id) {
    population.Add(id, std::vector<float>(kDim, id % 2 == 0 ? 0.0F : 1.0F));
  }
  for (std::uint64_t t = 0; t < 100; ++t) {
    const Decision decision = population.Choose(t % 4, {}, ContextAt(t));
    // Of equal arms an exact search finds the one with the smallest id.
    ASSERT_LT(decision.arm, IsExact(GetParam().combination.search) ? 2U : 50U);
    ASSERT_TRUE(std::isfinite(decision.score));
    population.Learn(t % 4, decision.id, decision.arm % 2 == 1 ? 1 : 0);
  }
}

TEST_P(PopulationLaws, CanBeEmptiedAndFilledAgain) {
  Population population(Options());
  for (ArmId round = 0; round < 3; ++round) {
    AddArms(population, 100 * round, 100 * round + 40);
    for (std::uint64_t t = 0; t < 40; ++t) Step(population, t);
    for (ArmId id = 100 * round; id < 100 * round + 40; ++id) {
      population.Remove(id);
    }
    EXPECT_EQ(population.size(), 0U);
    EXPECT_THROW(population.Choose(1, {}, ContextAt(0)), Error);
  }
}

TEST_P(PopulationLaws, TakesNoMoreMemoryHoweverManyLearnersAndArmsCameAndWent) {
  Population population(Options());
  AddArms(population, 0, 200);
  ArmId next = 200;
  const auto churn = [&](int rounds) {
    for (int round = 0; round < rounds; ++round, ++next) {
      population.Remove(next - 200);
      population.Add(next, Row(next));
      const Decision decision = population.Choose(next, {}, ContextAt(next));
      population.Learn(next, decision.id, Reward(next, decision.arm));
      if (next >= 250) population.Forget(next - 50);
    }
  };
  churn(1500);
  const std::size_t before = HeapBytes();
  churn(3000);
  // 3,000 learners forgotten would take 3,000 times 300 bytes at least.
  EXPECT_LT(HeapBytes(), before + 500'000);
}

INSTANTIATE_TEST_SUITE_P(EveryPolicyAndSearch, PopulationLaws,
                         ::testing::ValuesIn(Cases()), CaseName);

}  // namespace
}  // namespace manyarms
