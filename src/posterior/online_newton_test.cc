#include "posterior/online_newton.h"

#include <Eigen/Dense>
#include <cmath>
#include <sstream>

#include "posterior/posterior.h"
#include "testing.h"

namespace manyarms {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd Gaussian(std::size_t dim, std::uint64_t index) {
  VectorXd values(static_cast<Eigen::Index>(dim));
  RandomStream(4, RandomStream::Role::kNoise, index)
      .Gaussians(std::span(values.data(), dim));
  return values;
}

// The nearest point of a ball by bisection of the multiplier, with a dense
// solve at each step.
VectorXd NearestByBisection(const VectorXd& theta, double radius,
                            const MatrixXd& a) {
  const auto point = [&](double mu) -> VectorXd {
    const MatrixXd shifted =
        a + mu * MatrixXd::Identity(theta.size(), theta.size());
    return shifted.fullPivLu().solve(a * theta);
  };
  double low = 0;
  double high = 1;
  while (point(high).norm() > radius) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (point(middle).norm() > radius ? low : high) = middle;
  }
  return point(high);
}

MatrixXd RandomFactor(std::size_t dim, std::uint64_t seed, double spread) {
  const auto n = static_cast<Eigen::Index>(dim);
  MatrixXd a = 1e-2 * MatrixXd::Identity(n, n);
  for (std::uint64_t i = 0; i < 3 * dim; ++i) {
    VectorXd x = Gaussian(dim, 1000 * seed + i);
    x[0] *= spread;
    a += x * x.transpose();
  }
  return a.llt().matrixL();
}

TEST(NearestInBall, IsThatOfABisection) {
  for (const std::size_t dim : {1U, 2U, 5U, 20U}) {
    for (const double spread : {1.0, 1e3}) {
      for (const double radius : {1e-3, 0.5, 1.0, 30.0}) {
        for (const double length : {1.0 + 1e-9, 1.5, 1e6}) {
          const MatrixXd lower = RandomFactor(dim, dim, spread);
          VectorXd theta = Gaussian(dim, 77);
          theta *= radius * length / theta.norm();
          const VectorXd near = NearestInBall(theta, radius, lower);
          const VectorXd expected =
              NearestByBisection(theta, radius, lower * lower.transpose());
          EXPECT_NEAR(near.norm(), radius, 1e-12 * radius);
          EXPECT_LE((near - expected).norm(), 1e-6 * radius)
              << dim << " features, spread " << spread << ", radius " << radius
              << ", length " << length;
        }
      }
    }
  }
}

// No point of the ball that is drawn at random is nearer.
TEST(NearestInBall, IsTheNearest) {
  const MatrixXd lower = RandomFactor(6, 1, 10);
  const VectorXd theta = 3 * Gaussian(6, 5);
  const VectorXd near = NearestInBall(theta, 1, lower);
  const double distance = (lower.transpose() * (near - theta)).norm();
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    VectorXd other = near + 0.1 * Gaussian(6, 100 + i);
    if (other.norm() > 1) other /= other.norm();
    EXPECT_GE((lower.transpose() * (other - theta)).norm(),
              distance * (1 - 1e-12));
  }
}

// Algorithms 1 and 2 of the paper, with every matrix written out.
struct SlowGloc {
  SlowGloc(std::size_t dim, double lambda, const PseudoRewards& settings,
           RewardModel model)
      : n(static_cast<Eigen::Index>(dim)),
        a(lambda * MatrixXd::Identity(n, n)),
        v(a),
        xz(VectorXd::Zero(n)),
        theta(VectorXd::Zero(n)),
        s(settings.norm_bound),
        clicks(model == RewardModel::kClicks) {
    kappa = settings.curvature;
    const double q = 1 / (1 + std::exp(-s));
    if (kappa == 0) kappa = clicks ? q * (1 - q) : 1;
  }

  void Learn(const VectorXd& x, double y) {
    const double z = x.dot(theta);
    v += x * x.transpose();
    xz += z * x;
    a += x * x.transpose();
    const double mu = clicks ? 1 / (1 + std::exp(-z)) : z;
    theta -= (mu - y) / kappa * (a.inverse() * x);
    if (theta.norm() > s) {
      ++projections;
      theta = NearestByBisection(theta, s, a);
    }
  }

  VectorXd Mean() const { return v.inverse() * xz; }

