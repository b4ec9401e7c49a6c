// gloc-ts and qgloc beside slow twins that are written from the paper of Jun,
// Bhargava, Nowak and Willett ("Scalable Generalized Linear Bandits", 2017),
// with every matrix dense.

#include <Eigen/Dense>
#include <cmath>
#include <ostream>

#include "manyarms/bandit.h"
#include "manyarms/population.h"
#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::ExpectError;

constexpr std::size_t kDim = 5;
constexpr std::size_t kArms = 400;
constexpr double kLambda = 0.7;
constexpr std::uint64_t kSeed = 11;

struct Setting {
  const char* name;
  RewardModel rewards;
  double norm_bound;
  double curvature;

  friend std::ostream& operator<<(std::ostream& out, const Setting& setting) {
    return out << setting.name;
  }
};

double Logistic(double z) { return 1 / (1 + std::exp(-z)); }

class Twin {
 public:
  explicit Twin(const Setting& setting) : setting_(setting) {
    kappa_ = setting.curvature;
    const double q = Logistic(setting.norm_bound);
    if (kappa_ == 0) kappa_ = clicks() ? q * (1 - q) : 1;
  }

  // Algorithm 1 with Algorithm 2 as its online learner, where epsilon is
  // lambda.
  void Learn(const VectorXd& x, double y) {
    const double z = x.dot(theta_);
    v_ += x * x.transpose();
    sum_ += z * x;
    theta_ -= ((clicks() ? Logistic(z) : z) - y) / kappa_ * (v_.inverse() * x);
    if (theta_.norm() > setting_.norm_bound) Project();
  }

  // GLOC-TS: a draw from N(theta-hat, beta V^-1), by the generator that a
  // bandit's number `choice` uses.
  VectorXd Draw(double root_of_beta, std::uint64_t choice) const {
    VectorXd xi(kDim);
    RandomStream(kSeed, RandomStream::Role::kSample, choice)
        .Gaussians(std::span(xi.data(), kDim));
    const MatrixXd lower = v_.llt().matrixL();
    return v_.inverse() * sum_ +
           root_of_beta * lower.transpose().inverse() * xi;
  }

  // QGLOC, equations 7 and 8.
  double QuadraticScore(const VectorXd& x, double root_of_beta,
                        double shortest) const {
    const double beta = root_of_beta * root_of_beta;
    const double c_0 = 1;
    const MatrixXd inverse = v_.inverse();
    const double m =
        shortest *
        std::sqrt(
            Eigen::SelfAdjointEigenSolver<MatrixXd>(inverse).eigenvalues()[0]);
    return x.dot(inverse * sum_) +
           std::pow(beta, 0.25) / (4 * c_0 * m) * x.dot(inverse * x);
  }

 private:
  bool clicks() const { return setting_.rewards == RewardModel::kClicks; }

  void Project() {
    const auto point = [this](double mu) -> VectorXd {
      return (v_ + mu * MatrixXd::Identity(kDim, kDim))
          .fullPivLu()
          .solve(v_ * theta_);
    };
    double low = 0;
    double high = 1;
    while (point(high).norm() > setting_.norm_bound) high *= 2;
    for (int i = 0; i < 200; ++i) {
      const double middle = (low + high) / 2;
      (point(middle).norm() > setting_.norm_bound ? low : high) = middle;
    }
    theta_ = point(high);
  }

  const Setting setting_;
  double kappa_ = 1;
  MatrixXd v_ = kLambda * MatrixXd::Identity(kDim, kDim);
  VectorXd sum_ = VectorXd::Zero(kDim);
  VectorXd theta_ = VectorXd::Zero(kDim);
};

class Gloc : public ::testing::TestWithParam<Setting> {
 protected:
  Gloc() : rows_(testing::GaussianRows(kArms, kDim, 3)) {}

  Bandit MakeBandit(const PolicyOptions& policy,
                    const SearchOptions& search = ScanOptions{}) const {
    Bandit bandit({.dim = kDim,
                   .policy = policy,
                   .search = search,
                   .regularisation = kLambda,
                   .rewards = GetParam().rewards,
                   .seed = kSeed});
    bandit.Add(testing::FirstIds(kArms), rows_);
    return bandit;
  }

  VectorXd Arm(ArmId id) const {
    return Eigen::Map<const Eigen::VectorXf>(&rows_[id * kDim], kDim)
        .cast<double>();
  }

