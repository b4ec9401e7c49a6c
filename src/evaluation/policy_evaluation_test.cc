#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "manyarms/evaluation.h"
#include "small_log.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::SmallLog;

BanditOptions Ts() { return {.dim = SmallLog::kDim, .seed = 5}; }

BanditOptions Ucb() {
  return {.dim = SmallLog::kDim, .policy = UcbOptions{}, .seed = 5};
}

// What an evaluation should come to, from a bandit that learns and draws one by
// one, and counts in a map.
class SlowEvaluation {
 public:
  void Add(const LoggedChoice& choice, double probability, Bandit& bandit,
           std::size_t draws) {
    std::map<ArmId, std::size_t> counts;
    for (std::size_t i = 0; i < draws; ++i) {
      ++counts[bandit.Choose({}, choice.context).arm];
    }
    const auto share = [&](ArmId arm) {
      return static_cast<double>(counts[arm]) / static_cast<double>(draws);
    };
    double expected = 0;
    for (ArmId arm = 0; arm < SmallLog::kArms; ++arm) {
      if (counts[arm] == 0) continue;  // or is not there any more
      expected +=
          share(arm) * bandit.Scores(std::span(&arm, 1), choice.context)[0];
    }
    rewards_.push_back(choice.reward);
    logged_.push_back(probability);
    target_.push_back(share(choice.arm));
    of_target_.push_back(expected);
    of_logged_.push_back(bandit.Predict(choice.features, choice.context));
  }

  void ExpectEqual(const Evaluation& result) const {
    const WeightedChoices choices{
        .rewards = rewards_, .logged = logged_, .target = target_};
    EXPECT_EQ(result.evaluated, rewards_.size());
    ExpectNear(result.logged, MeanReward(rewards_));
    ExpectNear(result.inverse_propensity, InversePropensity(choices));
    ExpectNear(result.self_normalised, SelfNormalised(choices));
    ExpectNear(result.doubly_robust,
               DoublyRobust(choices,
                            {.logged_arm = of_logged_, .target = of_target_}));
    ExpectNear(result.direct, DirectMethod(of_target_));
    EXPECT_NEAR(result.weights.effective_sample_size,
                SummariseWeights(choices).effective_sample_size, 1e-9);
  }

 private:
  static void ExpectNear(const Estimate& a, const Estimate& b) {
    EXPECT_NEAR(a.value, b.value, 1e-10);
    EXPECT_NEAR(a.standard_error, b.standard_error, 1e-10);
    EXPECT_NEAR(a.low, b.low, 1e-10);
    EXPECT_NEAR(a.high, b.high, 1e-10);
  }

  std::vector<double> rewards_;
  std::vector<double> logged_;
  std::vector<double> target_;
  std::vector<double> of_logged_;
  std::vector<double> of_target_;
};

Bandit WithArms(const BanditOptions& options, const SmallLog& log) {
  Bandit bandit(options);
  bandit.Add(log.arms().ids, log.arms().features);
  return bandit;
}

void ExpectSlowTwin(const BanditOptions& options, std::size_t draws) {
  const SmallLog log(3, options.context_dim);
  const std::vector<LoggedChoice> choices = log.Choices(300);
  const Evaluation result =
      Evaluate(choices, log.arms(), {.policy = options, .draws = draws}, 0.4);
  EXPECT_EQ(result.learned, 120U);
  EXPECT_EQ(result.passed_over, 0U);

  Bandit bandit = WithArms(options, log);
  SlowEvaluation slow;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const LoggedChoice& choice = choices[i];
    if (i < 120) {
      bandit.Observe(choice.features, choice.reward, choice.context);
    } else {
      slow.Add(choice, *choice.probability, bandit, draws);
    }
  }
  slow.ExpectEqual(result);
}

TEST(PolicyEvaluation, OfTsCountsItsDraws) { ExpectSlowTwin(Ts(), 50); }

TEST(PolicyEvaluation, OfUcbAsksOnce) { ExpectSlowTwin(Ucb(), 7); }

TEST(PolicyEvaluation, TakesContexts) {
  BanditOptions options = Ts();
  options.context_dim = 2;
  ExpectSlowTwin(options, 30);
}

TEST(PolicyEvaluation, TakesEveryWayOfLearning) {
  BanditOptions options = Ts();
  options.forgetting = 0.99;
  ExpectSlowTwin(options, 20);
  options.forgetting = 1;
  options.negative_rewards = true;
  ExpectSlowTwin(options, 20);
}

