#include <Eigen/Dense>
#include <cmath>
#include <sstream>

#include "posterior/posterior.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

// The slow twin: V and b in extended precision, the prior apart from the
// rewards. The same columns of the prior are put back.
class DenseForgetting {
 public:
  DenseForgetting(const Eigen::MatrixXd& prior_factor, double forgetting)
      : prior_(prior_factor.cast<Real>()),
        forgetting_(forgetting),
        upkeep_(forgetting, static_cast<std::size_t>(prior_factor.rows())),
        bordered_(prior_ * prior_.transpose()) {}

  void Update(std::span<const float> features, double reward) {
    Vector row(bordered_.rows());
    for (std::size_t j = 0; j < features.size(); ++j) {
      row[static_cast<Eigen::Index>(j)] = features[j];
    }
    row[row.size() - 1] = reward;
    bordered_ = bordered_ * forgetting_ + row * row.transpose();
    const PriorUpkeep::Due due = upkeep_.After(updates_++);
    for (std::size_t j = due.first; j < due.last; ++j) {
      const Vector column = prior_.col(static_cast<Eigen::Index>(j));
      bordered_ += static_cast<Real>(due.part) * column * column.transpose();
    }
  }

  Matrix V() const {
    const Eigen::Index d = bordered_.rows() - 1;
    return bordered_.topLeftCorner(d, d);
  }
  Vector Mean() const {
    const Eigen::Index d = bordered_.rows() - 1;
    return V().llt().solve(bordered_.col(d).head(d));
  }

 private:
  Matrix prior_;
  Real forgetting_;
  PriorUpkeep upkeep_;
  std::uint64_t updates_ = 0;
  Matrix bordered_;
};

Eigen::MatrixXd Isotropic(std::size_t dim, double lambda) {
  const auto d = static_cast<Eigen::Index>(dim);
  Eigen::MatrixXd factor = Eigen::MatrixXd::Identity(d + 1, d + 1);
  factor.diagonal().head(d).setConstant(std::sqrt(lambda));
  return factor;
}

double ErrorOf(const Eigen::VectorXd& found, const Vector& expected) {
  return static_cast<double>((found.cast<Real>() - expected).norm() /
                             (1 + expected.norm()));
}

// |A'A V - I|.
double InverseError(const Posterior& posterior, const Matrix& v) {
  const Matrix a = posterior.InverseFactor().cast<Real>();
  return static_cast<double>(
      (a.transpose() * a * v - Matrix::Identity(v.rows(), v.rows())).norm());
}

TEST(Forgetting, AgreesWithADenseModel) {
  for (const std::size_t dim : {1U, 5U, 16U, 70U}) {
    for (const double forgetting : {0.05, 0.7, 0.95, 0.999}) {
      Posterior posterior(dim, 0.3, {.forgetting = forgetting});
      posterior.KeepInverse();
      DenseForgetting twin(Isotropic(dim, 0.3), forgetting);
      const auto rows = testing::GaussianRows(300, dim, 11);
      for (std::size_t t = 0; t < 300; ++t) {
        const auto x = std::span(rows).subspan(t * dim, dim);
        const double reward = std::cos(static_cast<double>(t));
        posterior.Update(x, reward);
        twin.Update(x, reward);
        ASSERT_LT(ErrorOf(posterior.Mean(), twin.Mean()), 1e-9);
      }
      EXPECT_LT(InverseError(posterior, twin.V()), 1e-8);
    }
  }
}

GaussianPrior TiltedPrior() {
  return {.mean = {1, -2, 0.5},
          .precision = {2, 0.5, 0, 0.5, 1, 0.2, 0, 0.2, 3}};
}

TEST(Forgetting, KeepsAGivenPriorUp) {
  const PriorFactor prior(TiltedPrior(), 3, 1e-9);
  Posterior posterior(prior, {.forgetting = 0.9});
  DenseForgetting twin(prior.factor(), 0.9);
  const auto rows = testing::GaussianRows(500, 3, 5);
  for (std::size_t t = 0; t < 500; ++t) {
    const auto x = std::span(rows).subspan(t * 3, 3);
    posterior.Update(x, 0.5);
    twin.Update(x, 0.5);
  }
  EXPECT_LT(ErrorOf(posterior.Mean(), twin.Mean()), 1e-9);
  // Of rewards that tell nothing, only the prior is left in the end.
  for (int t = 0; t < 1'000; ++t) {
    posterior.Update(std::vector<float>{0, 0, 0}, 1.0);
  }
  const Eigen::VectorXd mean = posterior.Mean();
  EXPECT_NEAR(mean[0], 1, 0.2);
  EXPECT_NEAR(mean[1], -2, 0.2);
  EXPECT_NEAR(mean[2], 0.5, 0.2);
}

