#include <set>

#include "policy_laws.h"

namespace manyarms {
namespace {

class LawsOfElimination : public PolicyLaws {};

INSTANTIATE_TEST_SUITE_P(
    EverySearch, LawsOfElimination,
    ::testing::ValuesIn(CombinationsWhere([](const Combination& c) {
      return Has<EliminationOptions>(c.policy);
    })),
    NameOf);

// Equal arms are never told apart. When their stages are used up, one of them
// is picked at random each time.
TEST_P(LawsOfElimination, PicksByItsSeedWhatItCannotTellApart) {
  const auto picks = [&](std::uint64_t seed) {
    Bandit bandit = MakeBandit(seed);
    for (ArmId id = 0; id < 50; ++id) bandit.Add(id, Row(1));
    for (int t = 0; t < 3000; ++t) bandit.Observe(Row(1), 1);
    std::vector<ArmId> chosen;
    for (int t = 0; t < 100; ++t) {
      const Decision decision = bandit.Choose();
      chosen.push_back(decision.arm);
      bandit.Learn(decision, 1);
    }
    return chosen;
  };
  const std::vector<ArmId> first = picks(1);
  EXPECT_EQ(first, picks(1));
  EXPECT_NE(first, picks(2));
  // 100 picks of 50 arms miss 6.6 of them on average.
  EXPECT_GT(std::set<ArmId>(first.begin(), first.end()).size(), 30U);
}

}  // namespace
}  // namespace manyarms
