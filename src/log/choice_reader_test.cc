#include "manyarms/choice_reader.h"

#include <map>
#include <sstream>

#include "log/event_text.h"
#include "manyarms/bandit.h"
#include "manyarms/population.h"
#include "random_events.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

// A log of a population in which learners decide and get rewards in a random
// order, with other events in between, and what a slow reader makes of it.
struct RandomLog {
  explicit RandomLog(std::uint64_t seed) {
    RandomStream random(seed, RandomStream::Role::kVisit, 0);
    testing::RandomEvents events(header, false, seed);
    LogWriter writer(text, header);
    std::vector<LoggedDecision> made;
    std::map<std::pair<LearnerKey, DecisionId>, std::uint64_t> lines;
    std::uint64_t line = 1;
    for (int i = 0; i < 400; ++i) {
      ++line;
      if (random.Below(8) == 0) {
        writer.Write(LoggedArmChange{.arm = random.Bits(), .removed = true});
      } else if (made.empty() || random.Below(2) == 0) {
        LoggedDecision decision = events.Decision();
        decision.learner = random.Below(2) == 0
                               ? LearnerKey(random.Below(3))
                               : LearnerKey(random.Below(2) == 0 ? "0" : "1");
        decision.id = random.Below(300);
        if (!lines.emplace(std::pair(*decision.learner, decision.id), line)
                 .second) {
          --line;
          continue;
        }
        writer.Write(decision);
        made.push_back(decision);
      } else {
        const std::size_t which = random.Below(made.size());
        const LoggedDecision decision = made[which];
        made.erase(made.begin() + static_cast<std::ptrdiff_t>(which));
        const double reward = random.Uniform();
        writer.Write(LoggedReward{decision.id, decision.learner, reward, {}});
        expected.push_back(
            {lines.at({*decision.learner, decision.id}), decision, reward});
      }
    }
    for (const LoggedDecision& decision : made) {
      expected.push_back(
          {lines.at({*decision.learner, decision.id}), decision, {}});
      ++without_reward;
    }
  }

  LogHeader header = {.population = true, .dim = 2, .context_dim = 1};
  std::stringstream text;
  std::vector<JoinedChoice> expected;
  std::uint64_t without_reward = 0;
};

TEST(ChoiceReader, JoinsDecisionsWithTheirRewards) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomLog log(seed);
    ChoiceReader reader{LogReader(log.text)};
    JoinedChoice choice;
    for (const JoinedChoice& expected : log.expected) {
      ASSERT_TRUE(reader.Next(choice));
      EXPECT_EQ(choice.line, expected.line);
      EXPECT_EQ(choice.decision, expected.decision);
      EXPECT_EQ(choice.reward, expected.reward);
    }
    EXPECT_FALSE(reader.Next(choice));
    EXPECT_FALSE(reader.Next(choice));
  }
}

TEST(ReadChoices, LeavesOutOrGivesADefault) {
  RandomLog log(1);
  ASSERT_GT(log.without_reward, 0);
  const std::string text = log.text.str();
  for (const std::optional<double> fallback :
       {std::optional<double>(), std::optional(-0.5)}) {
    std::istringstream in(text);
    const LoggedChoices read = ReadChoices(in, {.default_reward = fallback});
    EXPECT_EQ(read.header, log.header);
    EXPECT_EQ(read.without_reward, log.without_reward);
    EXPECT_EQ(read.choices.size(),
              log.expected.size() - (fallback ? 0 : log.without_reward));
    for (std::size_t i = 0; i < read.choices.size(); ++i) {
      const LoggedChoice& choice = read.choices[i];
      const JoinedChoice& expected = log.expected[i];
      EXPECT_EQ(choice.line, expected.line);
      EXPECT_EQ(choice.learner, expected.decision.learner);
      EXPECT_EQ(choice.arm, std::get<ArmId>(expected.decision.arm));
      EXPECT_EQ(choice.features, expected.decision.features);
      EXPECT_EQ(choice.context, expected.decision.context);
      EXPECT_EQ(choice.eligible, expected.decision.eligible);
      EXPECT_EQ(choice.uniform, expected.decision.uniform);
      EXPECT_EQ(choice.probability, expected.decision.probability);
      EXPECT_EQ(choice.reward, expected.reward ? *expected.reward : -0.5);
    }
  }
  std::istringstream in(text);
  ExpectError(ErrorCode::kInvalidArgument, {"reward is inf"}, [&] {
    ReadChoices(in,
                {.default_reward = std::numeric_limits<double>::infinity()});
  });
}