// What is no longer rewarded is forgotten, and its width is that of the prior
// again; without the upkeep it would grow for ever.
TEST(Forgetting, WidthsGrowBackToThePrior) {
  Posterior posterior(2, 4.0, {.forgetting = 0.99});
  const std::vector<float> one = {1, 0};
  const std::vector<float> other = {0, 1};
  for (int t = 0; t < 1'000; ++t) posterior.Update(other, 1.0);
  EXPECT_LT(posterior.Width(other), 0.11);
  for (int t = 0; t < 5'000; ++t) posterior.Update(one, 1.0);
  EXPECT_NEAR(posterior.Mean()[1], 0, 1e-9);
  EXPECT_NEAR(posterior.Width(other), 0.5, 0.04);
  EXPECT_LE(posterior.Width(other), posterior.WidestWidth());
}

// Ten million updates, against a fresh solve from those that still count. The
// direction of the features turns, so that all directions are forgotten again
// and again. (Under the address sanitizer a hundred thousand suffice, since
// they run the same code.)
TEST(Forgetting, DoesNotDriftInTenMillionUpdates) {
  constexpr std::size_t kDim = 8;
  constexpr double kForgetting = 0.999;
#ifdef __SANITIZE_ADDRESS__
  constexpr std::uint64_t kUpdates = 100'000;
#else
  constexpr std::uint64_t kUpdates = 10'000'000;
#endif
  constexpr std::uint64_t kCounting = 60'000;  // 0.999^60,000 is 10^-26
  constexpr std::size_t kRows = 4'096;
  const auto rows = testing::GaussianRows(kRows, kDim, 3);
  const auto row = [&](std::uint64_t t) {
    return std::span(rows).subspan(t % kRows * kDim, kDim);
  };
  const auto reward = [](std::uint64_t t) {
    return std::sin(static_cast<double>(t % 10'000));
  };
  Posterior posterior(kDim, 1.0, {.forgetting = kForgetting});
  posterior.KeepInverse();
  for (std::uint64_t t = 0; t < kUpdates; ++t)
    posterior.Update(row(t), reward(t));

  const PriorUpkeep upkeep(kForgetting, kDim + 1);
  Matrix v = Matrix::Identity(kDim, kDim);
  Vector b = Vector::Zero(kDim);
  for (std::uint64_t t = kUpdates - kCounting; t < kUpdates; ++t) {
    Vector x(kDim);
    for (std::size_t j = 0; j < kDim; ++j) {
      x[static_cast<Eigen::Index>(j)] = row(t)[j];
    }
    v = v * Real{kForgetting} + x * x.transpose();
    b = b * Real{kForgetting} + x * Real{reward(t)};
    const PriorUpkeep::Due due = upkeep.After(t);
    for (std::size_t j = due.first; j < std::min(due.last, kDim); ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      v(k, k) += due.part;
    }
  }
  const double mean_error = ErrorOf(posterior.Mean(), v.llt().solve(b));
  const double inverse_error = InverseError(posterior, v);
  RecordProperty("mean_error", std::to_string(mean_error * 1e12) + "e-12");
  RecordProperty("inverse_error",
                 std::to_string(inverse_error * 1e12) + "e-12");
  EXPECT_LT(mean_error, 1e-12);
  EXPECT_LT(inverse_error, 1e-9);
}

// No width has grown by more than WidthGrowthSince says.
TEST(Forgetting, BoundsTheGrowthOfWidths) {
  constexpr std::size_t kDim = 5;
  const auto rows = testing::GaussianRows(400, kDim, 8);
  const auto row = [&](std::size_t t) {
    return std::span(rows).subspan(t * kDim, kDim);
  };
  Posterior posterior(kDim, 1.0, {.forgetting = 0.97});
  std::vector<double> before(100);
  for (std::size_t t = 0; t < 300; ++t) {
    // The last two directions are not learned after half of the time.
    std::vector<float> x(row(t).begin(), row(t).end());
    if (t > 150) x[3] = x[4] = 0;
    posterior.Update(x, 1.0);
    if (t == 150) {
      for (std::size_t i = 0; i < 100; ++i) {
        before[i] = posterior.Width(row(300 + i));
      }
    }
    if (t > 150) {
      const double growth = posterior.WidthGrowthSince(151);
      for (std::size_t i = 0; i < 100; ++i) {
        ASSERT_LE(posterior.Width(row(300 + i)), growth * before[i]);
      }
    }
  }
  EXPECT_NEAR(posterior.WidthGrowthSince(290), std::pow(0.97, -5), 1e-5);
}

TEST(Forgetting, AShareAtOnce) {
  constexpr std::size_t kDim = 3;
  const auto rows = testing::GaussianRows(50, kDim, 4);
  Posterior posterior(kDim, 2.0);
  posterior.KeepInverse();
  for (std::size_t t = 0; t < 50; ++t) {
    posterior.Update(std::span(rows).subspan(t * kDim, kDim), 1.0);
  }
  const Posterior::Moments before = posterior.moments();
  posterior.Forget(0.75);
  const Posterior::Moments after = posterior.moments();
  const Eigen::MatrixXd expected =
      0.25 * before.v + 0.75 * 2 * Eigen::MatrixXd::Identity(3, 3);
  EXPECT_LT((after.v - expected).norm(), 1e-12 * expected.norm());
  EXPECT_LT((after.b - 0.25 * before.b).norm(), 1e-12 * before.b.norm());
  EXPECT_LT(InverseError(posterior, after.v.cast<Real>()), 1e-12);
  EXPECT_EQ(posterior.version(), 51U);
  EXPECT_GT(posterior.WidthGrowthSince(50), 1e10);
  EXPECT_EQ(posterior.WidthGrowthSince(51), 1);

  posterior.Forget(1);
  EXPECT_EQ(posterior.Mean(), Eigen::VectorXd::Zero(3));
  EXPECT_DOUBLE_EQ(posterior.Width(std::vector<float>{2, 0, 0}),
                   2 / std::sqrt(2.0));
}

TEST(Forgetting, AllOfItLeavesTheGivenPrior) {
  const PriorFactor prior(TiltedPrior(), 3, 1e-9);
  Posterior posterior(prior);
  posterior.Update(std::vector<float>{1, 2, 3}, 100.0);
  posterior.Forget(1);
  EXPECT_EQ(posterior.Mean(), Posterior(prior).Mean());
}

TEST(Forgetting, ContinuesAfterSaving) {
  constexpr std::size_t kDim = 4;
  const Learning learning{.rewards = RewardModel::kClicks, .forgetting = 0.98};
  const auto rows = testing::GaussianRows(200, kDim, 9);
  const auto learn = [&](Posterior& posterior, std::size_t from,
                         std::size_t to) {
    for (std::size_t t = from; t < to; ++t) {
      posterior.Update(std::span(rows).subspan(t * kDim, kDim),
                       t % 4 == 0 ? 1.0 : 0.0);
    }
  };
  Posterior whole(kDim, 1.0, learning);
  whole.KeepInverse();
  learn(whole, 0, 100);
  std::stringstream file;
  ByteWriter writer(file);
  whole.Save(writer);
  whole.SaveInverse(writer);
  ByteReader reader(file, file.str().size());
  Posterior loaded(kDim, 1.0, learning);
  loaded.KeepInverse();
  loaded.Restore(reader);
  loaded.RestoreInverse(reader);
  learn(whole, 100, 200);
  learn(loaded, 100, 200);
  EXPECT_EQ(loaded.Mean(), whole.Mean());
  EXPECT_TRUE(loaded.Inverse() == whole.Inverse());
}

TEST(Forgetting, RefusesWhatIsNoShare) {
  for (const double wrong : {0.0, -1.0, 1.5, 0.001, std::nan("")}) {
    ExpectError(
        ErrorCode::kInvalidArgument, {"forgetting", "0.01", "to 1"},
        [&] { const Posterior posterior(2, 1.0, {.forgetting = wrong}); });
  }
  Posterior posterior(2, 1.0);
  for (const double wrong : {-0.1, 1.1, std::nan("")}) {
    ExpectError(ErrorCode::kInvalidArgument, {"share", "from 0 to 1"},
                [&] { posterior.Forget(wrong); });
  }
  EXPECT_EQ(posterior.version(), 0U);
}

TEST(Forgetting, OfAHalfLife) {
  EXPECT_NEAR(std::pow(ForgettingOfHalfLife(1'000), 1'000), 0.5, 1e-12);
  ExpectError(ErrorCode::kInvalidArgument, {"half-life", "0"},
              [] { ForgettingOfHalfLife(0); });
}

}  // namespace
}  // namespace manyarms
