#include <vector>

#include "manyarms/evaluation.h"
#include "small_log.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::SmallLog;

// Chooses, compares and learns one by one.
ReplayResult SlowReplay(const BanditOptions& options, const SmallLog& log,
                        const std::vector<LoggedChoice>& choices) {
  Bandit bandit(options);
  bandit.Add(log.arms().ids, log.arms().features);
  ReplayResult result;
  std::vector<double> rewards;
  for (const LoggedChoice& choice : choices) {
    if (!choice.uniform) {
      ++result.passed_over;
      continue;
    }
    ++result.offered;
    const Decision decision = bandit.Choose({}, choice.context);
    if (decision.arm != choice.arm) continue;
    bandit.Learn(decision.id, choice.reward);
    rewards.push_back(choice.reward);
  }
  result.matches = rewards.size();
  result.reward = MeanReward(rewards);
  return result;
}

TEST(PolicyReplay, IsTheSlowOneForEveryPolicy) {
  const SmallLog log(1);
  const std::vector<LoggedChoice> choices = log.Choices(2000);
  for (const PolicyOptions& policy :
       {PolicyOptions(ThompsonOptions{}), PolicyOptions(UcbOptions{}),
        PolicyOptions(EliminationOptions{})}) {
    SCOPED_TRACE(PolicyName(policy));
    const BanditOptions options{.dim = SmallLog::kDim, .policy = policy};
    const ReplayResult result =
        Replay(choices, log.arms(), {.policy = options});
    EXPECT_EQ(result, SlowReplay(options, log, choices));
    EXPECT_EQ(result.offered, 1000U);
    EXPECT_EQ(result.passed_over, 1000U);
    // A uniform choice matches any policy with probability 1/8: 125 of 1,000
    // with a standard deviation of 10.5.
    EXPECT_NEAR(static_cast<double>(result.matches), 125, 42);
  }
}

TEST(PolicyReplay, TakesContexts) {
  const SmallLog log(2, 2);
  const std::vector<LoggedChoice> choices = log.Choices(500);
  const BanditOptions options{.dim = SmallLog::kDim, .context_dim = 2};
  EXPECT_EQ(Replay(choices, log.arms(), {.policy = options}),
            SlowReplay(options, log, choices));
}

TEST(PolicyReplay, OfAPopulationIsThatOfItsLearner) {
  const SmallLog log(3);
  const std::vector<LoggedChoice> choices = log.Choices(500);
  const PopulationOptions options{.dim = SmallLog::kDim};
  EXPECT_EQ(Replay(choices, log.arms(), {.policy = options}),
            SlowReplay(Population(options).LoneOptions(std::uint64_t{0}), log,
                       choices));
}

// A policy that learns must be better than chance, and one that explores
// without end (its draws drown all it knows) is as good as chance. The gap is
// more than ten standard errors of either.
TEST(PolicyReplay, TellsLearningFromChance) {
  const SmallLog log(4);
  const std::vector<LoggedChoice> choices = log.Choices(8000);
  const ReplayResult learns = Replay(
      choices, log.arms(), {.policy = BanditOptions{.dim = SmallLog::kDim}});
  const ReplayResult guesses =
      Replay(choices, log.arms(),
             {.policy = BanditOptions{.dim = SmallLog::kDim,
                                      .policy = ThompsonOptions{1e6}}});
  EXPECT_GT(learns.reward.low, guesses.reward.high + 0.5);
  double best = log.Mean(0);
  for (ArmId arm = 1; arm < SmallLog::kArms; ++arm) {
    best = std::max(best, log.Mean(arm));
  }
  EXPECT_LT(learns.reward.low, best);
  EXPECT_GT(learns.reward.high, 0.8 * best);
}

TEST(PolicyReplay, NeedsTwoMatches) {
  const SmallLog log(5);
  std::vector<LoggedChoice> choices = log.Choices(100);
  for (LoggedChoice& choice : choices) choice.uniform = false;
  ExpectError(ErrorCode::kInvalidArgument,
              {"agreed with 0 of 0 uniform choices", "at least 2"}, [&] {
                Replay(choices, log.arms(),
                       {.policy = BanditOptions{.dim = SmallLog::kDim}});
              });
}

TEST(PolicyReplay, LeavesOutAndCountsChoicesAmongFewerArms) {
  const SmallLog log(6);
  const ReplayOptions options{.policy = BanditOptions{.dim = SmallLog::kDim}};
  const std::vector<LoggedChoice> choices = log.Choices(400);
  std::vector<LoggedChoice> mixed;
  for (const LoggedChoice& choice : choices) {
    mixed.push_back(choice);
    LoggedChoice restricted = choice;
    restricted.eligible = 5;
    restricted.uniform = true;
    restricted.reward = 1000;
    mixed.push_back(restricted);
  }
  ReplayResult result = Replay(mixed, log.arms(), options);
  EXPECT_EQ(result.restricted, 400U);
  result.restricted = 0;
  EXPECT_EQ(result, Replay(choices, log.arms(), options));
}

TEST(PolicyReplay, NamesTheLineOfAChoiceThatItCannotUse) {
  const SmallLog log(6);
  const BanditOptions options{.dim = SmallLog::kDim};
  PolicyReplay replay({.policy = options});
  replay.Add(log.arms().ids, log.arms().features);
  const std::vector<LoggedChoice> choices = log.Choices(200);
  for (const LoggedChoice& choice : choices) replay.Offer(choice);
  const ReplayResult before = replay.Result();
  LoggedChoice odd = choices.front();
  odd.line = 41;
  odd.eligible = 9;
  ExpectError(ErrorCode::kInvalidArgument,
              {"line 41: 9 arms were eligible, and there are 8"},
              [&] { replay.Offer(odd); });
  odd.eligible = 8;
  odd.arm = 12;
  ExpectError(ErrorCode::kUnknownId, {"line 41: there is no arm 12"},
              [&] { replay.Offer(odd); });
  odd.features.pop_back();
  ExpectError(ErrorCode::kInvalidArgument, {"line 41: 2 features given"},
              [&] { replay.Observe(odd); });
  EXPECT_EQ(replay.Result(), before);
  ExpectError(ErrorCode::kInvalidArgument, {"level is 0"},
              [&] { PolicyReplay({.policy = options, .level = 0}); });
}

}  // namespace
}  // namespace manyarms
