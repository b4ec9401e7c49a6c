// Contexts: decisions are those of a slow dense model, every exact search makes
// the same ones, and a wrong context is refused.

#include "manyarms/context.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

#include "manyarms/bandit.h"
#include "manyarms/population.h"
#include "manyarms/random.h"
#include "saved_bytes.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::FirstIds;
using testing::GaussianRows;
using Role = RandomStream::Role;

constexpr std::size_t kDim = 5;
constexpr std::size_t kContextDim = 3;

std::vector<float> ContextNumber(std::uint64_t index) {
  std::vector<float> context(kContextDim);
  RandomStream(77, Role::kArm, index).Gaussians(context);
  return context;
}

// What a reward is, for tests of decisions: any function will do.
double RewardOf(ArmId arm, std::span<const float> context, int time) {
  return std::sin(static_cast<double>(arm)) + 3 +
         context[0] * std::cos(static_cast<double>(arm)) + 0.1 * (time % 7);
}

BanditOptions Options(const PolicyOptions& policy, const SearchOptions& search,
                      bool constants = true) {
  return {.dim = kDim,
          .policy = policy,
          .search = search,
          .regularisation = 0.7,
          .context_dim = kContextDim,
          .context_constants = constants,
          .seed = 5};
}

// The model c'Mx with a dense V, which is factored anew for each choice.
class SlowModel {
 public:
  SlowModel(double regularisation, bool constants)
      : constants_(constants),
        n_(Products(std::vector<float>(kContextDim), std::vector<float>(kDim))
               .size()) {
    v_ = regularisation * Eigen::MatrixXd::Identity(n_, n_);
    b_ = Eigen::VectorXd::Zero(n_);
  }

  Eigen::VectorXd Products(std::span<const float> context,
                           std::span<const float> arm) const {
    std::vector<double> c(context.begin(), context.end());
    std::vector<double> x(arm.begin(), arm.end());
    if (constants_) {
      c.push_back(1);
      x.push_back(1);
    }
    Eigen::VectorXd products(static_cast<Eigen::Index>(c.size() * x.size()));
    Eigen::Index at = 0;
    for (const double ci : c) {
      for (const double xj : x) products[at++] = ci * xj;
    }
    return products;
  }

  void Learn(std::span<const float> context, std::span<const float> arm,
             double reward) {
    const Eigen::VectorXd products = Products(context, arm);
    v_ += products * products.transpose();
    b_ += reward * products;
  }

  Eigen::VectorXd Mean() const { return v_.llt().solve(b_); }

  Eigen::VectorXd Sample(std::uint64_t seed, std::uint64_t choice) const {
    Eigen::VectorXd xi(n_);
    RandomStream(seed, Role::kSample, choice)
        .Gaussians(std::span(xi.data(), static_cast<std::size_t>(n_)));
    return Mean() + v_.llt().matrixU().solve(xi);
  }

  double Width(const Eigen::VectorXd& products) const {
    return std::sqrt(products.dot(v_.llt().solve(products)));
  }

 private:
  bool constants_;
  Eigen::Index n_;
  Eigen::MatrixXd v_;
  Eigen::VectorXd b_;
};

class Contexts : public ::testing::TestWithParam<std::pair<bool, bool>> {
 protected:
  bool ucb() const { return GetParam().first; }
  bool constants() const { return GetParam().second; }
  PolicyOptions policy() const {
    if (ucb()) return UcbOptions{.exploration = 1};
    return ThompsonOptions{.exploration = 1};
  }
};

