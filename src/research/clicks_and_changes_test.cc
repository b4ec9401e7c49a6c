// The synthetic environment with clicks, and with parameters that turn or
// drift.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>

#include "manyarms/research/environment.h"
#include "manyarms/research/experiment.h"
#include "research/true_parameter.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using Role = RandomStream::Role;

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<double> Drawn(std::uint64_t seed, Role role, std::uint64_t index,
                          std::size_t size) {
  std::vector<double> values(size);
  RandomStream(seed, role, index).Gaussians(values);
  return values;
}

// It takes a millisecond to find.
double InterceptOf(const SyntheticOptions& options) {
  static std::map<std::pair<double, double>, double> known;
  const auto [at, is_new] =
      known.try_emplace({options.click_rate, options.click_spread});
  if (is_new) {
    at->second = ClickIntercept(options.click_rate, options.click_spread);
  }
  return at->second;
}

// theta*, or M row after row, by the definition in environment.h.
std::vector<double> ParameterOf(const SyntheticOptions& options,
                                std::uint64_t step, std::uint64_t learner,
                                std::size_t rows, std::size_t columns) {
  const std::size_t size = rows * columns;
  const std::uint64_t turn =
      options.turn_every == 0 ? 0 : (step - 1) / options.turn_every;
  const Role start = turn == 0 ? Role::kTheta : Role::kTurn;
  std::vector<double> m = Drawn(options.theta_seed, start, turn, size);
  const auto b = Drawn(options.theta_seed, Role::kDrift, turn, size);
  const auto own = Drawn(options.theta_seed, Role::kLearner, learner, size);
  const double angle = options.drift * static_cast<double>(step - 1);
  const double share = options.learners > 0 ? options.own_share : 0;
  for (std::size_t i = 0; i < size; ++i) {
    m[i] = std::cos(angle) * m[i] + std::sin(angle) * b[i];
    m[i] = std::sqrt(1 - share) * m[i] + std::sqrt(share) * own[i];
    if (options.click_rate == 0) m[i] /= std::sqrt(static_cast<double>(rows));
  }
  if (options.click_rate == 0) return m;
  m.back() = 0;
  double square = 0;
  for (const double value : m) square += value * value;
  for (double& value : m) value *= options.click_spread / std::sqrt(square);
  m.back() = InterceptOf(options);
  return m;
}

double Expected(const SyntheticOptions& options, ArmId arm, std::uint64_t step,
                const Visit& visit) {
  std::vector<float> x(options.dim);
  std::vector<float> c{1};
  if (options.context_dim > 0) {
    RandomStream(options.seed, Role::kArm, arm).Gaussians(x);
    c = visit.context;
    c.push_back(1);
    x.push_back(1);
  } else if (options.click_rate > 0) {
    RandomStream(options.seed, Role::kArm, arm)
        .Gaussians(std::span(x).first(x.size() - 1));
    x.back() = 1;
  } else {
    RandomStream(options.seed, Role::kArm, arm).Gaussians(x);
  }
  const auto m = ParameterOf(options, step, visit.learner, c.size(), x.size());
  double sum = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum += double{c[i]} * m[i * x.size() + j] * x[j];
    }
  }
  return options.click_rate > 0 ? Logistic(sum) : sum;
}

SyntheticOptions Small() {
  return {.arms = 40,
          .dim = 4,
          .add = 2,
          .remove = 1,
          .every = 3,
          .seed = 6,
          .theta_seed = 2};
}

struct Shape {
  std::string name;
  SyntheticOptions options;
};

// Clicks or not, with each kind of change, alone and with learners and
// contexts; and one world whose arms stay, so that many steps are looked at
// together.
std::vector<Shape> AllShapes() {
  std::vector<Shape> shapes;
  for (const bool clicks : {false, true}) {
    for (const std::uint64_t turn_every : {0U, 7U}) {
      for (const double drift : {0.0, 0.05}) {
        for (const int visits : {0, 1, 2}) {
          SyntheticOptions options = Small();
          options.click_rate = clicks ? 0.2 : 0;
          if (clicks) options.click_spread = 1.5;
          options.turn_every = turn_every;
          options.drift = drift;
          if (visits > 0) options.learners = 5;
          if (visits > 1) options.context_dim = 2;
          shapes.push_back({fmt::format("clicks {} turn {} drift {} visits {}",
                                        clicks, turn_every, drift, visits),
                            options});
        }
      }
    }
  }
  shapes.push_back({"steady", Small()});
  shapes.back().options.turn_every = 7;
  shapes.back().options.add = 0;
  shapes.back().options.remove = 0;
  return shapes;
}