TEST(PolicyEvaluation, OfAPopulationAsksTheLearnerThatChose) {
  const SmallLog log(4);
  std::vector<LoggedChoice> choices = log.Choices(400);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    choices[i].learner = i % 3 == 0 ? LearnerKey("ada") : LearnerKey(7);
  }
  const PopulationOptions options{.dim = SmallLog::kDim, .seed = 9};
  const Evaluation result =
      Evaluate(choices, log.arms(), {.policy = options, .draws = 20});

  const Population population(options);
  Bandit ada = WithArms(population.LoneOptions("ada"), log);
  Bandit seven = WithArms(population.LoneOptions(7), log);
  SlowEvaluation slow;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Bandit& bandit = i % 3 == 0 ? ada : seven;
    if (i < 200) {
      bandit.Observe(choices[i].features, choices[i].reward);
    } else {
      slow.Add(choices[i], *choices[i].probability, bandit, 20);
    }
  }
  slow.ExpectEqual(result);
}

TEST(PolicyEvaluation, NeedsNoProbabilitiesOfUniformChoices) {
  const SmallLog log(5);
  std::vector<LoggedChoice> choices = log.Choices(200);
  const EvaluationOptions options{
      .policy = Ts(), .uniform_only = true, .draws = 10};
  const Evaluation with = Evaluate(choices, log.arms(), options);
  EXPECT_EQ(with.evaluated, 50U);
  EXPECT_EQ(with.passed_over, 50U);
  EXPECT_EQ(with.learned, 100U);
  for (LoggedChoice& choice : choices) choice.probability.reset();
  EXPECT_EQ(Evaluate(choices, log.arms(), options), with);
  ExpectError(ErrorCode::kInvalidArgument,
              {"line 203: ", "no probability", "uniform choices only"}, [&] {
                Evaluate(choices, log.arms(), {.policy = Ts(), .draws = 10});
              });
  // Nor does a log of uniform choices alone.
  std::erase_if(choices,
                [](const LoggedChoice& choice) { return !choice.uniform; });
  EXPECT_EQ(
      Evaluate(choices, log.arms(), {.policy = Ts(), .draws = 10}).evaluated,
      50U);
}

// Where uniform choices are a slice of a log, a probability that counts the
// slice in is not that of a uniform choice, which is 1/K.
TEST(PolicyEvaluation, KnowsTheProbabilityOfUniformChoicesByThemselves) {
  const SmallLog log(5);
  std::vector<LoggedChoice> choices = log.Choices(200);
  const EvaluationOptions only{
      .policy = Ts(), .uniform_only = true, .draws = 10};
  const Evaluation before = Evaluate(choices, log.arms(), only);
  for (LoggedChoice& choice : choices) choice.probability = 0.9;
  EXPECT_EQ(Evaluate(choices, log.arms(), only), before);
  choices[150].probability.reset();
  ExpectError(
      ErrorCode::kInvalidArgument, {"line 301: ", "uniform", "no probability"},
      [&] { Evaluate(choices, log.arms(), {.policy = Ts(), .draws = 10}); });
}

// Without its features in the log, an arm has those that it has now.
TEST(PolicyEvaluation, NeedsNoFeaturesInTheLog) {
  const SmallLog log(5);
  std::vector<LoggedChoice> choices = log.Choices(100);
  const EvaluationOptions options{.policy = Ts(), .draws = 10};
  const Evaluation with = Evaluate(choices, log.arms(), options);
  for (LoggedChoice& choice : choices) choice.features.clear();
  EXPECT_EQ(Evaluate(choices, log.arms(), options), with);
}

TEST(PolicyEvaluation, FollowsArmsThatChange) {
  const SmallLog log(6);
  const std::vector<LoggedChoice> choices = log.Choices(300);
  const EvaluationOptions options{.policy = Ucb()};
  PolicyEvaluation evaluation(options);
  evaluation.Add(log.arms().ids, log.arms().features);
  for (std::size_t i = 0; i < 100; ++i) evaluation.Learn(choices[i]);
  for (std::size_t i = 100; i < 200; ++i) evaluation.Evaluate(choices[i]);
  // The favourite goes, so no later choice is compared with it.
  Bandit twin = WithArms(Ucb(), log);
  for (std::size_t i = 0; i < 100; ++i) {
    twin.Observe(choices[i].features, choices[i].reward);
  }
  SlowEvaluation slow;
  for (std::size_t i = 100; i < 200; ++i) {
    slow.Add(choices[i], *choices[i].probability, twin, 1);
  }
  const ArmId favourite = twin.Choose().arm;
  twin.Remove(favourite);
  evaluation.Remove(std::span(&favourite, 1));
  for (std::size_t i = 200; i < 300; ++i) {
    LoggedChoice choice = choices[i];
    if (choice.arm == favourite) continue;
    ExpectError(ErrorCode::kInvalidArgument,
                {"line ", "8 arms were eligible, and there are 7"},
                [&] { evaluation.Evaluate(choice); });
    choice.eligible = 7;
    evaluation.Evaluate(choice);
    slow.Add(choice, *choice.probability, twin, 1);
  }
  slow.ExpectEqual(evaluation.Result());
}

