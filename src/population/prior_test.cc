// Populations whose learners begin with a prior that is given or learned.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

#include "manyarms/population.h"
#include "manyarms/random.h"
#include "posterior/hierarchy.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::FirstIds;
using testing::GaussianRows;
using Role = RandomStream::Role;

constexpr std::size_t kDim = 4;
constexpr std::size_t kContextDim = 2;

std::vector<float> Row(ArmId arm) {
  return GaussianRows(1, kDim, 100 + static_cast<unsigned>(arm));
}

// Learners have much in common.
double Reward(std::uint64_t learner, std::span<const float> row,
              std::uint64_t time) {
  double mean = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double own = RandomStream(learner, Role::kTheta, j).Gaussian();
    mean += (static_cast<double>(j) - 1 + 0.4 * own) * row[j];
  }
  return mean + 0.5 * RandomStream(learner, Role::kNoise, time).Gaussian();
}

PopulationOptions Options(const PolicyOptions& policy,
                          const PopulationPrior& prior) {
  return {.dim = kDim,
          .policy = policy,
          .search = CertifiedOptions{.background = false},
          .prior = prior,
          .seed = 3};
}

class Priors : public ::testing::TestWithParam<PolicyOptions> {};

// A learner decides as a bandit with the prior with which it began, while the
// prior is learned anew again and again.
TEST_P(Priors, ThatAreSharedStayThoseOfLearnersThatHaveBegun) {
  Population population(Options(GetParam(), SharedPrior{}));
  constexpr std::size_t kArms = 3000;
  const std::vector<float> rows = GaussianRows(kArms, kDim, 1);
  population.Add(FirstIds(kArms), rows);
  std::map<std::uint64_t, Bandit> bandits;
  for (std::uint64_t t = 0; t < 900; ++t) {
    const std::uint64_t key = t / 30 + t % 3;  // a new one all the time
    if (!bandits.contains(key)) {
      bandits.emplace(key, Bandit(population.LoneOptions(key)))
          .first->second.Add(FirstIds(kArms), rows);
    }
    Bandit& bandit = bandits.at(key);
    const Decision ours = population.Choose(key);
    const Decision theirs = bandit.Choose();
    ASSERT_EQ(ours.arm, theirs.arm) << t;
    ASSERT_EQ(ours.score, theirs.score) << t;
    const double reward =
        Reward(key, std::span(rows).subspan(ours.arm * kDim, kDim), t);
    population.Learn(key, ours.id, reward);
    bandit.Learn(theirs.id, reward);
  }
  EXPECT_GT(population.stats().prior_refits, 5U);
  // What new learners begin with is near to what learners have in common.
  const std::vector<double> mean = population.Prior().mean;
  for (std::size_t j = 0; j < kDim; ++j) {
    EXPECT_NEAR(mean[j], static_cast<double>(j) - 1, 0.5);
  }
  for (std::size_t j = 0; j < kDim; ++j) {
    EXPECT_NEAR(population.Mean("new")[j], mean[j], 1e-9);
  }
}

TEST_P(Priors, ThatAreGivenAreThoseOfBandits) {
  const GaussianPrior prior{
      .mean = {1, -1, 0.5, 2},
      .precision = {3, 1, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0.5, 0, 0, 0.5, 4}};
  Population population(Options(GetParam(), prior));
  const std::vector<float> rows = GaussianRows(500, kDim, 1);
  population.Add(FirstIds(500), rows);
  Bandit bandit(population.LoneOptions(5));
  EXPECT_EQ(bandit.options().prior, prior);
  bandit.Add(FirstIds(500), rows);
  for (std::size_t j = 0; j < kDim; ++j) {
    EXPECT_NEAR(bandit.Mean()[j], prior.mean[j], 1e-12);
  }
  EXPECT_EQ(population.Prior(), prior);
  for (std::uint64_t t = 0; t < 100; ++t) {
    const Decision ours = population.Choose(5);
    const Decision theirs = bandit.Choose();
    ASSERT_EQ(ours.arm, theirs.arm);
    ASSERT_EQ(ours.score, theirs.score);
    population.Learn(5, ours.id, 0.1 * static_cast<double>(t));
    bandit.Learn(theirs.id, 0.1 * static_cast<double>(t));
  }
  EXPECT_EQ(population.Mean(5), bandit.Mean());
}

INSTANTIATE_TEST_SUITE_P(All, Priors,
                         ::testing::Values(PolicyOptions(ThompsonOptions{}),
                                           PolicyOptions(UcbOptions{})),
                         [](const auto& c) {
                           return c.index == 0 ? "Thompson" : "Ucb";
                         });

