#include "policy_laws.h"

namespace manyarms {
namespace {

// For ts and ucb with any search but lsh-theory. Elimination goes by intervals
// where several arms are asked for, not by stages, and lsh-theory chooses an
// arm that is good enough.
class LawsOfSlates : public PolicyLaws {};

INSTANTIATE_TEST_SUITE_P(
    SomePoliciesAndSearches, LawsOfSlates,
    ::testing::ValuesIn(CombinationsWhere([](const Combination& c) {
      return !Has<EliminationOptions>(c.policy) &&
             !Has<LshTheoryOptions>(c.search);
    })),
    NameOf);

// A policy's choice among all arms, however it is asked for.
TEST_P(LawsOfSlates, TheFirstOfTheBestIsTheChoice) {
  Bandit one = MakeBandit();
  Bandit best = MakeBandit();
  AddArms(one, 0, 400);
  AddArms(best, 0, 400);
  int same = 0;
  for (int t = 0; t < 100; ++t) {
    const Decision choice = one.Choose();
    const std::vector<Decision> top = best.ChooseBest(5);
    ASSERT_EQ(top.size(), 5U);
    for (std::size_t i = 1; i < top.size(); ++i) {
      EXPECT_LE(top[i].score, top[i - 1].score);
      EXPECT_EQ(top[i].id, top[i - 1].id + 1);
    }
    same += top.front().arm == choice.arm ? 1 : 0;
    one.Learn(choice, Mean(choice.arm));
    best.Observe(choice.arm, Mean(choice.arm));
  }
  // Trees may miss where the scan for several arms does not.
  const bool exact = !Has<LshOptions>(GetParam().search);
  EXPECT_GE(same, exact ? 100 : 80);
}

}  // namespace
}  // namespace manyarms