  Eigen::Index n;
  MatrixXd a;
  MatrixXd v;
  VectorXd xz;
  VectorXd theta;
  double s;
  bool clicks;
  double kappa = 1;
  int projections = 0;
};

TEST(PseudoRewards, AreThoseOfASlowTwin) {
  for (const RewardModel model : {RewardModel::kLinear, RewardModel::kClicks}) {
    for (const PseudoRewards settings :
         {PseudoRewards{1, 0}, PseudoRewards{0.3, 0}, PseudoRewards{100, 0.2},
          PseudoRewards{2, 0.01}}) {
      constexpr std::size_t kDim = 5;
      Posterior fast(
          kDim, 0.5,
          {.rewards = model, .forgetting = 1, .pseudo_rewards = settings});
      SlowGloc slow(kDim, 0.5, settings, model);
      const VectorXd truth = Gaussian(kDim, 1);
      for (std::uint64_t t = 0; t < 300; ++t) {
        const std::vector<float> row = testing::GaussianRows(1, kDim, t);
        const VectorXd x =
            Eigen::Map<const Eigen::VectorXf>(row.data(), kDim).cast<double>();
        double reward = truth.dot(x);
        if (model == RewardModel::kClicks) reward = reward > 0 ? 1 : 0;
        fast.Update(row, reward);
        slow.Learn(x, reward);
        const double scale = 1 + slow.Mean().norm();
        ASSERT_LE((fast.Mean() - slow.Mean()).norm(), 1e-7 * scale) << t;
        ASSERT_NEAR(fast.Width(row), std::sqrt(x.dot(slow.v.inverse() * x)),
                    1e-9);
      }
      EXPECT_EQ(slow.projections > 0, settings.norm_bound < 100)
          << "bound " << settings.norm_bound;
    }
  }
}

TEST(PseudoRewards, SurviveSavingAndPacking) {
  const Learning learning{.rewards = RewardModel::kClicks,
                          .forgetting = 1,
                          .pseudo_rewards = PseudoRewards{0.5, 0}};
  constexpr std::size_t kDim = 4;
  Posterior posterior(kDim, 1, learning);
  posterior.KeepInverse();
  const auto learn = [](Posterior& learner, std::uint64_t t) {
    learner.Update(testing::GaussianRows(1, kDim, t), t % 3 == 0 ? 1 : 0);
  };
  for (std::uint64_t t = 0; t < 50; ++t) learn(posterior, t);

  std::stringstream stream;
  ByteWriter writer(stream);
  posterior.Save(writer);
  posterior.SaveInverse(writer);
  Posterior loaded(kDim, 1, learning);
  ByteReader reader(stream, stream.str().size());
  loaded.Restore(reader);
  loaded.RestoreInverse(reader);
  EXPECT_EQ(reader.left(), 0U);

  const Posterior fresh = [&] {
    Posterior made(kDim, 1, learning);
    made.KeepInverse();
    return made;
  }();
  Posterior unpacked = fresh;
  std::vector<double> packed(posterior.packed_size());
  posterior.Pack(packed);
  unpacked.Unpack(packed, posterior.version(), fresh);

  for (std::uint64_t t = 50; t < 100; ++t) {
    learn(posterior, t);
    learn(loaded, t);
    learn(unpacked, t);
    ASSERT_EQ(loaded.Mean(), posterior.Mean());
    ASSERT_EQ(unpacked.Mean(), posterior.Mean());
  }
}

TEST(PseudoRewards, LeaveCoefficientsWithinTheBound) {
  for (const double bound : {1e-6, 1.0, 1e6}) {
    OnlineNewton newton(3, {.norm_bound = bound, .curvature = 1e-9},
                        RewardModel::kLinear);
    MatrixXd a = 1e-9 * MatrixXd::Identity(3, 3);
    for (std::uint64_t t = 0; t < 200; ++t) {
      const VectorXd x =
          std::pow(10.0, static_cast<double>(t % 13) - 6) * Gaussian(3, t);
      a += x * x.transpose();
      newton.Learn(x, t % 2 == 0 ? 1e9 : -1e9, a.llt().matrixL());
      ASSERT_TRUE(newton.theta().allFinite()) << t;
      ASSERT_LE(newton.theta().norm(), bound * (1 + 1e-12)) << t;
    }
  }
}

}  // namespace
}  // namespace manyarms
