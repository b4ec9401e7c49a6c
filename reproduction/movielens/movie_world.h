#ifndef MANYARMS_REPRODUCTION_MOVIELENS_MOVIE_WORLD_H_
#define MANYARMS_REPRODUCTION_MOVIELENS_MOVIE_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "manyarms/research/environment.h"
#include "reproduction/movielens/factorisation.h"

namespace manyarms::reproduction {

/// A world in which movies are recommended to one user (the paper's section 7):
/// a movie that the user likes has reward 1 and regret 0, any other has reward
/// 0 and regret 1. Movies arrive in random order.
struct MovieWorldOptions {
  std::size_t arms = 1952;  ///< movies at the start
  std::size_t add = 2;      ///< added every `every` steps, while any are left
  std::uint64_t every = 20;
  std::uint64_t seed = 1;  ///< of the order
};

/// `liked` says for each movie whether the user likes it. The features must
/// outlive the environment. Throws Error(kInvalidArgument) if there are fewer
/// than options.arms movies.
std::unique_ptr<Environment> MakeMovieWorld(const MovieFeatures& features,
                                            std::vector<bool> liked,
                                            const MovieWorldOptions& options);

/// For each movie, whether the user has given it four stars or more.
std::vector<bool> LikedBy(const Ratings& ratings, std::uint32_t user);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_MOVIELENS_MOVIE_WORLD_H_