TEST(ClicksAndChanges, HaveRegretsByTheirDefinition) {
  for (const auto& [name, options] : AllShapes()) {
    SCOPED_TRACE(name);
    const auto world = MakeSynthetic(options);
    std::set<ArmId> live;
    for (ArmId arm = 0; arm < options.arms; ++arm) live.insert(arm);
    for (std::uint64_t step = 1; step <= 150; ++step) {
      const Change change = world->Advance(step);
      for (const ArmId arm : change.removed) live.erase(arm);
      live.insert(change.added.begin(), change.added.end());
      const Visit visit = world->VisitAt(step);
      double best = -std::numeric_limits<double>::infinity();
      for (const ArmId arm : live) {
        best = std::max(best, Expected(options, arm, step, visit));
      }
      double least = std::numeric_limits<double>::infinity();
      for (const ArmId arm : live) {
        const double expected = Expected(options, arm, step, visit);
        ASSERT_NEAR(world->Regret(arm), best - expected, 1e-9) << step;
        least = std::min(least, world->Regret(arm));
      }
      ASSERT_EQ(least, 0.0) << "step " << step;
    }
  }
}

// The noise is a uniform number for clicks and a normal one otherwise.
TEST(ClicksAndChanges, HaveRewardsByTheirDefinitionInAnyOrder) {
  for (const auto& [name, options] : AllShapes()) {
    SCOPED_TRACE(name);
    const auto world = MakeSynthetic(options);
    for (std::uint64_t step = 100; step > 0; --step) {
      const double expected = Expected(options, 5, step, world->VisitAt(step));
      RandomStream noise(options.seed, Role::kNoise, step);
      if (options.click_rate > 0) {
        const bool clicked = noise.Uniform() < expected;
        ASSERT_EQ(world->Reward(5, step), clicked ? 1.0 : 0.0);
      } else {
        ASSERT_NEAR(world->Reward(5, step), expected + noise.Gaussian(), 1e-9);
      }
    }
  }
}

