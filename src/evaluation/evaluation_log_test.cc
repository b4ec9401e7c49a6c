#include "manyarms/evaluation_log.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "manyarms/choice_reader.h"
#include "manyarms/log.h"
#include "small_log.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::SmallLog;

// The choices as a log that says which arms there are. Each reward comes three
// decisions later.
std::string TextOf(const SmallLog& log,
                   const std::vector<LoggedChoice>& choices, bool with_arms,
                   bool with_names = false) {
  const auto arm = [with_names](ArmId id) {
    return with_names ? LoggedArm("arm " + std::to_string(id)) : LoggedArm(id);
  };
  std::ostringstream text;
  LogWriter writer(text, {.dim = SmallLog::kDim});
  for (ArmId id = 0; with_arms && id < SmallLog::kArms; ++id) {
    writer.Write(LoggedArmChange{
        .arm = arm(id), .features = log.Features(id), .time = {}});
  }
  for (std::size_t i = 0; i < choices.size() + 3; ++i) {
    if (i < choices.size()) {
      LoggedDecision decision;
      decision.id = i + 1;
      decision.arm = arm(choices[i].arm);
      decision.features = choices[i].features;
      decision.eligible = choices[i].eligible;
      decision.uniform = choices[i].uniform;
      decision.probability = choices[i].probability;
      writer.Write(decision);
    }
    if (i >= 3) {
      LoggedReward reward;
      reward.decision = i - 2;
      reward.reward = choices[i - 3].reward;
      writer.Write(reward);
    }
  }
  writer.Flush();
  return text.str();
}

EvaluationLog Read(const std::string& text,
                   const ReadChoicesOptions& options = {}) {
  std::istringstream in(text);
  return ReadEvaluationLog(in, options);
}

BanditOptions Ucb() { return {.dim = SmallLog::kDim, .policy = UcbOptions{}}; }

TEST(EvaluationLog, GivesWhatItsChoicesGive) {
  const SmallLog world(1);
  const std::vector<LoggedChoice> choices = world.Choices(400);
  const EvaluationOptions options{.policy = Ucb()};
  const Evaluation result = Evaluate(choices, world.arms(), options, 0.3);
  const ReplayResult replayed =
      Replay(choices, world.arms(), {.policy = Ucb()});
  for (const bool with_names : {false, true}) {
    const EvaluationLog log = Read(TextOf(world, choices, true, with_names));
    EXPECT_EQ(log.choices, 400U);
    EXPECT_EQ(log.uniform, 200U);
    EXPECT_EQ(log.changes, SmallLog::kArms);
    EXPECT_EQ(log.names.size(), with_names ? SmallLog::kArms : 0);
    EXPECT_EQ(Evaluate(log, FixedArms{}, options, 0.3), result);
    EXPECT_EQ(Replay(log, FixedArms{}, {.policy = Ucb()}), replayed);
  }
  const EvaluationLog bare = Read(TextOf(world, choices, false));
  EXPECT_EQ(Evaluate(bare, world.arms(), options, 0.3), result);
}

// Choices with a reward above 0 get it many decisions later, and the others
// never: clicks come late, and what was not clicked says nothing.
std::string TextOfClicks(const SmallLog& world,
                         const std::vector<LoggedChoice>& choices) {
  std::ostringstream text;
  LogWriter writer(text, {.dim = SmallLog::kDim});
  for (std::size_t i = 0; i < choices.size(); ++i) {
    LoggedDecision decision;
    decision.id = i + 1;
    decision.arm = choices[i].arm;
    decision.features = world.Features(choices[i].arm);
    decision.eligible = choices[i].eligible;
    decision.uniform = choices[i].uniform;
    decision.probability = choices[i].probability;
    writer.Write(decision);
  }
  for (std::size_t i = choices.size(); i-- > 0;) {
    if (choices[i].reward <= 0) continue;
    LoggedReward reward;
    reward.decision = i + 1;
    reward.reward = 1;
    writer.Write(reward);
  }
  writer.Flush();
  return text.str();
}

