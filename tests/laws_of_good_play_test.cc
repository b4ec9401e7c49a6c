#include <algorithm>
#include <functional>

#include "policy_laws.h"

namespace manyarms {
namespace {

// The ladder that lsh-theory has for ts and gloc-ts ends at a score of 1 for a
// unit direction: of arms longer than that, the first that reaches the top is
// played.
bool HasALadder(const Combination& c) {
  return Has<LshTheoryOptions>(c.search) && Draws(c.policy);
}

// How much is lost by a choice among 300 arms after 2,000 rewards.
class LawsOfGoodPlay : public PolicyLaws {
 protected:
  LawsOfGoodPlay() {
    Bandit bandit = MakeBandit();
    AddArms(bandit, 0, 300);
    for (ArmId id = 0; id < 300; ++id) best_ = std::max(best_, Mean(id));
    for (int t = 0; t < 2000; ++t) Step(bandit);
    for (int t = 0; t < 100; ++t) loss_ += (best_ - Mean(Step(bandit))) / 100;
  }

  double best_ = 0;
  double loss_ = 0;
};
class LawsOfLadders : public LawsOfGoodPlay {};

INSTANTIATE_TEST_SUITE_P(
    AllButLadders, LawsOfGoodPlay,
    ::testing::ValuesIn(CombinationsWhere(std::not_fn(HasALadder))), NameOf);
INSTANTIATE_TEST_SUITE_P(Ladders, LawsOfLadders,
                         ::testing::ValuesIn(CombinationsWhere(HasALadder)),
                         NameOf);

TEST_P(LawsOfGoodPlay, LearnsToPlayWell) {
  // Elimination stops to tell arms apart at 8 times its accuracy.
  EXPECT_LT(loss_, 0.2);
}

// Better than any arm, whose mean is 0, and no more is promised. (Within length
// 1 it is: TheoryMode, in reproduction/theory_test.cc.)
TEST_P(LawsOfLadders, PlaysBetterThanAtRandom) { EXPECT_LT(loss_, best_); }

}  // namespace
}  // namespace manyarms
