#ifndef MANYARMS_REPRODUCTION_MOVIELENS_FACTORISATION_H_
#define MANYARMS_REPRODUCTION_MOVIELENS_FACTORISATION_H_

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "reproduction/movielens/ratings.h"

namespace manyarms::reproduction {

/// What a factorisation explains by <user, movie>.
enum class Target {
  kStars,       ///< the stars of what was rated, less their mean
  kLikedRated,  ///< 1 for four stars and more, 0 for less, of what was rated
  kLikedAll,    ///< 1 for four stars and more, 0 for all else, rated or not
};

std::string_view TargetName(Target target);

inline constexpr float kLikedFrom = 4;  ///< stars

struct FactorisationOptions {
  Target target = Target::kLikedAll;
  std::size_t dim = 16;
  /// The ridge of a user or movie is this, times its number of ratings where
  /// the target is of what was rated.
  double regularisation = 0.05;
  int rounds = 12;
  std::uint64_t seed = 1;
  unsigned threads = 1;  ///< changes nothing but the time
};

/// Features of movies, a row each, in the order of their ids from 1. A movie
/// without ratings has zeros.
using MovieFeatures =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Factorisation {
  MovieFeatures movies;
  double training_error = 0;  ///< root of the mean square, on the target
};

/// Alternating least squares.
Factorisation Factorise(const Ratings& ratings,
                        const FactorisationOptions& options);

/// How well the movies' features explain users that had no part in them: each
/// user's own vector is fitted to four fifths of what the target says of the
/// user, and the root of the mean square error is taken on the rest.
double HeldOutError(const Ratings& ratings,
                    const std::vector<std::uint32_t>& users,
                    const MovieFeatures& movies,
                    const FactorisationOptions& options);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_MOVIELENS_FACTORISATION_H_