// Every 25th arm is clicked, say: the mean over 20,000 arms, by what the regret
// says of each, is within five standard errors of the rate.
TEST(ClicksAndChanges, ClickArmsAtTheRateThatIsAskedFor) {
  for (const double rate : {0.02, 0.2, 0.7}) {
    for (const double spread : {0.5, 1.0, 3.0}) {
      SyntheticOptions options{.arms = 20'000, .dim = 6, .seed = 3};
      options.click_rate = rate;
      options.click_spread = spread;
      double sum = 0;
      double squares = 0;
      for (ArmId arm = 0; arm < options.arms; ++arm) {
        const double expected = Expected(options, arm, 1, {});
        sum += expected;
        squares += expected * expected;
      }
      const auto count = static_cast<double>(options.arms);
      const double mean = sum / count;
      const double deviation = std::sqrt(squares / count - mean * mean);
      EXPECT_NEAR(mean, rate, 5 * deviation / std::sqrt(count))
          << rate << " " << spread;
    }
  }
}

// Without spread every arm has the rate, so that the intercept is its log-odds,
// which near a rate of 1 cannot be told better from a sum of doubles.
TEST(ClicksAndChanges, HaveAnInterceptThatGivesTheRate) {
  for (const double rate : {kMinClickRate, 0.02, 0.5, 1 - kMinClickRate}) {
    EXPECT_NEAR(ClickIntercept(rate, 0), std::log(rate / (1 - rate)), 1e-8);
  }
  EXPECT_NEAR(ClickIntercept(0.5, 20), 0, 1e-9);
  // The mean of Logistic(a + s Z) for large s is about Phi(a / s): a tenth of
  // all normal numbers are below -1.28155.
  EXPECT_NEAR(ClickIntercept(0.1, 20) / 20, -1.28155, 0.01);
}

// Two turns apart, thetas have nothing to do with one another.
TEST(ClicksAndChanges, TurnAfterExactlySoManySteps) {
  SyntheticOptions options = Small();
  options.add = 0;
  options.remove = 0;
  options.noise = 0;
  options.turn_every = 10;
  const auto world = MakeSynthetic(options);
  for (std::uint64_t step = 2; step <= 60; ++step) {
    const bool turned = world->Reward(3, step) != world->Reward(3, step - 1);
    EXPECT_EQ(turned, step % 10 == 1) << step;
  }
}

// In a plane the angle between neighbours need not be the drift, but their
// distance is at most the drift times the length of A and B together.
TEST(ClicksAndChanges, DriftSlowlyAndComeBackAfterAWholeTurn) {
  SyntheticOptions options = Small();
  options.noise = 0;
  options.drift = 2 * std::numbers::pi / 1000;
  const auto world = MakeSynthetic(options);
  const double first = world->Reward(3, 1);
  EXPECT_NEAR(world->Reward(3, 1001), first, 1e-9);
  EXPECT_NEAR(world->Reward(3, 501), -first, 1e-9);
  for (std::uint64_t step = 1; step < 1000; ++step) {
    ASSERT_LT(std::abs(world->Reward(3, step + 1) - world->Reward(3, step)),
              options.drift * 20);
  }
}

// What is new must not change what there was.
TEST(ClicksAndChanges, LeaveArmsAndTheirChangesAsTheyAre) {
  for (const auto& [name, options] : AllShapes()) {
    SCOPED_TRACE(name);
    if (options.add == 0) continue;
    const auto one = MakeSynthetic(Small());
    const auto other = MakeSynthetic(options);
    const bool constant = options.click_rate > 0 && options.context_dim == 0;
    std::vector<float> x(4);
    std::vector<float> y(4);
    for (std::uint64_t step = 1; step <= 30; ++step) {
      const Change change = one->Advance(step);
      const Change same = other->Advance(step);
      EXPECT_EQ(change.added, same.added);
      EXPECT_EQ(change.removed, same.removed);
      one->Features(step, x);
      other->Features(step, y);
      if (constant) {
        EXPECT_EQ(y.back(), 1.0F);
        x.back() = 1;
      }
      EXPECT_EQ(x, y);
    }
  }
}

TEST(ClicksAndChanges, RefuseOptionsOutOfBounds) {
  const auto refuses = [](const SyntheticOptions& options,
                          const std::vector<std::string>& parts) {
    ExpectError(ErrorCode::kInvalidArgument, parts,
                [&] { MakeSynthetic(options); });
  };
  refuses({.click_rate = -0.1}, {"click_rate is -0.1"});
  refuses({.click_rate = 1}, {"click_rate is 1", "0.999999"});
  refuses({.click_rate = std::nan("")}, {"click_rate is nan"});
  refuses({.click_rate = 0.1, .click_spread = -1}, {"click_spread is -1"});
  refuses({.click_rate = 0.1, .click_spread = 21}, {"click_spread is 21"});
  refuses({.click_spread = 2}, {"click_spread is 2", "click_rate is 0"});
  refuses({.noise = 0.5, .click_rate = 0.1}, {"click_rate is 0.1", "noise"});
  refuses({.unit_ball = true, .click_rate = 0.1},
          {"click_rate is 0.1", "unit_ball"});
  refuses({.dim = 1, .click_rate = 0.1}, {"click_rate is 0.1", "dim is 1"});
  refuses({.context_dim = 2, .context_constants = false, .click_rate = 0.1},
          {"click_rate is 0.1", "context_constants"});
  refuses({.drift = -0.1}, {"drift is -0.1"});
  refuses({.drift = 2}, {"drift is 2", "1.57"});
  refuses({.learners = 3, .own_share = 1, .drift = 0.1},
          {"drift is 0.1", "own_share is 1"});
}

TEST(ClicksAndChanges, AreNeededWhereAModelOfClicksLearns) {
  RunSpec spec;
  spec.rewards = RewardModel::kClicks;
  spec.steps = 10;
  ExpectError(ErrorCode::kInvalidArgument, {"clicks", "click_rate is 0"},
              [&] { RunExperiment(spec); });
  spec.environment.click_rate = 0.1;
  EXPECT_GE(RunExperiment(spec).regret, 0);
}

// In worlds of all these shapes certified search decides as a scan does.
TEST(ClicksAndChanges, LeaveCertifiedSearchExact) {
  for (const auto& [name, options] : AllShapes()) {
    SCOPED_TRACE(name);
    RunSpec spec;
    spec.environment = options;
    spec.steps = 300;
    spec.environment.arms = 500;
    spec.forgetting = 0.99;
    if (options.click_rate > 0) spec.rewards = RewardModel::kClicks;
    const RunResult certified = RunExperiment(spec);
    spec.search = ScanOptions{};
    const RunResult scan = RunExperiment(spec);
    EXPECT_EQ(certified.decision_digest, scan.decision_digest);
    EXPECT_EQ(certified.regret, scan.regret);
  }
}

}  // namespace
}  // namespace manyarms
