#include "reproduction/movielens/factorisation.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "manyarms/random.h"

namespace manyarms::reproduction {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Target kTargets[] = {Target::kStars, Target::kLikedRated,
                               Target::kLikedAll};

double Uniform(std::uint64_t seed, std::uint64_t index) {
  return RandomStream(seed, RandomStream::Role::kNoise, index).Uniform();
}

// A third of all pairs are rated. The last movie has no ratings, and neither
// has the last user.
Ratings RandomRatings(std::uint32_t users, std::uint32_t movies) {
  Ratings ratings;
  ratings.users = users;
  ratings.movies = movies;
  for (std::uint32_t user = 1; user < users; ++user) {
    for (std::uint32_t movie = 1; movie < movies; ++movie) {
      const std::uint64_t index = std::uint64_t{user} * movies + movie;
      if (Uniform(1, index) > 1.0 / 3) continue;
      ratings.list.push_back(
          {user, movie, static_cast<float>(std::floor(6 * Uniform(2, index)))});
    }
  }
  return ratings;
}

// The target as a dense matrix.
struct Dense {
  MatrixXd values;
  MatrixXd weights;  // 1 where the target is known, 0 elsewhere
};

Dense DenseOf(const Ratings& ratings, Target target) {
  Dense dense{MatrixXd::Zero(ratings.users, ratings.movies),
              MatrixXd::Zero(ratings.users, ratings.movies)};
  for (const Rating& rating : ratings.list) {
    const auto stars = static_cast<double>(rating.stars);
    dense.values(rating.user - 1, rating.movie - 1) =
        target == Target::kStars ? stars : (stars >= 4 ? 1 : 0);
    dense.weights(rating.user - 1, rating.movie - 1) = 1;
  }
  if (target == Target::kStars) {
    dense.values.array() -= dense.values.sum() / dense.weights.sum();
  }
  if (target == Target::kLikedAll) {
    // All movies of a user are known if the user has any rating.
    for (const Rating& rating : ratings.list) {
      dense.weights.row(rating.user - 1).setOnes();
    }
  }
  return dense;
}

// The x that minimises the weighted squares of values - others x plus
// ridge |x|^2, by a QR decomposition of the stacked system.
VectorXd BestRow(const VectorXd& values, const VectorXd& weights,
                 const MatrixXd& others, double ridge) {
  const Index dim = others.cols();
  MatrixXd stacked(others.rows() + dim, dim);
  stacked << weights.asDiagonal() * others,
      std::sqrt(ridge) * MatrixXd::Identity(dim, dim);
  VectorXd wanted = VectorXd::Zero(stacked.rows());
  wanted.head(others.rows()) = weights.cwiseProduct(values);
  return stacked.colPivHouseholderQr().solve(wanted);
}

struct Twin {
  MatrixXd users;
  MatrixXd movies;