  double Reward(ArmId id, std::uint64_t step) const {
    RandomStream random(9, RandomStream::Role::kNoise, step);
    const double mean = Arm(id)[0] - 0.5 * Arm(id)[1];
    if (GetParam().rewards == RewardModel::kLinear) {
      return mean + 0.3 * random.Gaussian();
    }
    return random.Uniform() < Logistic(mean) ? 1 : 0;
  }

  GlocTsOptions ThompsonOptionsOf(double exploration) const {
    return {.exploration = exploration,
            .norm_bound = GetParam().norm_bound,
            .curvature = GetParam().curvature};
  }
  QglocOptions QuadraticOptionsOf(double exploration, double shortest) const {
    return {.exploration = exploration,
            .norm_bound = GetParam().norm_bound,
            .curvature = GetParam().curvature,
            .shortest = shortest};
  }

  // The score that the bandit reports, before it becomes a probability.
  double ScoreOf(const Decision& decision) const {
    if (GetParam().rewards == RewardModel::kLinear) return decision.score;
    return std::log(decision.score / (1 - decision.score));
  }

  // Plays 300 steps. In each the chosen arm must be the best by the twin's
  // score, and have that score, but for rounding to float.
  template <class Score>
  void ExpectTheTwinsChoices(Bandit bandit, const Score& score) {
    Twin twin(GetParam());
    for (std::uint64_t step = 0; step < 300; ++step) {
      const auto of = score(twin, step);
      double best = -HUGE_VAL;
      for (ArmId id = 0; id < kArms; ++id) best = std::max(best, of(Arm(id)));
      const Decision decision = bandit.Choose();
      const double tolerance = 1e-4 * (1 + std::abs(best));
      ASSERT_NEAR(of(Arm(decision.arm)), best, tolerance) << step;
      if (std::abs(best) < 5) {  // otherwise a probability has few digits left
        ASSERT_NEAR(ScoreOf(decision), best, 1e-3) << step;
      }
      const double reward = Reward(decision.arm, step);
      bandit.Learn(decision, reward);
      twin.Learn(Arm(decision.arm), reward);
    }
  }

  std::vector<float> rows_;
};

TEST_P(Gloc, ThompsonSamplingIsTheSlowTwins) {
  ExpectTheTwinsChoices(MakeBandit(ThompsonOptionsOf(0.8)),
                        [](const Twin& twin, std::uint64_t step) {
                          const VectorXd draw = twin.Draw(0.8, step);
                          return
                              [draw](const VectorXd& x) { return draw.dot(x); };
                        });
}

TEST_P(Gloc, QuadraticScoreIsThePublishedFormula) {
  for (const double exploration : {0.0, 0.02, 2.0}) {
    for (const double shortest : {0.5, 1.0}) {
      ExpectTheTwinsChoices(
          MakeBandit(QuadraticOptionsOf(exploration, shortest)),
          [=](const Twin& twin, std::uint64_t) {
            return [=, &twin](const VectorXd& x) {
              return twin.QuadraticScore(x, exploration, shortest);
            };
          });
    }
  }
}

TEST_P(Gloc, CertifiedSearchDecidesAsAScan) {
  for (const PolicyOptions& policy :
       {PolicyOptions{ThompsonOptionsOf(0.8)},
        PolicyOptions{QuadraticOptionsOf(0.05, 1)}}) {
    Bandit scan = MakeBandit(policy);
    Bandit certified =
        MakeBandit(policy, CertifiedOptions{.background = false});
    for (std::uint64_t step = 0; step < 2000; ++step) {
      const Decision expected = scan.Choose();
      const Decision found = certified.Choose();
      ASSERT_EQ(found.arm, expected.arm) << step;
      ASSERT_EQ(found.score, expected.score) << step;
      scan.Learn(expected, Reward(expected.arm, step));
      certified.Learn(found, Reward(found.arm, step));
    }
    EXPECT_GT(certified.stats().snapshots, 0U);  // an order was used
  }
}

