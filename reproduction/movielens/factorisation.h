#ifndef MANYARMS_REPRODUCTION_MOVIELENS_FACTORISATION_H_
#define MANYARMS_REPRODUCTION_MOVIELENS_FACTORISATION_H_

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "reproduction/movielens/ratings.h"

namespace manyarms::reproduction {

/// The value that a factorisation predicts by <user, movie>.
enum class Target {
  kStars,       ///< rated movies: the stars minus their mean
  kLikedRated,  ///< rated movies: 1 for four stars or more, 0 for fewer
  kLikedAll,    ///< all movies: 1 for four stars or more, 0 otherwise
};

std::string_view TargetName(Target target);

inline constexpr float kLikedFrom = 4;  ///< stars

struct FactorisationOptions {
  Target target = Target::kLikedAll;
  std::size_t dim = 16;
  /// The ridge of each user and movie. It is multiplied by the number of
  /// ratings for the targets that concern rated movies only.
  double regularisation = 0.05;
  int rounds = 12;
  std::uint64_t seed = 1;
  unsigned threads = 1;  ///< affects the time only, not the result
};

/// Features of movies: row i belongs to the movie with id i + 1. A movie
/// without ratings has zeros.
using MovieFeatures =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Factorisation {
  MovieFeatures movies;
  double training_error = 0;  ///< root mean square error on the target
};

/// Factorises the target by alternating least squares.
Factorisation Factorise(const Ratings& ratings,
                        const FactorisationOptions& options);

/// How well the movies' features predict the target of users that were not in
/// the training data: fits a vector for each user to four fifths of the user's
/// entries, and returns the root mean square error on the rest.
double HeldOutError(const Ratings& ratings,
                    const std::vector<std::uint32_t>& users,
                    const MovieFeatures& movies,
                    const FactorisationOptions& options);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_MOVIELENS_FACTORISATION_H_