  double Error(const Dense& dense) const {
    const MatrixXd off =
        (dense.values - users * movies.transpose()).cwiseProduct(dense.weights);
    return std::sqrt(off.squaredNorm() / dense.weights.sum());
  }
};

Twin SlowFactorise(const Dense& dense, const FactorisationOptions& options) {
  const auto dim = static_cast<Index>(options.dim);
  Twin twin{MatrixXd(dense.values.rows(), dim),
            MatrixXd(dense.values.cols(), dim)};
  for (Index i = 0; i < twin.movies.rows(); ++i) {
    std::vector<double> row(options.dim);
    RandomStream(options.seed, RandomStream::Role::kFactor,
                 static_cast<std::uint64_t>(i))
        .Gaussians(row);
    for (Index j = 0; j < dim; ++j) {
      twin.movies(i, j) = row[static_cast<std::size_t>(j)] /
                          std::sqrt(static_cast<double>(options.dim));
    }
  }
  const auto ridge = [&](const VectorXd& weights) {
    if (options.target == Target::kLikedAll) return options.regularisation;
    // A row without ratings is 0 for any positive ridge.
    return options.regularisation * std::max(weights.sum(), 1.0);
  };
  for (int round = 0; round < options.rounds; ++round) {
    for (Index i = 0; i < twin.users.rows(); ++i) {
      const VectorXd weights = dense.weights.row(i);
      twin.users.row(i) =
          BestRow(dense.values.row(i), weights, twin.movies, ridge(weights));
    }
    for (Index i = 0; i < twin.movies.rows(); ++i) {
      const VectorXd weights = dense.weights.col(i);
      twin.movies.row(i) =
          BestRow(dense.values.col(i), weights, twin.users, ridge(weights));
    }
  }
  return twin;
}

FactorisationOptions Small(Target target) {
  return {.target = target,
          .dim = 4,
          .regularisation = target == Target::kLikedAll ? 0.8 : 0.07,
          .rounds = 5,
          .seed = 3,
          .threads = 1};
}

TEST(Factorise, AgreesWithASlowTwin) {
  const Ratings ratings = RandomRatings(40, 25);
  for (const Target target : kTargets) {
    SCOPED_TRACE(std::string(TargetName(target)));
    const FactorisationOptions options = Small(target);
    const Dense dense = DenseOf(ratings, target);
    const Twin twin = SlowFactorise(dense, options);
    const Factorisation made = Factorise(ratings, options);
    ASSERT_EQ(made.movies.rows(), 25);
    ASSERT_EQ(made.movies.cols(), 4);
    const double largest = twin.movies.cwiseAbs().maxCoeff();
    EXPECT_GT(largest, 0.1);
    EXPECT_LT((made.movies.cast<double>() - twin.movies).cwiseAbs().maxCoeff(),
              1e-4 * largest);
    EXPECT_NEAR(made.training_error, twin.Error(dense), 1e-9);
  }
}

TEST(Factorise, DependsOnItsSeedAndOptions) {
  const Ratings ratings = RandomRatings(40, 25);
  const FactorisationOptions options = Small(Target::kStars);
  const MovieFeatures features = Factorise(ratings, options).movies;
  FactorisationOptions other = options;
  other.seed = 4;
  EXPECT_NE(Factorise(ratings, other).movies, features);
  other = options;
  other.rounds = 6;
  EXPECT_NE(Factorise(ratings, other).movies, features);
  other = options;
  other.regularisation = 0.08;
  EXPECT_NE(Factorise(ratings, other).movies, features);
}

TEST(Factorise, GivesTheSameBitsWithAnyNumberOfThreads) {
  const Ratings ratings = RandomRatings(60, 50);
  for (const Target target : kTargets) {
    FactorisationOptions options = Small(target);
    const Factorisation alone = Factorise(ratings, options);
    options.threads = 3;
    const Factorisation together = Factorise(ratings, options);
    EXPECT_EQ(alone.movies, together.movies);
    EXPECT_EQ(alone.training_error, together.training_error);
  }
}

TEST(Factorise, GivesAMovieWithoutRatingsZeroFeatures) {
  const Ratings ratings = RandomRatings(40, 25);
  for (const Target target : kTargets) {
    const MovieFeatures movies = Factorise(ratings, Small(target)).movies;
    EXPECT_EQ(movies.row(24).squaredNorm(), 0);
    EXPECT_GT(movies.row(0).squaredNorm(), 0);
  }
}

constexpr std::uint32_t kKinds = 3;

// Users and movies are of three kinds. Each user gives five stars to movies of
// the same kind and one star to others. A random `share` of this is rated.
Ratings Planted(std::uint32_t users, std::uint32_t movies, double share) {
  Ratings ratings;
  ratings.users = users;
  ratings.movies = movies;
  for (std::uint32_t user = 1; user <= users; ++user) {
    for (std::uint32_t movie = 1; movie <= movies; ++movie) {
      if (Uniform(5, std::uint64_t{user} * movies + movie) >= share) continue;
      const bool same = user % kKinds == movie % kKinds;
      ratings.list.push_back({user, movie, same ? 5.0F : 1.0F});
    }
  }
  return ratings;
}

FactorisationOptions ForPlanted(Target target) {
  return {
      .target = target, .dim = kKinds, .regularisation = 1e-4, .rounds = 30};
}

// kLikedAll counts movies without a rating as not liked. Unless all are rated,
// the matrix does not have low rank.
double ShareOf(Target target) { return target == Target::kLikedAll ? 1 : 0.6; }

// The root mean square of the target: the difference between the kinds, 4 stars
// or 1, times sqrt(2)/3, the standard deviation of a value that is 1 with
// probability 1/3 and otherwise 0.
double SpreadOf(Target target) {
  return (target == Target::kStars ? 4 : 1) * std::numbers::sqrt2 / 3;
}

TEST(Factorise, RecoversAPlantedMatrix) {
  for (const Target target : kTargets) {
    SCOPED_TRACE(std::string(TargetName(target)));
    const Factorisation made =
        Factorise(Planted(60, 45, ShareOf(target)), ForPlanted(target));
    EXPECT_LT(made.training_error, 0.01 * SpreadOf(target));
    // Movies of one kind have nearly the same features, others do not.
    const double alike =
        static_cast<double>((made.movies.row(0) - made.movies.row(3)).norm());
    const double apart =
        static_cast<double>((made.movies.row(0) - made.movies.row(1)).norm());
    EXPECT_LT(alike, 0.05 * apart);
  }
}

TEST(HeldOutError, IsSmallForTheRightFeaturesAndLargeForWrongOnes) {
  for (const Target target : kTargets) {
    SCOPED_TRACE(std::string(TargetName(target)));
    const FactorisationOptions options = ForPlanted(target);
    const Ratings ratings = Planted(72, 45, ShareOf(target));
    Ratings training = ratings;
    std::erase_if(training.list, [](const Rating& r) { return r.user > 60; });
    std::vector<std::uint32_t> users(12);
    std::iota(users.begin(), users.end(), 61U);
    const MovieFeatures movies = Factorise(training, options).movies;
    EXPECT_LT(HeldOutError(ratings, users, movies, options),
              0.02 * SpreadOf(target));
    // The features are scrambled. A mere shift would swap the kinds as a whole
    // and fit just as well.
    MovieFeatures wrong = movies;
    for (Index i = 0; i < movies.rows(); ++i) {
      wrong.row(i) = movies.row((i * 7 + i / 5) % movies.rows());
    }
    EXPECT_GT(HeldOutError(ratings, users, wrong, options),
              0.4 * SpreadOf(target));
  }
}

// Each movie has its own direction, so the fit is exact for ratings that it has
// seen and predicts the mean for the others, which is 2 stars off.
TEST(HeldOutError, IsMeasuredOnHiddenRatings) {
  Ratings ratings;
  ratings.users = 1;
  ratings.movies = 40;
  for (std::uint32_t movie = 1; movie <= 40; ++movie) {
    ratings.list.push_back({1, movie, movie % 2 == 0 ? 5.0F : 1.0F});
  }
  const FactorisationOptions options{
      .target = Target::kStars, .dim = 40, .regularisation = 1e-9};
  const MovieFeatures movies = MovieFeatures::Identity(40, 40);
  EXPECT_NEAR(HeldOutError(ratings, {1}, movies, options), 2, 1e-4);
}

TEST(TargetName, IsTheNameUsedInTables) {
  EXPECT_EQ(TargetName(Target::kStars), "stars");
  EXPECT_EQ(TargetName(Target::kLikedRated), "liked-rated");
  EXPECT_EQ(TargetName(Target::kLikedAll), "liked-all");
}

}  // namespace
}  // namespace manyarms::reproduction