// Whether the intervals of the whole way, with few draws, contain what the
// policy is worth after it has learned: its mean reward over 3,000 further
// draws. The standard error of a coverage over 500 logs is 1 %, so 92 to 98 %
// is 3 of them on either side.
TEST(PolicyEvaluation, CoversTheTruthWithFewDraws) {
  constexpr int kLogs = 500;
  const BanditOptions options = Ts();
  int ips = 0;
  int snips = 0;
  int robust = 0;
  for (std::uint64_t seed = 0; seed < kLogs; ++seed) {
    const SmallLog log(seed + 100);
    const std::vector<LoggedChoice> choices = log.Choices(400);
    const Evaluation result =
        Evaluate(choices, log.arms(), {.policy = options, .draws = 5}, 0.1);
    Bandit bandit = WithArms(options, log);
    for (std::size_t i = 0; i < 40; ++i) {
      bandit.Observe(choices[i].features, choices[i].reward);
    }
    double truth = 0;
    for (const Decision& decision : bandit.ChooseDraws(3000)) {
      truth += log.Mean(decision.arm) / 3000;
    }
    const auto holds = [truth](const Estimate& estimate) {
      return estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    };
    ips += holds(result.inverse_propensity);
    snips += holds(result.self_normalised);
    robust += holds(result.doubly_robust);
  }
  for (const int covered : {ips, snips, robust}) {
    EXPECT_GE(covered, 0.92 * kLogs);
    EXPECT_LE(covered, 0.98 * kLogs);
  }
}

TEST(PolicyEvaluation, TellsNothingFromADeterministicLog) {
  const SmallLog log(7);
  std::vector<LoggedChoice> choices = log.Choices(100);
  for (LoggedChoice& choice : choices) {
    if (!choice.uniform) choice.probability = 1;
  }
  ExpectError(ErrorCode::kInvalidArgument,
              {"all 25 choices", "probability 1", "uniform choices only"}, [&] {
                Evaluate(choices, log.arms(), {.policy = Ts(), .draws = 10});
              });
  // One choice that was not certain shows that the policy draws at random.
  choices[51].probability = 0.5;
  EXPECT_EQ(
      Evaluate(choices, log.arms(), {.policy = Ts(), .draws = 10}).certain,
      24U);
}

class RefusedChoices : public ::testing::Test {
 protected:
  RefusedChoices() {
    evaluation_.Add(log_.arms().ids, log_.arms().features);
    for (const LoggedChoice& choice : log_.Choices(50)) {
      evaluation_.Evaluate(choice);
    }
    choice_ = log_.Choices(1).front();
    choice_.line = 77;
  }

  void Refuse(ErrorCode code, std::vector<std::string> parts) {
    const Evaluation before = evaluation_.Result();
    parts.emplace_back("line 77: ");
    ExpectError(code, parts, [&] { evaluation_.Evaluate(choice_); });
    EXPECT_EQ(evaluation_.Result(), before);
  }

  SmallLog log_{8};
  PolicyEvaluation evaluation_{{.policy = Ts(), .draws = 10}};
  LoggedChoice choice_;
};

TEST_F(RefusedChoices, OfAnUnknownArm) {
  choice_.arm = 8;
  Refuse(ErrorCode::kUnknownId, {"there is no arm 8"});
}

TEST_F(RefusedChoices, AmongMoreArms) {
  choice_.eligible = 9;
  Refuse(ErrorCode::kInvalidArgument,
         {"9 arms were eligible, and there are 8"});
}

// What a choice among some of the arms would have earned changes nothing.
TEST_F(RefusedChoices, AmongFewerArmsAreLeftOutAndCounted) {
  const Evaluation before = evaluation_.Result();
  for (const double reward : {0.0, 1000.0}) {
    choice_.eligible = 3;
    choice_.reward = reward;
    evaluation_.Evaluate(choice_);
  }
  Evaluation after = evaluation_.Result();
  EXPECT_EQ(after.restricted, 2U);
  ASSERT_FALSE(after.notes.empty());
  EXPECT_NE(after.notes.front().find("2 choices from some of the arms"),
            std::string::npos);
  after.restricted = 0;
  after.notes = before.notes;
  EXPECT_EQ(after, before);
}

TEST(PolicyEvaluation, NeedsChoicesAmongAllArms) {
  const SmallLog log(8);
  std::vector<LoggedChoice> choices = log.Choices(10);
  for (LoggedChoice& choice : choices) choice.eligible = 3;
  ExpectError(ErrorCode::kInvalidArgument,
              {"all 10 choices", "some of the arms only"},
              [&] { Evaluate(choices, log.arms(), {.policy = Ucb()}, 0); });
}

