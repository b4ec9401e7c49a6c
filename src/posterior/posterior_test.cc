#include "posterior/posterior.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <sstream>

#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

// The slow twin to compare with: it stores V and b, and solves the equations
// each time, in extended precision.
class DenseRidge {
 public:
  using Real = long double;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  DenseRidge(Eigen::Index dim, double lambda)
      : v_(Matrix::Identity(dim, dim) * static_cast<Real>(lambda)),
        b_(Vector::Zero(dim)) {}

  void Update(std::span<const float> features, double reward, int times = 1) {
    const Vector x = ToVector(features);
    v_ += static_cast<Real>(times) * x * x.transpose();
    b_ += static_cast<Real>(times) * static_cast<Real>(reward) * x;
  }
  Eigen::VectorXd Mean() const { return Solve(b_).cast<double>(); }
  double Width(std::span<const float> features) const {
    const Vector x = ToVector(features);
    return static_cast<double>(std::sqrt(x.dot(Solve(x))));
  }
  Eigen::MatrixXd Inverse() const {
    Eigen::MatrixXd inverse(v_.rows(), v_.rows());
    for (Eigen::Index j = 0; j < v_.rows(); ++j) {
      inverse.col(j) = Solve(Vector::Unit(v_.rows(), j)).cast<double>();
    }
    return inverse;
  }

 private:
  Vector Solve(Vector right) const {
    v_.llt().solveInPlace(right);
    return right;
  }
  static Vector ToVector(std::span<const float> features) {
    return Eigen::Map<const Eigen::VectorXf>(
               features.data(), static_cast<Eigen::Index>(features.size()))
        .cast<Real>();
  }

  Matrix v_;
  Vector b_;
};

double RelativeError(const Eigen::MatrixXd& found,
                     const Eigen::MatrixXd& expected) {
  return (found - expected).norm() / expected.norm();
}

// |A x| with the inverse factor that is kept.
double KeptWidth(Posterior& posterior, std::span<const float> features) {
  const Eigen::VectorXd x =
      Eigen::Map<const Eigen::VectorXf>(
          features.data(), static_cast<Eigen::Index>(features.size()))
          .cast<double>();
  return (posterior.Inverse() * x).norm();
}

TEST(Posterior, AgreesWithAFreshSolve) {
  for (const std::size_t dim : {1U, 2U, 5U, 16U, 33U, 70U}) {
    for (const double lambda : {0.01, 1.0, 7.0}) {
      Posterior posterior(dim, lambda);
      Posterior keeping(dim, lambda);
      keeping.KeepInverse();
      Posterior late(dim, lambda);
      DenseRidge twin(static_cast<Eigen::Index>(dim), lambda);
      const auto rows = testing::GaussianRows(50, dim, dim);
      for (std::size_t t = 0; t < 50; ++t) {
        const auto x = std::span(rows).subspan(t * dim, dim);
        const double reward = std::cos(static_cast<double>(t));
        posterior.Update(x, reward);
        keeping.Update(x, reward);
        late.Update(x, reward);
        if (t == 30) late.KeepInverse();
        twin.Update(x, reward);
        ASSERT_LT(RelativeError(posterior.Mean(), twin.Mean()), 1e-10);
        ASSERT_NEAR(posterior.Width(x) / twin.Width(x), 1, 1e-10);
      }
      for (const Posterior* p : {&posterior, &keeping, &late}) {
        const Eigen::MatrixXd a = p->InverseFactor();
        EXPECT_LT(RelativeError(a.transpose() * a, twin.Inverse()), 1e-10);
        EXPECT_TRUE(a.isLowerTriangular(0));
        const Eigen::VectorXd lengths =
            Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues();
        EXPECT_LE(lengths[0], p->WidestWidth());
      }
      EXPECT_EQ(keeping.Mean(), posterior.Mean());
    }
  }
}

