#include "posterior/hierarchy.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "manyarms/random.h"

namespace manyarms {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Role = RandomStream::Role;

constexpr Index kDim = 3;
constexpr double kLambda = 0.8;

MatrixXd Gaussians(Index rows, Index columns, std::uint64_t seed) {
  MatrixXd values(rows, columns);
  RandomStream(seed, Role::kArm, 0)
      .Gaussians(
          std::span(values.data(), static_cast<std::size_t>(values.size())));
  return values;
}

// A learner's rewards r for the rows of x.
struct Rewards {
  MatrixXd x;
  VectorXd r;

  Evidence AsEvidence() const {
    return {.gram = x.transpose() * x,
            .moment = x.transpose() * r,
            .squares = r.squaredNorm(),
            .rewards = static_cast<double>(r.size())};
  }
};

// Learners around a common mean; the first ones have few rewards.
std::vector<Rewards> Draw(std::size_t learners, Index most,
                          const VectorXd& mean, const MatrixXd& lower,
                          double deviation) {
  std::vector<Rewards> drawn;
  drawn.reserve(learners);
  for (std::size_t u = 0; u < learners; ++u) {
    const Index count =
        std::min<Index>(most, 1 + static_cast<Index>(u) * most / 4);
    const VectorXd theta = mean + lower * Gaussians(kDim, 1, 1000 + u);
    const MatrixXd x = Gaussians(count, kDim, 2000 + u);
    drawn.push_back({x, x * theta + deviation * Gaussians(count, 1, 3000 + u)});
  }
  return drawn;
}

std::vector<Evidence> AsEvidence(const std::vector<Rewards>& learners) {
  std::vector<Evidence> evidence;
  evidence.reserve(learners.size());
  for (const Rewards& learner : learners) {
    evidence.push_back(learner.AsEvidence());
  }
  return evidence;
}

MatrixXd SomeLower() {
  MatrixXd lower(kDim, kDim);
  lower << 1.2, 0, 0, 0.6, 0.5, 0, -0.3, 0.2, 0.9;
  return lower;
}

// mu and the coefficients of all learners as one normal vector.
TEST(Hierarchy, KnowsTheCommonMeanAsADenseModelDoes) {
  const auto learners =
      Draw(6, 8, VectorXd::LinSpaced(kDim, -1, 2), SomeLower(), 0.5);
  const MatrixXd sigma = SomeLower() * SomeLower().transpose();
  const double noise = 0.3;
  const MatrixXd precision = noise * sigma.inverse();
  const auto count = static_cast<Index>(learners.size());

  MatrixXd joint = MatrixXd::Zero((count + 1) * kDim, (count + 1) * kDim);
  VectorXd moment = VectorXd::Zero((count + 1) * kDim);
  joint.topLeftCorner(kDim, kDim) = kLambda * MatrixXd::Identity(kDim, kDim) +
                                    static_cast<double>(count) * precision;
  for (Index u = 0; u < count; ++u) {
    const Rewards& learner = learners[static_cast<std::size_t>(u)];
    const Index at = (u + 1) * kDim;
    joint.block(at, at, kDim, kDim) =
        precision + learner.x.transpose() * learner.x;
    joint.block(0, at, kDim, kDim) = -precision;
    joint.block(at, 0, kDim, kDim) = -precision;
    moment.segment(at, kDim) = learner.x.transpose() * learner.r;
  }
  const MatrixXd covariance = joint.inverse();
  const VectorXd mean = covariance * moment;

  const Hierarchy hierarchy(kLambda, precision, noise);
  const auto evidence = AsEvidence(learners);
  const auto common = hierarchy.MeanGiven(evidence);
  EXPECT_LT((common.mean - mean.head(kDim)).norm(), 1e-10);
  EXPECT_LT((common.covariance - covariance.topLeftCorner(kDim, kDim)).norm(),
            1e-10);

  // A learner without rewards differs from mu by Sigma.
  const GaussianPrior prior = hierarchy.PriorGiven(evidence);
  const MatrixXd of_new =
      (covariance.topLeftCorner(kDim, kDim) + sigma / noise).inverse();
  for (Index i = 0; i < kDim; ++i) {
    EXPECT_NEAR(prior.mean[static_cast<std::size_t>(i)], mean[i], 1e-10);
    for (Index j = 0; j < kDim; ++j) {
      EXPECT_NEAR(prior.precision[static_cast<std::size_t>(i * kDim + j)],
                  of_new(i, j), 1e-9);
    }
  }
}

// The logarithm of the density of all rewards, but for a constant.
double Likelihood(const std::vector<Rewards>& learners,
                  const Hierarchy& hierarchy) {
  const MatrixXd sigma = hierarchy.noise() * hierarchy.precision().inverse();
  const MatrixXd of_mean =
      hierarchy.noise() / kLambda * MatrixXd::Identity(kDim, kDim);
  Index all = 0;
  for (const Rewards& learner : learners) all += learner.r.size();
  MatrixXd covariance = hierarchy.noise() * MatrixXd::Identity(all, all);
  VectorXd rewards(all);
  Index row = 0;
  for (const Rewards& one : learners) {
    Index column = 0;
    for (const Rewards& other : learners) {
      const bool same = &one == &other;
      covariance.block(row, column, one.r.size(), other.r.size()) +=
          one.x * (same ? MatrixXd(of_mean + sigma) : of_mean) *
          other.x.transpose();
      column += other.r.size();
    }
    rewards.segment(row, one.r.size()) = one.r;
    row += one.r.size();
  }
  const Eigen::LLT<MatrixXd> factor(covariance);
  const MatrixXd lower = factor.matrixL();
  return -lower.diagonal().array().log().sum() -
         0.5 * rewards.dot(factor.solve(rewards));
}

TEST(Hierarchy, ImprovesTheLikelihoodStepByStep) {
  const auto learners =
      Draw(40, 12, VectorXd::LinSpaced(kDim, -1, 2), SomeLower(), 0.5);
  const auto evidence = AsEvidence(learners);
  Hierarchy hierarchy(kDim, kLambda);
  double before = Likelihood(learners, hierarchy);
  for (int step = 0; step < 6; ++step) {
    hierarchy.Improve(evidence);
    const double after = Likelihood(learners, hierarchy);
    EXPECT_GT(after, before) << step;
    before = after;
  }
}

// Entries of a covariance that is estimated from 800 learners have standard
// deviations of up to sqrt(2/800) = 5 % of the largest variances, the noise
// from 15,000 rewards one of 1 %. The margins are four of them and 1 % for the
// multiple of I that is mixed in.
TEST(Hierarchy, FindsHowLearnersDiffer) {
  const MatrixXd sigma = SomeLower() * SomeLower().transpose();
  const auto learners =
      Draw(800, 20, VectorXd::LinSpaced(kDim, -1, 2), SomeLower(), 0.5);
  const auto evidence = AsEvidence(learners);
  Hierarchy hierarchy(kDim, kLambda);
  for (int step = 0; step < 40; ++step) hierarchy.Improve(evidence);
  EXPECT_NEAR(hierarchy.noise(), 0.25, 0.04 * 0.25);
  const MatrixXd found = hierarchy.noise() * hierarchy.precision().inverse();
  EXPECT_LT((found - sigma).cwiseAbs().maxCoeff(), 0.21 * sigma.maxCoeff());
  // The mean of 800 has a standard deviation of at most 1.5/sqrt(800) = 0.05.
  const VectorXd mean = hierarchy.MeanGiven(evidence).mean;
  EXPECT_LT((mean - VectorXd::LinSpaced(kDim, -1, 2)).cwiseAbs().maxCoeff(),
            0.2);
}

TEST(Hierarchy, BearsRewardsThatAreAllZero) {
  std::vector<Rewards> learners =
      Draw(20, 5, VectorXd::Zero(kDim), SomeLower(), 0.5);
  for (Rewards& learner : learners) learner.r.setZero();
  const auto evidence = AsEvidence(learners);
  Hierarchy hierarchy(kDim, kLambda);
  for (int step = 0; step < 100; ++step) hierarchy.Improve(evidence);
  EXPECT_GT(hierarchy.noise(), 0);
  const GaussianPrior prior = hierarchy.PriorGiven(evidence);
  EXPECT_NO_THROW(PriorFactor(prior, kDim, 1e-3));
  for (const double value : prior.mean) EXPECT_EQ(value, 0);
}

// What a posterior has learned since its prior is what its rewards say.
TEST(Hierarchy, TakesEvidenceFromAPosterior) {
  const MatrixXd lower = SomeLower();
  const MatrixXd precision = lower * lower.transpose();
  GaussianPrior prior{.mean = {0.5, -2, 1}, .precision = {}};
  prior.precision.assign(precision.data(), precision.data() + 9);
  Posterior posterior(PriorFactor(prior, kDim, 1e-9));
  const Rewards rewards = Draw(1, 7, VectorXd::Ones(kDim), lower, 0.5).front();
  for (Index i = 0; i < rewards.r.size(); ++i) {
    const VectorXd x = rewards.x.row(i);
    posterior.Update(std::span<const double>(x.data(), kDim), rewards.r[i]);
  }
  const Evidence found = EvidenceOf(posterior, prior);
  const Evidence expected = rewards.AsEvidence();
  EXPECT_LT((found.gram - expected.gram).norm(), 1e-12);
  EXPECT_LT((found.moment - expected.moment).norm(), 1e-12);
  EXPECT_NEAR(found.squares, expected.squares, 1e-12);
  EXPECT_EQ(found.rewards, expected.rewards);
}

}  // namespace
}  // namespace manyarms