TEST_P(Contexts, DecideAsASlowDenseModel) {
  constexpr std::size_t kArms = 60;
  const std::vector<float> rows = GaussianRows(kArms, kDim, 1);
  const auto row = [&](std::size_t i) {
    return std::span(rows).subspan(i * kDim, kDim);
  };
  Bandit bandit(Options(policy(), CertifiedOptions{}, constants()));
  bandit.Add(FirstIds(kArms), rows);
  SlowModel slow(0.7, constants());
  int late = 0;
  for (int t = 0; t < 150; ++t) {
    const std::vector<float> c = ContextNumber(static_cast<std::uint64_t>(t));
    const Eigen::VectorXd theta =
        ucb() ? slow.Mean() : slow.Sample(5, static_cast<std::uint64_t>(t));
    const auto score = [&](std::size_t i) {
      const Eigen::VectorXd products = slow.Products(c, row(i));
      return theta.dot(products) + (ucb() ? slow.Width(products) : 0);
    };
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < kArms; ++i) best = std::max(best, score(i));
    const Decision decision = bandit.Choose({}, c);
    // Scores are computed in float.
    ASSERT_NEAR(score(decision.arm), best, 1e-4 * (1 + std::abs(best))) << t;
    ASSERT_NEAR(decision.score, best, 1e-4 * (1 + std::abs(best))) << t;

    const ArmId seen[] = {3};
    const Eigen::VectorXd third = slow.Products(c, row(3));
    const double expected = slow.Mean().dot(third);
    ASSERT_NEAR(bandit.Scores(seen, c)[0], expected, 1e-8);
    ASSERT_NEAR(bandit.Predict(row(3), c), expected, 1e-8);
    ASSERT_NEAR(bandit.Uncertainty(seen, c)[0], slow.Width(third), 1e-8);

    // A decision is learned with the context in which it was made.
    const double reward = RewardOf(decision.arm, c, t);
    bandit.Learn(decision, reward);
    slow.Learn(c, row(decision.arm), reward);
    if (t % 5 == 0) {
      const std::vector<float> other = ContextNumber(1000);
      bandit.Observe(ArmId{7}, 0.5, other);
      slow.Learn(other, row(7), 0.5);
      bandit.Observe(row(8), -0.5, other);
      slow.Learn(other, row(8), -0.5);
      ++late;
    }
  }
  EXPECT_GT(late, 0);
  const std::vector<double> mean = bandit.Mean();
  const Eigen::VectorXd expected = slow.Mean();
  ASSERT_EQ(static_cast<Eigen::Index>(mean.size()), expected.size());
  for (Eigen::Index j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(mean[static_cast<std::size_t>(j)], expected[j], 1e-8);
  }
}

// Contexts that recur get orders, others are answered by first passes.
TEST_P(Contexts, ExactSearchesDecideAsTheScan) {
  constexpr std::size_t kArms = 20'000;
  Bandit certified(
      Options(policy(), CertifiedOptions{.background = false}, constants()));
  Bandit scan(Options(policy(), ScanOptions{}, constants()));
  for (Bandit* bandit : {&certified, &scan}) {
    bandit->Add(FirstIds(kArms), GaussianRows(kArms, kDim, 2));
  }
  for (int t = 0; t < 900; ++t) {
    const std::vector<float> c =
        ContextNumber(static_cast<std::uint64_t>(t % 3 == 0 ? 10 + t : t % 2));
    if (t % 10 == 9) {
      const std::vector<Decision> top = certified.ChooseBest(4, {}, c);
      const std::vector<Decision> expected = scan.ChooseBest(4, {}, c);
      for (std::size_t i = 0; i < 4; ++i) {
        ASSERT_EQ(top[i].arm, expected[i].arm) << t;
        ASSERT_EQ(top[i].score, expected[i].score) << t;
        certified.Dismiss(top[i].id);
        scan.Dismiss(expected[i].id);
      }
      continue;
    }
    const Decision decision = certified.Choose({}, c);
    const Decision expected = scan.Choose({}, c);
    ASSERT_EQ(decision.arm, expected.arm) << t;
    ASSERT_EQ(decision.score, expected.score) << t;
    const double reward = RewardOf(decision.arm, c, t);
    certified.Learn(decision, reward);
    scan.Learn(expected, reward);
    if (t % 50 == 0) {
      for (Bandit* bandit : {&certified, &scan}) {
        bandit->Remove(decision.arm);
        bandit->Add(kArms + static_cast<ArmId>(t),
                    GaussianRows(1, kDim, 100 + static_cast<unsigned>(t)));
      }
    }
  }
  EXPECT_GT(certified.stats().snapshots, 0U);
  EXPECT_GT(certified.stats().first_passes, 0U);
}