// The bound is no larger than it must be, and holds with its rounding.
TEST(Posterior, IsWidestBeforeItHasLearned) {
  const Posterior posterior(3, 4.0);
  const std::vector<float> x = {3, 0, 4};
  EXPECT_LE(posterior.Width(x), 5 * posterior.WidestWidth());
  EXPECT_NEAR(posterior.WidestWidth(), 0.5, 1e-4);
}

// With few features the inverse depends on the factor alone, whatever happened
// before and however often it was asked for.
TEST(Posterior, InvertsTheFactorWithFewFeatures) {
  for (const std::size_t dim : {1U, 3U, 16U, 32U}) {
    const Learning learning{.forgetting = dim == 3 ? 0.9 : 1};
    Posterior plain(dim, 0.1, learning);  // which inverts whenever it is asked
    Posterior asking = plain;
    asking.KeepInverse();
    EXPECT_FALSE(asking.rotates_inverse());
    EXPECT_EQ(asking.packed_size(), plain.packed_size());
    const auto rows = testing::GaussianRows(60, dim, 7);
    const auto expect_inverse = [&] {
      ASSERT_EQ(asking.Inverse(), plain.InverseFactor());
      ASSERT_EQ(asking.Inverse(), plain.InverseFactor());
      ASSERT_EQ(asking.InverseFactor(), plain.InverseFactor());
    };
    expect_inverse();
    for (std::size_t t = 0; t < 60; ++t) {
      for (Posterior* p : {&plain, &asking}) {
        p->Update(std::span(rows).subspan(t * dim, dim), 1.0);
        if (t == 20) p->Forget(0.5);
        if (t == 40) p->Forget(1);
      }
      if (t % 3 != 1) expect_inverse();
    }
    const Posterior fresh(dim, 0.1, learning);
    std::vector<double> packed(plain.packed_size());
    fresh.Pack(packed);
    plain.Unpack(packed, 0, fresh);
    asking.Unpack(packed, 0, fresh);
    expect_inverse();
  }
}

TEST(Posterior, RotatesTheInverseWithManyFeatures) {
  constexpr std::size_t kDim = Posterior::kMostToInvert + 1;
  Posterior posterior(kDim, 1.0);
  const std::size_t without = posterior.packed_size();
  posterior.KeepInverse();
  EXPECT_TRUE(posterior.rotates_inverse());
  EXPECT_EQ(posterior.packed_size(), without + kDim * (kDim + 1) / 2);
}

// What is kept does not depend on when it was saved and loaded.
TEST(Posterior, KeepsTheSameInverseAfterLoading) {
  for (const std::size_t dim : {3U, 40U, 100U}) {
    const auto rows = testing::GaussianRows(200, dim, 7);
    const auto learn = [&](Posterior& posterior, std::size_t from,
                           std::size_t to) {
      for (std::size_t t = from; t < to; ++t) {
        posterior.Update(std::span(rows).subspan(t * dim, dim), 1.0);
      }
    };
    Posterior whole(dim, 0.1);
    whole.KeepInverse();
    learn(whole, 0, 100);
    std::stringstream file;
    ByteWriter writer(file);
    whole.Save(writer);
    whole.SaveInverse(writer);
    const std::size_t size = file.str().size();
    ByteReader reader(file, size);
    Posterior loaded(dim, 0.1);
    loaded.KeepInverse();
    loaded.Restore(reader);
    loaded.RestoreInverse(reader);
    learn(whole, 100, 200);
    learn(loaded, 100, 200);
    EXPECT_TRUE(loaded.Inverse() == whole.Inverse());
    EXPECT_EQ(loaded.Mean(), whole.Mean());
  }
}

TEST(Posterior, StartsWithThePrior) {
  const Posterior posterior(3, 4.0);
  EXPECT_EQ(posterior.Mean(), Eigen::VectorXd::Zero(3));
  EXPECT_DOUBLE_EQ(posterior.Width(std::vector<float>{3, 0, 4}), 2.5);
}