// The same as from the sums of rewards and features, which are computed here.
// Some learners have begun with one prior and some with another, and that does
// not matter.
TEST(SharedPrior, IsLearnedFromAllRewards) {
  Population population(
      Options(ThompsonOptions{}, SharedPrior{.refit_growth = 0}));
  std::vector<Evidence> evidence(
      40, Evidence{.gram = Eigen::MatrixXd::Zero(kDim, kDim),
                   .moment = Eigen::VectorXd::Zero(kDim)});
  Hierarchy hierarchy(kDim, 1);
  const auto learn = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t key = first; key < last; ++key) {
      for (std::uint64_t t = 0; t < 6; ++t) {
        const std::vector<float> row = Row(key * 10 + t);
        const double reward = Reward(key, row, t);
        population.Observe(key, row, reward);
        const Eigen::VectorXd x =
            Eigen::Map<const Eigen::VectorXf>(row.data(), kDim).cast<double>();
        evidence[key].gram += x * x.transpose();
        evidence[key].moment += reward * x;
        evidence[key].squares += reward * reward;
        ++evidence[key].rewards;
      }
    }
  };
  // This test adds the numbers up in another order than the library, so they
  // differ in the last digits, and the steps of expectation-maximisation
  // increase the differences.
  const auto expect_prior = [&](std::size_t learners) {
    const std::span<const Evidence> all(evidence.data(), learners);
    for (int step = 0; step < 5; ++step) hierarchy.Improve(all);
    const GaussianPrior expected = hierarchy.PriorGiven(all);
    const GaussianPrior prior = population.Prior();
    for (std::size_t i = 0; i < prior.mean.size(); ++i) {
      EXPECT_NEAR(prior.mean[i], expected.mean[i], 1e-8);
    }
    for (std::size_t i = 0; i < prior.precision.size(); ++i) {
      EXPECT_NEAR(prior.precision[i], expected.precision[i], 1e-7);
    }
  };
  learn(0, 20);
  EXPECT_EQ(population.stats().prior_refits, 0U);
  population.LearnPrior();
  expect_prior(20);
  learn(20, 40);
  population.LearnPrior();
  expect_prior(40);
  EXPECT_EQ(population.stats().prior_refits, 2U);
}

// Choices of new learners, with contexts or without, are the scan's, and those
// in the same context share an order.
TEST_P(Priors, OfNewLearnersHaveOneOrder) {
  for (const std::size_t context_dim : {std::size_t{0}, kContextDim}) {
    PopulationOptions options =
        Options(GetParam(), SharedPrior{.refit_growth = 0});
    options.context_dim = context_dim;
    options.search = CertifiedOptions{.background = false, .check_every = 1};
    Population population(options);
    constexpr std::size_t kArms = 20'000;
    population.Add(FirstIds(kArms), GaussianRows(kArms, kDim, 1));
    const std::vector<float> context(context_dim, 0.5F);
    for (std::uint64_t key = 0; key < 60; ++key) {
      for (std::uint64_t t = 0; t < 20; ++t) {
        const std::vector<float> row = Row(key * 20 + t);
        population.Observe(key, row, Reward(key, row, t), context);
      }
    }
    population.LearnPrior();
    for (std::uint64_t key = 1000; key < 1500; ++key) {
      population.Choose(key, {}, context);
    }
    EXPECT_EQ(population.stats().finders, 1U) << context_dim;
    EXPECT_GT(population.stats().snapshots, 0U) << context_dim;
  }
}

TEST(SharedPrior, BatchesDoNotDependOnThreads) {
  const auto live = [](bool batches) {
    Population population(Options(ThompsonOptions{}, SharedPrior{}));
    population.Add(FirstIds(300), GaussianRows(300, kDim, 1));
    std::vector<ArmId> chosen;
    for (std::uint64_t t = 0; t < 40; ++t) {
      std::vector<LearnerKey> keys;
      keys.reserve(20);
      for (std::uint64_t i = 0; i < 20; ++i) keys.emplace_back(t * 10 + i);
      std::vector<DecisionId> ids;
      std::vector<double> rewards;
      std::vector<Decision> decisions;
      if (batches) {
        decisions = population.ChooseFor(keys);
      } else {
        for (const auto& key : keys)
          decisions.push_back(population.Choose(key));
      }
      for (std::size_t i = 0; i < keys.size(); ++i) {
        chosen.push_back(decisions[i].arm);
        ids.push_back(decisions[i].id);
        rewards.push_back(Reward(keys[i].number(), Row(decisions[i].arm), t));
      }
      population.LearnFor(keys, ids, rewards);
    }
    EXPECT_GT(population.stats().prior_refits, 3U);
    return chosen;
  };
  EXPECT_EQ(live(true), live(false));
  EXPECT_EQ(live(true), live(true));
}