TEST(EvaluationLog, GivesTheSameAsChoicesInTheOrderOfTheirRewards) {
  const SmallLog world(6);
  const std::string text = TextOfClicks(world, world.Choices(400));
  const BanditOptions ts{.dim = SmallLog::kDim};
  const EvaluationOptions options{.policy = ts, .draws = 20};
  for (const std::optional<double> fallback :
       {std::optional<double>(), std::optional<double>(0)}) {
    SCOPED_TRACE(fallback.has_value());
    const EvaluationLog log = Read(text, {.default_reward = fallback});
    std::istringstream in(text);
    const std::vector<LoggedChoice> choices =
        ReadChoices(in, {.default_reward = fallback}).choices;
    ASSERT_EQ(choices.size(), log.choices);
    ASSERT_FALSE(std::ranges::is_sorted(choices, {}, &LoggedChoice::line));
    EXPECT_EQ(Evaluate(choices, world.arms(), options),
              Evaluate(log, world.arms(), options));
    EXPECT_EQ(Replay(choices, world.arms(), {.policy = ts}),
              Replay(log, world.arms(), {.policy = ts}));
  }
}

// Choices without lines are in the order given, whoever made them.
TEST(EvaluationLog, LeavesChoicesWithoutLinesInTheirOrder) {
  const SmallLog world(7);
  std::vector<LoggedChoice> choices = world.Choices(200);
  const Evaluation sorted = Evaluate(choices, world.arms(), {.policy = Ucb()});
  std::vector<LoggedChoice> reversed(choices.rbegin(), choices.rend());
  EXPECT_EQ(Evaluate(reversed, world.arms(), {.policy = Ucb()}), sorted);
  reversed.back().line = 0;
  const Evaluation other = Evaluate(reversed, world.arms(), {.policy = Ucb()});
  EXPECT_NE(other, sorted);
  for (LoggedChoice& choice : reversed) choice.line = 0;
  EXPECT_EQ(Evaluate(reversed, world.arms(), {.policy = Ucb()}), other);
  for (LoggedChoice& choice : choices) choice.line = 5;
  EXPECT_EQ(Evaluate(choices, world.arms(), {.policy = Ucb()}), sorted);
}

// An arm that goes between a decision and its reward was there when the
// decision was made.
TEST(EvaluationLog, HasChoicesWhereTheyWereMade) {
  const SmallLog world(2);
  const std::vector<LoggedChoice> choices = world.Choices(400);
  std::string text = TextOf(world, choices, true);
  text += R"({"event":"decision","id":9001,"arm":0,"features":[)";
  for (const float value : world.Features(0)) {
    text +=
        std::to_string(value) + (value == world.Features(0).back() ? "" : ",");
  }
  text += R"(],"score":0,"eligible":8,"probability":0.125,"uniform":true})";
  text += "\n{\"event\":\"arm removed\",\"arm\":0}\n";
  const std::string reward =
      "{\"event\":\"reward\",\"decision\":9001,\"reward\":0.5}\n";
  const Evaluation result =
      Evaluate(Read(text + reward), FixedArms{}, {.policy = Ucb()});
  EXPECT_EQ(result.learned + result.evaluated, 401U);
  // Without a reward it is left out, or has the default.
  const EvaluationLog without = Read(text);
  EXPECT_EQ(without.choices, 400U);
  EXPECT_EQ(without.without_reward, 1U);
  EXPECT_EQ(Evaluate(Read(text, {.default_reward = 0.5}), FixedArms{},
                     {.policy = Ucb()}),
            result);
}

TEST(EvaluationLog, FollowsChangesOfArms) {
  const SmallLog world(3);
  const std::vector<LoggedChoice> choices = world.Choices(400);
  const std::string text = TextOf(world, choices, true);
  // Nobody chooses from the arms after this, so it changes nothing...
  const Evaluation before =
      Evaluate(Read(text), FixedArms{}, {.policy = Ucb()});
  const std::string ninth =
      "{\"event\":\"arm\",\"arm\":77,\"features\":[9,9,9]}\n";
  EXPECT_EQ(Evaluate(Read(text + ninth), FixedArms{}, {.policy = Ucb()}),
            before);
  // ... but there it does: 8 arms were eligible, and 9 are there, so that no
  // choice was among all of them.
  const std::size_t first = text.find(R"({"event":"decision")");
  std::string early = text;
  early.insert(first, ninth);
  ExpectError(
      ErrorCode::kInvalidArgument, {"all 400 choices", "some of the arms only"},
      [&] { Evaluate(Read(early), FixedArms{}, {.policy = Ucb()}, 0); });
  // Updated at once to what it was, and removed again.
  early.insert(first + ninth.size(),
               "{\"event\":\"arm\",\"arm\":77,\"features\":[1,2,3]}\n"
               "{\"event\":\"arm removed\",\"arm\":77}\n");
  EXPECT_EQ(Evaluate(Read(early), FixedArms{}, {.policy = Ucb()}), before);
  // What is not there cannot go.
  early.insert(first, "{\"event\":\"arm removed\",\"arm\":78}\n");
  ExpectError(ErrorCode::kUnknownId, {"line 10: ", "78"},
              [&] { Evaluate(Read(early), FixedArms{}, {.policy = Ucb()}); });
}