// After a million updates along nearly one direction, the condition number of V
// is about 10^8, and rounding errors must not accumulate. They were 6e-12
// (mean), 2e-12 (width) and 2.3e-11 (width by the kept inverse) when this was
// written; the test's XML report has them. (Under the address sanitizer ten
// thousand updates suffice, since they run the same code.)
class NearlyCollinear : public ::testing::TestWithParam<std::size_t> {};

TEST_P(NearlyCollinear, StaysAccurateAfterAMillionUpdates) {
  const std::size_t dim = GetParam();
  constexpr double kLambda = 0.01;
  Posterior posterior(dim, kLambda);
  posterior.KeepInverse();
  DenseRidge twin(static_cast<Eigen::Index>(dim), kLambda);
  const auto axis = testing::GaussianRows(1, dim, 1);
  // A thousand vectors are learned a thousand times each. The twin adds all
  // repetitions of a vector at once, which keeps its own rounding errors small.
  constexpr std::size_t kDistinct = 1000;
#ifdef __SANITIZE_ADDRESS__
  constexpr int kTimes = 10;
#else
  constexpr int kTimes = 1000;
#endif
  std::vector<float> rows = testing::GaussianRows(kDistinct, dim, 2);
  std::vector<double> rewards(kDistinct);
  RandomStream(2, RandomStream::Role::kNoise, 0).Gaussians(rewards);
  const auto row = [&](std::size_t i) {
    return std::span(rows).subspan(i * dim, dim);
  };
  for (std::size_t i = 0; i < kDistinct; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      row(i)[j] = axis[j] + 1e-3F * row(i)[j];
    }
    twin.Update(row(i), 1 + rewards[i], kTimes);
  }
  for (int time = 0; time < kTimes; ++time) {
    for (std::size_t i = 0; i < kDistinct; ++i) {
      posterior.Update(row(i), 1 + rewards[i]);
    }
  }
  const double error = RelativeError(posterior.Mean(), twin.Mean());
  RecordProperty("mean_error", std::to_string(error * 1e12) + "e-12");
  EXPECT_LT(error, 1e-6);
  const auto others = testing::GaussianRows(10, dim, 3);
  double width_error = 0;
  double kept_error = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    const auto x = std::span(others).subspan(i * dim, dim);
    width_error =
        std::max(width_error, std::abs(posterior.Width(x) / twin.Width(x) - 1));
    kept_error = std::max(
        kept_error, std::abs(KeptWidth(posterior, x) / twin.Width(x) - 1));
  }
  // The direction that is known best is the hardest for an inverse.
  kept_error = std::max(
      kept_error, std::abs(KeptWidth(posterior, axis) / twin.Width(axis) - 1));
  RecordProperty("width_error", std::to_string(width_error * 1e12) + "e-12");
  EXPECT_LT(width_error, 1e-6);
  RecordProperty("kept_error", std::to_string(kept_error * 1e12) + "e-12");
  EXPECT_LT(kept_error, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(InvertedAndRotated, NearlyCollinear,
                         ::testing::Values(Posterior::kMostToInvert, 64));

// How features may lie: feature j of arm t.
using Shape = float (*)(std::size_t t, std::size_t j, std::size_t dim);

float Noise(std::size_t t, std::size_t j) {
  return static_cast<float>(
      RandomStream(9, RandomStream::Role::kArm, t * 100 + j).Gaussian());
}

std::vector<Shape> Shapes() {
  return {[](std::size_t t, std::size_t j, std::size_t) { return Noise(t, j); },
          // nearly along one direction
          [](std::size_t t, std::size_t j, std::size_t) {
            return Noise(7777, j) + 1e-3F * Noise(t, j);
          },
          [](std::size_t t, std::size_t j, std::size_t) {
            return Noise(7777, j) + 1e-6F * Noise(t, j);
          },
          // from large features to small ones, and the reverse
          [](std::size_t t, std::size_t j, std::size_t dim) {
            return Noise(t, j) * std::pow(10.0F, -6.0F * static_cast<float>(j) /
                                                     static_cast<float>(dim));
          },
          [](std::size_t t, std::size_t j, std::size_t dim) {
            return Noise(t, j) *
                   std::pow(10.0F, -6.0F * static_cast<float>(dim - j) /
                                       static_cast<float>(dim));
          }};
}

// Certified search relies on it that A makes no arm wider than it was before,
// but for 2^-16 of its width and a multiple of 2^-24 |A| |x|. Rounding must
// take only a small part of that, wherever it uses an order: where the diagonal
// of A spans at most 2^26. And |A| may not exceed WidestWidth anywhere.
TEST(Posterior, WidthsDoNotGrow) {
  double most = 0;
  for (const std::size_t dim : {2U, 8U, 32U, 48U}) {
    for (const double lambda : {1e-9, 1e-3, 1.0, 1e9}) {
      for (const float scale : {1e-3F, 1.0F, 1e5F}) {
        for (const Shape shape : Shapes()) {
          Posterior posterior(dim, lambda);
          posterior.KeepInverse();
          std::vector<Eigen::MatrixXd> earlier;
          std::vector<float> row(dim);
          for (std::size_t t = 0; t < 256; ++t) {
            for (std::size_t j = 0; j < dim; ++j) {
              row[j] = scale * shape(t, j, dim);
            }
            posterior.Update(row, 1.0);
            if ((t & (t + 1)) != 0) continue;  // not a power of two
            const Eigen::MatrixXd a = posterior.Inverse();
            const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeFullV);
            ASSERT_LE(svd.singularValues()[0], posterior.WidestWidth());
            const Eigen::VectorXd diagonal = a.diagonal();
            if (diagonal.maxCoeff() > 0x1p26 * diagonal.minCoeff()) continue;
            // Unit vectors, and the directions that are known worst to best.
            Eigen::MatrixXd x(a.rows(), 2 * a.cols());
            x << Eigen::MatrixXd::Identity(a.rows(), a.cols()), svd.matrixV();
            for (const Eigen::MatrixXd& before : earlier) {
              for (Eigen::Index i = 0; i < x.cols(); ++i) {
                const double width = (before * x.col(i)).norm();
                const double allowed =
                    0x1p-16 * width +
                    0x1p-22 * static_cast<double>(dim + 8) * before.norm();
                most =
                    std::max(most, ((a * x.col(i)).norm() - width) / allowed);
              }
            }
            earlier.push_back(a);
          }
        }
      }
    }
  }
  RecordProperty("part_of_the_allowance", std::to_string(most * 1e6) + "e-6");
  EXPECT_LT(most, 1e-3);
}