TEST_P(Contexts, AreSavedWithWhatIsPending) {
  Bandit bandit(Options(policy(), CertifiedOptions{}, constants()));
  bandit.Add(FirstIds(50), GaussianRows(50, kDim, 3));
  std::vector<Decision> pending;
  for (int t = 0; t < 30; ++t) {
    const std::vector<float> c = ContextNumber(static_cast<std::uint64_t>(t));
    const Decision decision = bandit.Choose({}, c);
    if (t % 3 == 0) {
      pending.push_back(decision);
    } else {
      bandit.Learn(decision, RewardOf(decision.arm, c, t));
    }
  }
  Bandit loaded = testing::Loaded(testing::Bytes(bandit));
  EXPECT_EQ(loaded.options(), bandit.options());
  for (const Decision& decision : pending) {
    bandit.Learn(decision, 1.5);
    loaded.Learn(decision, 1.5);
  }
  for (int t = 0; t < 30; ++t) {
    const std::vector<float> c =
        ContextNumber(100 + static_cast<std::uint64_t>(t));
    const Decision decision = bandit.Choose({}, c);
    const Decision same = loaded.Choose({}, c);
    ASSERT_EQ(decision.arm, same.arm);
    ASSERT_EQ(decision.score, same.score);
    bandit.Learn(decision, 0.1 * t);
    loaded.Learn(same, 0.1 * t);
  }
}

// A learner of a population decides as a bandit of its own, also after it was
// exported and imported.
TEST_P(Contexts, LearnersDecideAsBandits) {
  const BanditOptions options =
      Options(policy(), CertifiedOptions{.background = false}, constants());
  Population population({.dim = options.dim,
                         .policy = options.policy,
                         .search = options.search,
                         .regularisation = options.regularisation,
                         .context_dim = options.context_dim,
                         .context_constants = options.context_constants,
                         .seed = options.seed});
  const std::vector<ArmId> ids = FirstIds(3'000);
  const std::vector<float> rows = GaussianRows(ids.size(), kDim, 4);
  population.Add(ids, rows);
  const std::vector<LearnerKey> keys = {7, "a user"};
  std::vector<Bandit> bandits;
  for (const LearnerKey& key : keys) {
    bandits.emplace_back(population.LoneOptions(key)).Add(ids, rows);
  }
  for (int t = 0; t < 200; ++t) {
    std::vector<float> contexts;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::vector<float> c =
          ContextNumber(t % 4 == 0 ? static_cast<std::uint64_t>(t) : 5000 + k);
      contexts.insert(contexts.end(), c.begin(), c.end());
    }
    const std::vector<Decision> decisions =
        population.ChooseFor(keys, contexts);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const Context c = std::span<const float>(contexts).subspan(
          k * kContextDim, kContextDim);
      const Decision expected = bandits[k].Choose({}, c);
      ASSERT_EQ(decisions[k].arm, expected.arm) << t;
      ASSERT_EQ(decisions[k].score, expected.score) << t;
      const double reward = RewardOf(expected.arm, c, t);
      population.Learn(keys[k], decisions[k].id, reward);
      bandits[k].Learn(expected, reward);
      const ArmId some[] = {11};
      ASSERT_EQ(population.Scores(keys[k], some, c),
                bandits[k].Scores(some, c));
      ASSERT_EQ(population.Uncertainty(keys[k], some, c),
                bandits[k].Uncertainty(some, c));
    }
    if (t == 100) {
      const Decision open = population.Choose(keys[0], {}, ContextNumber(1));
      const Decision expected = bandits[0].Choose({}, ContextNumber(1));
      population.Import(keys[0], population.Export(keys[0]));
      population.Learn(keys[0], open.id, 2);
      bandits[0].Learn(expected, 2);
    }
  }
  EXPECT_EQ(population.Mean(keys[1]), bandits[1].Mean());
}