TEST(EvaluationLog, LearnsObservationsAmongWhatIsLearned) {
  const SmallLog world(4);
  const std::vector<LoggedChoice> choices = world.Choices(400);
  const std::string text = TextOf(world, choices, true);
  const std::string strong =
      "{\"event\":\"observation\",\"features\":[0,0,1],\"reward\":1000}\n";
  const Evaluation before =
      Evaluate(Read(text), FixedArms{}, {.policy = Ucb()});
  EXPECT_EQ(Evaluate(Read(text + strong), FixedArms{}, {.policy = Ucb()}),
            before);
  std::string early = text;
  early.insert(text.find(R"({"event":"decision")"), strong);
  const Evaluation after =
      Evaluate(Read(early), FixedArms{}, {.policy = Ucb()});
  EXPECT_GT(std::abs(after.direct.value - before.direct.value), 1);
}

// A bandit that learns from the same rewards, and is asked about the uniform
// choices in between.
TEST(EvaluationLog, ReplaysObservationsWhereTheyStand) {
  const SmallLog world(4);
  const std::vector<LoggedChoice> choices = world.Choices(400);
  std::string text = TextOf(world, choices, true);
  const std::string strong =
      "{\"event\":\"observation\",\"features\":[0,0,1],\"reward\":1000}\n";
  const std::size_t middle = text.find(R"({"event":"decision","id":201)");
  ASSERT_NE(middle, std::string::npos);
  text.insert(middle, strong);

  for (const PolicyOptions& policy :
       {PolicyOptions(UcbOptions{}), PolicyOptions(EliminationOptions{})}) {
    SCOPED_TRACE(PolicyName(policy));
    const BanditOptions options{.dim = SmallLog::kDim, .policy = policy};
    Bandit bandit(options);
    bandit.Add(world.arms().ids, world.arms().features);
    std::vector<double> rewards;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (i == 200) bandit.Observe(std::vector<float>{0, 0, 1}, 1000);
      if (!choices[i].uniform) continue;
      const Decision decision = bandit.Choose();
      if (decision.arm != choices[i].arm) continue;
      bandit.Learn(decision.id, choices[i].reward);
      rewards.push_back(choices[i].reward);
    }
    const ReplayResult result =
        Replay(Read(text), FixedArms{}, {.policy = options});
    EXPECT_EQ(result.matches, rewards.size());
    EXPECT_EQ(result.reward, MeanReward(rewards));
    EXPECT_NE(result, Replay(choices, world.arms(), {.policy = options}));
  }
}

TEST(EvaluationLog, SaysWhichFileAndArmAnErrorIsOf) {
  const SmallLog world(8);
  const std::string text = TextOf(world, world.Choices(40), true, true);
  std::string gone = text;
  gone.insert(text.find('\n') + 1,
              "{\"event\":\"arm removed\",\"arm\":\"red\"}\n");
  ExpectError(ErrorCode::kUnknownId, {"line 2: there is no arm 'red'"},
              [&] { Evaluate(Read(gone), FixedArms{}, {.policy = Ucb()}); });
  EvaluationLog log = Read(gone);
  log.path = "shop.jsonl";
  ExpectError(ErrorCode::kUnknownId,
              {"shop.jsonl: line 2: there is no arm 'red'"},
              [&] { Replay(log, FixedArms{}, {.policy = Ucb()}); });
  // What is of the log as a whole.
  EvaluationLog none = Read(text.substr(0, text.find(R"({"event":"dec)")));
  none.path = "shop.jsonl";
  ExpectError(ErrorCode::kInvalidArgument,
              {"shop.jsonl: 0 logged choices given"},
              [&] { Evaluate(none, FixedArms{}, {.policy = Ucb()}); });
}

TEST(EvaluationLog, NeedsTheNumberOfEligibleArms) {
  const SmallLog world(5);
  std::vector<LoggedChoice> choices = world.Choices(40);
  choices[30].eligible = 0;
  ExpectError(ErrorCode::kInvalidArgument,
              {"line ", "does not say how many arms were eligible"}, [&] {
                Evaluate(Read(TextOf(world, choices, true)), FixedArms{},
                         {.policy = Ucb()});
              });
}

}  // namespace
}  // namespace manyarms
