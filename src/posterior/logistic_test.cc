#include "posterior/logistic.h"

#include <Eigen/Dense>
#include <cmath>

#include "posterior/posterior.h"
#include "testing.h"

namespace manyarms {
namespace {

// The slow twin: the mode by bisection.
double ModeByBisection(double predictor, double variance, double click) {
  double low = predictor - variance - 1;
  double high = predictor + variance + 1;
  for (int i = 0; i < 300; ++i) {
    const double middle = low + (high - low) / 2;
    const double value =
        middle - predictor - variance * (click - Sigmoid(middle));
    (value > 0 ? high : low) = middle;
  }
  return low;
}

TEST(Sigmoid, IsAProbability) {
  EXPECT_DOUBLE_EQ(Sigmoid(0), 0.5);
  EXPECT_NEAR(Sigmoid(1), 0.7310585786300049, 1e-15);
  EXPECT_NEAR(Sigmoid(-30), 9.357622968839299e-14, 1e-27);
  EXPECT_EQ(Sigmoid(1e9), 1);
  EXPECT_EQ(Sigmoid(-1e9), 0);
}

// A normal belief with this mean and variance, after the linear observation,
// has its mean at the mode and the curvature of the mode in its precision.
TEST(LinearisedClick, PutsTheMeanAtTheMode) {
  for (const double predictor : {-30.0, -5.0, -0.3, 0.0, 2.0, 12.0, 35.0}) {
    for (const double variance : {1e-6, 0.01, 1.0, 100.0, 1e6}) {
      for (const double click : {0.0, 0.2, 0.7, 1.0}) {
        const double mode = ModeByBisection(predictor, variance, click);
        if (std::abs(mode) > 39) continue;  // see the next test
        const WeightedReward found =
            LinearisedClick(predictor, variance, click);
        const double weight = found.root * found.root;
        const double precision = 1 / variance + weight;
        const double mean =
            (predictor / variance + found.root * found.reward) / precision;
        EXPECT_NEAR(mean, mode, 1e-9 * (1 + std::abs(mode)))
            << predictor << " " << variance << " " << click;
        EXPECT_NEAR(weight / (Sigmoid(mode) * Sigmoid(-mode)), 1, 1e-6);
      }
    }
  }
}

TEST(LinearisedClick, StaysFiniteFarOut) {
  for (const double predictor : {-1e9, -700.0, 700.0, 1e9}) {
    for (const double variance : {1e-12, 1.0, 1e12, 1e21}) {
      for (const double click : {0.0, 0.5, 1.0}) {
        const WeightedReward found =
            LinearisedClick(predictor, variance, click);
        EXPECT_TRUE(std::isfinite(found.reward));
        EXPECT_GT(found.root, 0);
        EXPECT_LE(found.root, 0.5);
      }
    }
  }
}

// An extended Kalman filter would go to -90 here.
TEST(LinearisedClick, DoesNotOvershoot) {
  const WeightedReward found = LinearisedClick(10, 100, 0);
  const double precision = 1 / 100.0 + found.root * found.root;
  const double mean = (10 / 100.0 + found.root * found.reward) / precision;
  EXPECT_LT(mean, 0);
  EXPECT_GT(mean, -5);
}

// The dense twin: Newton's method in all dimensions for each click, V and mean
// stored as they are.
class DenseClicks {
 public:
  DenseClicks(Eigen::Index dim, double lambda)
      : v_(lambda * Eigen::MatrixXd::Identity(dim, dim)),
        mean_(Eigen::VectorXd::Zero(dim)) {}

  void Update(const Eigen::VectorXd& x, double click) {
    Eigen::VectorXd theta = mean_;
    for (int i = 0; i < 100; ++i) {
      const double q = Sigmoid(x.dot(theta));
      const Eigen::MatrixXd curvature = v_ + q * (1 - q) * x * x.transpose();
      const Eigen::VectorXd slope = v_ * (theta - mean_) - (click - q) * x;
      Eigen::VectorXd step = curvature.inverse() * slope;
      const double loss = Loss(theta, x, click);
      // Near the mode the loss changes by rounding errors alone.
      for (int half = 0;
           half < 60 && Loss(theta - step, x, click) > loss + 1e-9; ++half) {
        step /= 2;
      }
      theta -= step;
      if (step.norm() < 1e-14) break;
    }
    const double q = Sigmoid(x.dot(theta));
    v_ += q * (1 - q) * x * x.transpose();
    mean_ = theta;
  }

  const Eigen::MatrixXd& v() const { return v_; }
  const Eigen::VectorXd& mean() const { return mean_; }

 private:
  // The negative logarithm of the density, but for a constant.
  double Loss(const Eigen::VectorXd& theta, const Eigen::VectorXd& x,
              double click) const {
    const Eigen::VectorXd apart = theta - mean_;
    const double eta = x.dot(theta);
    return apart.dot(v_ * apart) / 2 - click * eta + std::max(eta, 0.0) +
           std::log1p(std::exp(-std::abs(eta)));
  }

  Eigen::MatrixXd v_;
  Eigen::VectorXd mean_;
};

TEST(Clicks, AgreeWithADenseLaplaceApproximation) {
  for (const std::size_t dim : {1U, 3U, 16U, 70U}) {
    const auto n = static_cast<Eigen::Index>(dim);
    Posterior posterior(dim, 0.5, {.rewards = RewardModel::kClicks});
    posterior.KeepInverse();
    DenseClicks twin(n, 0.5);
    const auto rows = testing::GaussianRows(100, dim, dim);
    for (std::size_t t = 0; t < 100; ++t) {
      const auto x = std::span(rows).subspan(t * dim, dim);
      const double click = t % 3 == 0 ? 1 : (t % 7 == 0 ? 0.25 : 0);
      posterior.Update(x, click);
      twin.Update(Eigen::Map<const Eigen::VectorXf>(x.data(), n).cast<double>(),
                  click);
      ASSERT_LT((posterior.Mean() - twin.mean()).norm(),
                1e-8 * (1 + twin.mean().norm()));
    }
    EXPECT_LT((posterior.moments().v - twin.v()).norm(),
              1e-8 * twin.v().norm());
    const Eigen::MatrixXd a = posterior.Inverse();
    EXPECT_LT(
        (a.transpose() * a * twin.v() - Eigen::MatrixXd::Identity(n, n)).norm(),
        1e-8);
  }
}

TEST(Clicks, MustBeShares) {
  Posterior posterior(1, 1, {.rewards = RewardModel::kClicks});
  const std::vector<float> x = {1};
  for (const double wrong : {-0.1, 1.5, 2.0, std::nan("")}) {
    testing::ExpectError(ErrorCode::kInvalidArgument,
                         {"reward", "clicks", "from 0 to 1"},
                         [&] { posterior.Update(x, wrong); });
  }
  EXPECT_EQ(posterior.version(), 0U);
}

}  // namespace
}  // namespace manyarms