TEST_P(Contexts, OneForEachIsTheSameAsOneByOne) {
  const BanditOptions options =
      Options(policy(), CertifiedOptions{}, constants());
  Bandit together(options);
  Bandit alone(options);
  const std::vector<float> rows = GaussianRows(50, kDim, 6);
  Population population({.dim = options.dim,
                         .policy = options.policy,
                         .regularisation = options.regularisation,
                         .context_dim = options.context_dim,
                         .context_constants = options.context_constants});
  for (Bandit* bandit : {&together, &alone}) bandit->Add(FirstIds(50), rows);
  constexpr std::size_t kCount = 4;
  const FeatureRows first(rows.data(), kCount, kDim, {.row = kDim});
  for (int t = 0; t < 20; ++t) {
    std::vector<float> contexts;
    std::vector<Decision> expected;
    std::vector<double> predicted;
    std::vector<double> predicted_by_learner;
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::vector<float> c =
          ContextNumber(kCount * static_cast<std::uint64_t>(t) + i);
      contexts.insert(contexts.end(), c.begin(), c.end());
      expected.push_back(alone.Choose({}, c));
      const auto row = std::span(rows).subspan(i * kDim, kDim);
      predicted.push_back(alone.Predict(row, c));
      predicted_by_learner.push_back(population.Predict(1, row, c));
    }
    EXPECT_EQ(together.Predict(first, contexts), predicted);
    EXPECT_EQ(population.Predict(1, first, contexts), predicted_by_learner);
    const std::vector<Decision> decisions =
        together.ChooseDraws(kCount, {}, contexts);
    ASSERT_EQ(decisions.size(), kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(decisions[i].arm, expected[i].arm);
      ASSERT_EQ(decisions[i].score, expected[i].score);
      const Context c = std::span<const float>(contexts).subspan(
          i * kContextDim, kContextDim);
      const double reward = RewardOf(decisions[i].arm, c, t);
      together.Learn(decisions[i], reward);
      alone.Learn(expected[i], reward);
      population.Observe(
          1, std::span(rows).subspan(decisions[i].arm * kDim, kDim), reward, c);
    }
    ASSERT_EQ(together.Mean(), alone.Mean());
  }
  EXPECT_TRUE(together.ChooseDraws(0).empty());
}