// Entries of the empirical covariance of n samples have standard errors of at
// most sqrt(2/n) times the variance. The margin is six of them, and the seed is
// fixed.
TEST(Posterior, SamplesHaveTheRightMeanAndCovariance) {
  constexpr std::size_t kDim = 3;
  constexpr int kSamples = 40000;
  constexpr double kScale = 2.0;
  Posterior posterior(kDim, 0.5);
  DenseRidge twin(kDim, 0.5);
  const auto rows = testing::GaussianRows(4, kDim, 5);
  for (std::size_t t = 0; t < 4; ++t) {
    const auto x = std::span(rows).subspan(t * kDim, kDim);
    posterior.Update(x, static_cast<double>(t));
    twin.Update(x, static_cast<double>(t));
  }
  const Eigen::VectorXd mean = twin.Mean();
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(kDim);
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(kDim, kDim);
  std::vector<double> xi(kDim);
  for (int i = 0; i < kSamples; ++i) {
    RandomStream(6, RandomStream::Role::kSample, static_cast<unsigned>(i))
        .Gaussians(xi);
    const Eigen::VectorXd off = posterior.Sample(kScale, xi) - mean;
    sum += off;
    squares += off * off.transpose();
  }
  const Eigen::MatrixXd expected = kScale * kScale * twin.Inverse();
  const double variance = expected.diagonal().maxCoeff();
  EXPECT_LT((sum / kSamples).cwiseAbs().maxCoeff(),
            6 * std::sqrt(variance / kSamples));
  EXPECT_LT((squares / kSamples - expected).cwiseAbs().maxCoeff(),
            6 * variance * std::sqrt(2.0 / kSamples));
}