// Near the bounds of features and rewards few digits are left. The prior stays
// as it was, or becomes another one that can be used.
TEST(SharedPrior, CanBeUsedWhateverTheFeatures) {
  Population population(
      Options(ThompsonOptions{}, SharedPrior{.refit_growth = 0}));
  for (std::uint64_t key = 0; key < 10; ++key) {
    for (std::uint64_t t = 0; t < 50; ++t) {
      std::vector<float> row = Row(key * 50 + t);
      for (float& value : row) value *= 2e5F;
      population.Observe(key, row, 1e9);
    }
  }
  const GaussianPrior before = population.Prior();
  const bool learned = population.LearnPrior();
  EXPECT_EQ(population.stats().prior_refits, learned ? 1U : 0U);
  EXPECT_EQ(population.Prior() != before, learned);
  EXPECT_NO_THROW(PriorFactor(population.Prior(), kDim, kMinRegularisation));
  population.Add(FirstIds(10), GaussianRows(10, kDim, 1));
  EXPECT_TRUE(std::isfinite(population.Choose("new").score));
}

// Without noise, coefficients may differ as much as a prior can say.
TEST(SharedPrior, IsLearnedFromRewardsWithoutNoise) {
  for (const std::size_t context_dim : {std::size_t{0}, kContextDim}) {
    PopulationOptions options =
        Options(ThompsonOptions{}, SharedPrior{.refit_growth = 0});
    options.context_dim = context_dim;
    Population population(options);
    for (std::uint64_t key = 0; key < 100; ++key) {
      for (std::uint64_t t = 0; t < 60; ++t) {
        const std::vector<float> row = Row(key * 60 + t);
        const std::vector<float> context =
            GaussianRows(1, context_dim + 1, static_cast<unsigned>(t));
        const double reward = (1.0 + static_cast<double>(key % 7)) * row[0];
        population.Observe(key, row, reward,
                           std::span(context).first(context_dim));
      }
    }
    for (int time = 0; time < 10; ++time) {
      EXPECT_TRUE(population.LearnPrior()) << context_dim;
    }
  }
}

// Several threads choose, learn and save while the prior is learned.
TEST(SharedPrior, MayBeLearnedWhileOthersChoose) {
  PopulationOptions options = Options(UcbOptions{}, SharedPrior{});
  options.search = CertifiedOptions{.check_every = 1};
  Population population(options);
  population.Add(FirstIds(2000), GaussianRows(2000, kDim, 1));
  const auto work = [&](std::uint64_t thread) {
    for (std::uint64_t t = 0; t < 150; ++t) {
      const std::uint64_t key = thread * 1000 + t / 3;
      const Decision decision = population.Choose(key);
      population.Learn(key, decision.id, Reward(key, Row(decision.arm), t));
      if (t % 50 == 20) population.LearnPrior();
      if (t % 50 == 40) {
        std::ostringstream out;
        population.Save(out);
      }
    }
  };
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (std::uint64_t i = 0; i < 3; ++i) threads.emplace_back(work, i);
  threads.clear();
  EXPECT_GE(population.stats().prior_refits, 9U);
  EXPECT_EQ(population.learners(), 150U);
}

TEST(PriorOptions, AreRefusedWhereTheyCannotWork) {
  const auto refused = [](ErrorCode code, const std::vector<std::string>& words,
                          PopulationOptions options) {
    ExpectError(code, words, [&] { Population{options}; });
  };
  PopulationOptions options = Options(ThompsonOptions{}, SharedPrior{});
  options.negative_rewards = true;
  refused(ErrorCode::kUnsupported, {"negative_rewards", "shared prior"},
          options);
  options.prior =
      GaussianPrior{.mean = {0, 0, 0, 0}, .precision = std::vector<double>(16)};
  refused(ErrorCode::kUnsupported, {"negative_rewards", "prior"}, options);
  refused(ErrorCode::kUnsupported, {"theory", "prior"},
          Options(ThompsonOptions{.exploration = TheoryRadius{.horizon = 100}},
                  GaussianPrior{.mean = {0, 0, 0, 0},
                                .precision = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                                              0, 0, 0, 0, 1}}));
  refused(ErrorCode::kUnsupported, {"theory", "shared prior"},
          Options(ThompsonOptions{.exploration = TheoryRadius{.horizon = 100}},
                  SharedPrior{}));
  for (const double growth :
       {-1.0, 1e-3, 1e7, std::numeric_limits<double>::quiet_NaN()}) {
    refused(ErrorCode::kInvalidArgument, {"refit growth", "0.01"},
            Options(ThompsonOptions{}, SharedPrior{.refit_growth = growth}));
  }
  refused(ErrorCode::kInvalidArgument, {"mean has 3 values, must have 4"},
          Options(ThompsonOptions{},
                  GaussianPrior{.mean = {1, 2, 3}, .precision = {}}));
  options = Options(ThompsonOptions{}, SharedPrior{});
  options.dim = 257;
  refused(ErrorCode::kInvalidArgument, {"coefficients", "257", "256"}, options);
  Population independent(Options(ThompsonOptions{}, IndependentPrior{}));
  ExpectError(ErrorCode::kUnsupported, {"not shared"},
              [&] { independent.LearnPrior(); });
  EXPECT_EQ(independent.Prior().mean, std::vector<double>(kDim));
  EXPECT_EQ(independent.Prior().precision[5], 1);
}

}  // namespace
}  // namespace manyarms