TEST(ReadChoices, GivesNumbersToNames) {
  std::stringstream text;
  LogWriter writer(text, {.dim = 1});
  for (const DecisionId id : {1U, 2U, 3U}) {
    writer.Write(
        LoggedDecision{.id = id, .arm = id == 2 ? "b" : "a", .features = {1}});
    writer.Write(LoggedReward{.decision = id, .reward = 1});
  }
  const LoggedChoices read = ReadChoices(text);
  ASSERT_EQ(read.choices.size(), 3);
  EXPECT_EQ(read.names.Name(read.choices[0].arm), "a");
  EXPECT_EQ(read.names.Name(read.choices[1].arm), "b");
  EXPECT_EQ(read.choices[2].arm, read.choices[0].arm);
}

// LogWriter does not write such logs, but others do.
void ExpectCorrupt(const std::vector<LogEvent>& events, const LogHeader& header,
                   const std::vector<std::string>& parts) {
  std::string lines;
  AppendHeader(header, lines);
  for (const LogEvent& event : events) {
    lines += '\n';
    AppendEvent(event, lines);
  }
  std::istringstream text(lines + '\n');
  ExpectError(ErrorCode::kCorrupt, parts, [&] { ReadChoices(text); });
}

TEST(ReadChoices, RefusesRewardsWithoutADecision) {
  const LogHeader header = {.dim = 1};
  const LoggedDecision decision = {.id = 5, .arm = ArmId{1}, .features = {1}};
  const LoggedReward reward = {.decision = 5, .reward = 1};
  ExpectCorrupt({reward}, header, {"line 2:", "no decision 5"});
  ExpectCorrupt({reward, decision}, header, {"line 2:", "no decision 5"});
  ExpectCorrupt({decision, LoggedReward{.decision = 4}}, header,
                {"line 3:", "no decision 4"});
  ExpectCorrupt({decision, reward, reward}, header,
                {"line 4:", "decision 5 has a reward already"});
  ExpectCorrupt({decision, decision}, header,
                {"line 3:", "decision 5 is there twice"});
  ExpectCorrupt({decision, reward, decision}, header,
                {"line 4:", "decision 5 is there twice"});
}

TEST(ReadChoices, RefusesTheRewardOfAnothersDecision) {
  const LogHeader header = {.population = true, .dim = 1};
  ExpectCorrupt(
      {LoggedDecision{.id = 5, .learner = 1, .arm = ArmId{1}, .features = {1}},
       LoggedReward{.decision = 5, .learner = "1", .reward = 1}},
      header, {"line 3:", "no decision 5"});
}

// What a bandit did can be done again from its log alone.
TEST(ReadChoices, HaveWhatABanditLearned) {
  BanditOptions options{.dim = 4, .search = ScanOptions{}, .context_dim = 2};
  Bandit bandit(options);
  bandit.Add(testing::FirstIds(50), testing::GaussianRows(50, 4, 1));
  std::stringstream text;
  LogWriter writer(text, LogHeader::Of(options));
  RandomStream random(1, RandomStream::Role::kNoise, 0);
  for (int i = 0; i < 100; ++i) {
    const std::vector<float> context = {static_cast<float>(random.Uniform()),
                                        static_cast<float>(random.Gaussian())};
    const Decision made = bandit.Choose({}, context);
    writer.Write(LoggedDecision{.id = made.id,
                                .arm = made.arm,
                                .features = bandit.Features({{made.arm}}),
                                .context = context,
                                .score = made.score,
                                .eligible = made.eligible,
                                .uniform = made.uniform});
    const double reward = random.Gaussian();
    bandit.Learn(made, reward);
    writer.Write(LoggedReward{.decision = made.id, .reward = reward});
  }
  Bandit again(options);
  for (const LoggedChoice& choice : ReadChoices(text).choices) {
    again.Observe(choice.features, choice.reward, choice.context);
  }
  EXPECT_EQ(again.Mean(), bandit.Mean());
}

}  // namespace
}  // namespace manyarms