TEST(Posterior, ASampleWithoutNoiseIsTheMean) {
  Posterior posterior(2, 1.0);
  posterior.Update(std::vector<float>{1, 2}, 3.0);
  const std::vector<double> xi(2, 0.0);
  EXPECT_LT(RelativeError(posterior.Sample(5.0, xi), posterior.Mean()), 1e-15);
}

// One posterior becomes another and then goes on as that one would have.
TEST(Posterior, BecomesWhatWasPacked) {
  for (const bool keeps_inverse : {false, true}) {
    for (const std::size_t dim : {5U, 40U}) {
      const auto rows = testing::GaussianRows(60, dim, 1);
      const auto row = [&](std::size_t i) {
        return std::span(rows).subspan(i * dim, dim);
      };
      Posterior one(dim, 0.5);
      Posterior other(dim, 0.5);
      if (keeps_inverse) {
        one.KeepInverse();
        other.KeepInverse();
      }
      for (std::size_t i = 0; i < 20; ++i) one.Update(row(i), 0.1 * rows[i]);
      for (std::size_t i = 20; i < 27; ++i) other.Update(row(i), -3);
      if (keeps_inverse) other.Inverse();
      std::vector<double> packed(one.packed_size());
      one.Pack(packed);
      other.Unpack(packed, one.version(), one);
      for (std::size_t i = 27; i < 60; ++i) {
        EXPECT_EQ(other.version(), one.version());
        EXPECT_EQ(other.Mean(), one.Mean());
        EXPECT_EQ(other.Width(row(i)), one.Width(row(i)));
        EXPECT_EQ(other.InverseFactor(), one.InverseFactor());
        if (keeps_inverse) {
          EXPECT_EQ(other.Inverse(), one.Inverse());
        }
        one.Update(row(i), 1);
        other.Update(row(i), 1);
      }
    }
  }
}

TEST(Posterior, RefusesBadInputAndStaysAsItWas) {
  Posterior posterior(2, 1.0);
  posterior.Update(std::vector<float>{1, 2}, 3.0);
  const Eigen::VectorXd before = posterior.Mean();
  const auto update = [&](const std::vector<float>& x, double reward) {
    return [&posterior, x, reward] { posterior.Update(x, reward); };
  };
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto infinity = std::numeric_limits<float>::infinity();
  ExpectError(ErrorCode::kInvalidArgument, {"reward", "nan", "1e+09"},
              update({1, 1}, nan));
  ExpectError(ErrorCode::kInvalidArgument, {"reward", "10000000000"},
              update({1, 1}, 1e10));
  ExpectError(ErrorCode::kInvalidArgument, {"feature 1", "inf"},
              update({1, infinity}, 0));
  ExpectError(ErrorCode::kInvalidArgument, {"3 features", "dimension is 2"},
              update({1, 1, 1}, 0));
  EXPECT_EQ(posterior.Mean(), before);
  EXPECT_EQ(posterior.version(), 1U);
}

TEST(Posterior, RefusesARegularisationThatIsNotPositive) {
  for (const double lambda : {0.0, -1.0, 1e-10, 1e10}) {
    ExpectError(ErrorCode::kInvalidArgument, {"regularisation", "1e-09"},
                [&] { Posterior posterior(2, lambda); });
  }
}

}  // namespace
}  // namespace manyarms