TEST_P(Gloc, PopulationsDecideAsBandits) {
  for (const PolicyOptions& policy :
       {PolicyOptions{ThompsonOptionsOf(0.8)},
        PolicyOptions{QuadraticOptionsOf(0.05, 1)}}) {
    Population population({.dim = kDim,
                           .policy = policy,
                           .regularisation = kLambda,
                           .rewards = GetParam().rewards,
                           .seed = kSeed});
    population.Add(testing::FirstIds(kArms), rows_);
    std::vector<Bandit> bandits;
    for (std::uint64_t learner = 0; learner < 3; ++learner) {
      bandits.emplace_back(population.LoneOptions(learner));
      bandits.back().Add(testing::FirstIds(kArms), rows_);
    }
    for (std::uint64_t step = 0; step < 300; ++step) {
      Bandit& bandit = bandits[step % 3];
      const Decision expected = bandit.Choose();
      const Decision found = population.Choose(step % 3);
      ASSERT_EQ(found.arm, expected.arm) << step;
      const double reward = Reward(found.arm, step);
      bandit.Learn(expected, reward);
      population.Learn(step % 3, found.id, reward);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, Gloc,
    ::testing::Values(
        Setting{"Linear", RewardModel::kLinear, 100, 0},
        Setting{"LinearInSmallBall", RewardModel::kLinear, 0.6, 0},
        Setting{"Clicks", RewardModel::kClicks, 2, 0},
        Setting{"ClicksInSmallBall", RewardModel::kClicks, 0.6, 0.15}),
    [](const auto& setting) { return setting.param.name; });

TEST(GlocOptions, OutOfBoundsAreRefused) {
  const auto bad = [](const std::vector<std::string>& parts,
                      const PolicyOptions& policy) {
    ExpectError(ErrorCode::kInvalidArgument, parts,
                [&] { Bandit bandit({.dim = 2, .policy = policy}); });
  };
  bad({"norm bound is 0", "1e-06"}, GlocTsOptions{.norm_bound = 0});
  bad({"norm bound is 2000000", "1e+06"}, QglocOptions{.norm_bound = 2e6});
  bad({"norm bound is nan"}, GlocTsOptions{.norm_bound = std::nan("")});
  bad({"curvature is -1", "0"}, GlocTsOptions{.curvature = -1});
  bad({"curvature is 1.5", "1"}, QglocOptions{.curvature = 1.5});
  bad({"shortest is 0", "0.001"}, QglocOptions{.shortest = 0});
  bad({"exploration is -1"}, QglocOptions{.exploration = -1});
}

TEST(GlocOptions, ThatCannotBeUsedTogetherAreRefused) {
  for (const PolicyOptions& policy :
       {PolicyOptions{GlocTsOptions{}}, PolicyOptions{QglocOptions{}}}) {
    const std::string name(PolicyName(policy));
    const auto refused = [&](const std::vector<std::string>& parts,
                             BanditOptions options) {
      options.dim = 2;
      options.policy = policy;
      ExpectError(ErrorCode::kUnsupported, parts,
                  [&] { Bandit bandit(options); });
    };
    refused({"forgetting", name}, {.forgetting = 0.9});
    refused({"prior", name}, {.prior = GaussianPrior{
                                  .mean = {0, 0}, .precision = {1, 0, 0, 1}}});
    Bandit bandit({.dim = 2, .policy = policy});
    ExpectError(ErrorCode::kUnsupported, {name, "cannot forget"},
                [&] { bandit.Forget(0.5); });
    Population population({.dim = 2, .policy = policy});
    ExpectError(ErrorCode::kUnsupported, {name, "cannot forget"},
                [&] { population.Forget(1, 0.5); });
    ExpectError(ErrorCode::kUnsupported, {name, "shared prior"}, [&] {
      Population shared({.dim = 2, .policy = policy, .prior = SharedPrior{}});
    });
  }
  for (const PolicyOptions& policy :
       {PolicyOptions{GlocTsOptions{.exploration = TheoryRadius{10}}},
        PolicyOptions{QglocOptions{.exploration = TheoryRadius{10}}}}) {
    ExpectError(ErrorCode::kUnsupported,
                {"theory", std::string(PolicyName(policy))},
                [&] { Bandit bandit({.dim = 2, .policy = policy}); });
  }
  ExpectError(ErrorCode::kUnsupported, {"qgloc", "lsh-theory"}, [] {
    Bandit bandit(
        {.dim = 2, .policy = QglocOptions{}, .search = LshTheoryOptions{}});
  });
  ExpectError(ErrorCode::kUnsupported, {"qgloc", "hnsw", "257", "256"}, [] {
    Bandit bandit(
        {.dim = 257, .policy = QglocOptions{}, .search = HnswOptions{}});
  });
}

}  // namespace
}  // namespace manyarms