TEST_F(RefusedChoices, OfAnArmThatHasChanged) {
  choice_.features[1] += 0.1F;
  Refuse(ErrorCode::kInvalidArgument, {"feature 1 of the arm was", "and is"});
  choice_.features.pop_back();
  Refuse(ErrorCode::kInvalidArgument, {"2 features given"});
}

TEST_F(RefusedChoices, WithAContextThatThereIsNot) {
  choice_.context = {1};
  Refuse(ErrorCode::kInvalidArgument, {"context"});
}

TEST_F(RefusedChoices, WithAnImpossibleReward) {
  choice_.reward = std::numeric_limits<double>::quiet_NaN();
  Refuse(ErrorCode::kInvalidArgument, {"reward is nan"});
}

TEST_F(RefusedChoices, WithAnImpossibleProbability) {
  for (const double wrong : {0.0, 1.5, -1.0}) {
    choice_.probability = wrong;
    Refuse(ErrorCode::kInvalidArgument, {"probability is"});
  }
}

TEST_F(RefusedChoices, ToLearnFrom) {
  choice_.features.clear();
  choice_.arm = 99;
  ExpectError(ErrorCode::kUnknownId, {"line 77: ", "99"},
              [&] { evaluation_.Learn(choice_); });
}

bool HasNote(const Evaluation& result, const std::string& part) {
  return std::ranges::any_of(result.notes, [&](const std::string& note) {
    return note.find(part) != std::string::npos;
  });
}

TEST(PolicyEvaluation, NotesWhatToKnowBeforeTrustingIt) {
  const SmallLog log(11);
  std::vector<LoggedChoice> choices = log.Choices(2000);
  const EvaluationOptions options{.policy = Ts(), .draws = 20};
  const auto expect = [&](const std::string& part) {
    const Evaluation result = Evaluate(choices, log.arms(), options);
    EXPECT_TRUE(HasNote(result, part)) << part;
  };
  for (const char* part : {"worth", "should be 1", "probability 1", "clipped",
                           "all rewards are"}) {
    EXPECT_FALSE(HasNote(Evaluate(choices, log.arms(), options), part)) << part;
  }
  EvaluationOptions clipped = options;
  clipped.estimators.clip = 1;
  EXPECT_TRUE(HasNote(Evaluate(choices, log.arms(), clipped), "were clipped"));
  choices[1001].probability = 1;
  expect("1 choices were logged with probability 1");
  for (std::size_t i = 1000; i < choices.size(); ++i) choices[i].reward = 0.25;
  expect("all rewards are 0.25");
  choices.back().reward = 0.5;
  EXPECT_FALSE(
      HasNote(Evaluate(choices, log.arms(), options), "all rewards are"));
  for (LoggedChoice& choice : choices) *choice.probability /= 10;
  expect("probabilities are wrong");
  choices.erase(choices.begin() + 100, choices.end());
  expect("intervals may be too short");
}

TEST(PolicyEvaluation, ChecksItsOptions) {
  ExpectError(ErrorCode::kInvalidArgument, {"draws is 0"},
              [] { PolicyEvaluation({.policy = Ts(), .draws = 0}); });
  ExpectError(ErrorCode::kInvalidArgument, {"level is 2"}, [] {
    PolicyEvaluation({.policy = Ts(), .estimators = {.level = 2}});
  });
  ExpectError(ErrorCode::kInvalidArgument, {"clip is 0"}, [] {
    PolicyEvaluation({.policy = Ts(), .estimators = {.clip = 0}});
  });
  ExpectError(ErrorCode::kUnsupported, {"elim", "replay it"}, [] {
    PolicyEvaluation(
        {.policy = BanditOptions{.dim = 2, .policy = EliminationOptions{}}});
  });
  ExpectError(ErrorCode::kInvalidArgument, {"dimension is 0"},
              [] { PolicyEvaluation({.policy = BanditOptions{}}); });
  const SmallLog log(9);
  for (const double share : {-0.1, 1.0}) {
    ExpectError(ErrorCode::kInvalidArgument, {"learn_share is"}, [&] {
      Evaluate(log.Choices(10), log.arms(), {.policy = Ts()}, share);
    });
  }
}

TEST(PolicyEvaluation, ReportsItsProgress) {
  const SmallLog log(10);
  std::vector<double> seen;
  Evaluate(log.Choices(200), log.arms(), {.policy = Ucb()}, 0.5,
           [&seen](double done) { seen.push_back(done); });
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(seen.back(), 1);
}

}  // namespace
}  // namespace manyarms