// A context of zeros, or nearly so, has no order, and is answered all the same.
TEST_P(Contexts, MayBeZero) {
  Bandit bandit(
      Options(policy(), CertifiedOptions{.check_every = 1}, constants()));
  bandit.Add(FirstIds(5'000), GaussianRows(5'000, kDim, 5));
  const std::vector<std::vector<float>> contexts = {
      {0, 0, 0}, {1e-38F, 0, 0}, {1e-30F, -1e-25F, 0}, {1e3F, -1e3F, 1e3F}};
  for (int t = 0; t < 200; ++t) {
    const auto& c = contexts[static_cast<std::size_t>(t) % contexts.size()];
    const Decision decision = bandit.Choose({}, c);
    ASSERT_TRUE(std::isfinite(decision.score));
    bandit.Learn(decision, 0.5);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Contexts,
    ::testing::Values(std::pair(false, true), std::pair(false, false),
                      std::pair(true, true), std::pair(true, false)),
    [](const auto& tested) {
      return std::string(tested.param.first ? "Ucb" : "Thompson") +
             (tested.param.second ? "" : "WithoutConstants");
    });

// Graphs and trees serve ts with contexts, too.
TEST(ContextSearches, AllServeThompsonSampling) {
  for (const SearchOptions& search :
       {SearchOptions{HnswOptions{.shortlist = 500}},
        SearchOptions{LshOptions{}}, SearchOptions{LshTheoryOptions{}}}) {
    Bandit bandit(Options(ThompsonOptions{}, search));
    bandit.Add(FirstIds(300), GaussianRows(300, kDim, 6));
    for (int t = 0; t < 20; ++t) {
      const std::vector<float> c = ContextNumber(static_cast<std::uint64_t>(t));
      const Decision decision = bandit.Choose({}, c);
      bandit.Learn(decision, RewardOf(decision.arm, c, t));
    }
    EXPECT_EQ(bandit.pending(), 0U);
  }
}

TEST(ContextOptions, AreRefusedWhereTheyCannotWork) {
  const auto make = [](const BanditOptions& options) { Bandit{options}; };
  BanditOptions options = Options(EliminationOptions{}, CertifiedOptions{});
  ExpectError(ErrorCode::kUnsupported, {"elim", "contexts"},
              [&] { make(options); });
  options = Options(ThompsonOptions{}, CertifiedOptions{});
  options.negative_rewards = true;
  ExpectError(ErrorCode::kUnsupported, {"negative_rewards", "contexts"},
              [&] { make(options); });
  options = Options(ThompsonOptions{}, CertifiedOptions{});
  options.regularisation = 1e-4;
  ExpectError(ErrorCode::kInvalidArgument,
              {"regularisation", "0.0001", "0.001"}, [&] { make(options); });
  for (const PolicyOptions& policy :
       {PolicyOptions{ThompsonOptions{}}, PolicyOptions{UcbOptions{}}}) {
    options = Options(policy, CertifiedOptions{});
    options.dim = 63;
    options.context_dim = 64;
    ExpectError(ErrorCode::kInvalidArgument,
                {"64 values", "63 features", "4160", "4096"},
                [&] { make(options); });
    options.context_dim = ~std::size_t{0} / 2;
    ExpectError(ErrorCode::kInvalidArgument, {"4096"}, [&] { make(options); });
  }
}

TEST(ContextInput, IsCheckedBeforeAnythingChanges) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  Bandit bandit(Options(ThompsonOptions{}, CertifiedOptions{}));
  bandit.Add(FirstIds(20), GaussianRows(20, kDim, 7));
  Population population({.dim = kDim, .context_dim = kContextDim});
  population.Add(FirstIds(20), GaussianRows(20, kDim, 7));
  const std::vector<float> features(kDim, 1);
  const std::vector<ArmId> ids = {1, 2};
  const std::vector<double> rewards = {1, 2};
  const std::string before = testing::Bytes(bandit);

  const std::vector<std::pair<std::vector<float>, std::string>> wrong = {
      {{}, "no context given, must have 3 values"},
      {{1, 2}, "a context of 2 values given, must have 3"},
      {{1, 2, 3, 4}, "a context of 4 values given, must have 3"},
      {{1, kNaN, 3}, "value 1 of the context is nan"},
      {{1, 2, 1001}, "value 2 of the context is 1001"}};
  for (const auto& [c, message] : wrong) {
    const auto refused = [&](const auto& work) {
      ExpectError(ErrorCode::kInvalidArgument, {message}, work);
    };
    refused([&] { bandit.Choose({}, c); });
    refused([&] { bandit.ChooseBest(2, {}, c); });
    refused([&] { bandit.ChooseBest(0, {}, c); });
    refused([&] { bandit.ChooseDraws(2, {}, c); });
    refused([&] { bandit.Observe(ArmId{1}, 1, c); });
    refused([&] { bandit.Observe(features, 1, c); });
    refused([&] { bandit.Predict(features, c); });
    refused([&] { bandit.Scores(ids, c); });
    refused([&] { bandit.Uncertainty(ids, c); });
    refused([&] { population.Choose(1, {}, c); });
    refused([&] { population.ChooseBest(1, 2, {}, c); });
    refused([&] { population.Observe(1, ArmId{1}, 1, c); });
    refused([&] { population.Observe(1, features, 1, c); });
    refused([&] { population.Predict(1, features, c); });
    refused([&] { population.Scores(1, ids, c); });
    refused([&] { population.Uncertainty(1, ids, c); });
  }
  ExpectError(ErrorCode::kInvalidArgument, {"3 values", "6", "3 for each of 2"},
              [&] { bandit.Observe(ids, rewards, ContextNumber(1)); });
  const std::vector<LearnerKey> keys = {1, 2};
  ExpectError(ErrorCode::kInvalidArgument, {"9 values given, must have 3"},
              [&] { bandit.ChooseDraws(2, {}, std::vector<float>(9)); });
  ExpectError(ErrorCode::kInvalidArgument, {"no contexts", "2 of 3 values"},
              [&] { population.ChooseFor(keys); });
  const std::vector<float> second_is_wrong = {1, 2, 3, 1, kNaN, 3};
  for (const auto& work : {std::function<void()>([&] {
                             population.ChooseFor(keys, second_is_wrong);
                           }),
                           std::function<void()>([&] {
                             bandit.ChooseDraws(2, {}, second_is_wrong);
                           }),
                           std::function<void()>([&] {
                             bandit.Observe(ids, rewards, second_is_wrong);
                           })}) {
    ExpectError(ErrorCode::kInvalidArgument, {"value 1 of context 1 is nan"},
                work);
  }
  EXPECT_EQ(testing::Bytes(bandit), before);
  EXPECT_EQ(population.learners(), 0U);

  Bandit without({.dim = kDim});
  without.Add(FirstIds(20), GaussianRows(20, kDim, 7));
  ExpectError(ErrorCode::kInvalidArgument, {"3 values", "context_dim is 0"},
              [&] { without.Choose({}, ContextNumber(1)); });

  const Population other({.dim = kDim, .context_dim = 2});
  population.Choose(1, {}, ContextNumber(1));
  Population receiver({.dim = kDim, .context_dim = 2});
  ExpectError(ErrorCode::kInvalidArgument,
              {"contexts of 3 values", "contexts of 2 values"},
              [&] { receiver.Import(1, population.Export(1)); });
}

}  // namespace
}  // namespace manyarms
