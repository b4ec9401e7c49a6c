#ifndef MANYARMS_REPRODUCTION_MOVIELENS_MOVIE_WORLD_H_
#define MANYARMS_REPRODUCTION_MOVIELENS_MOVIE_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "manyarms/research/environment.h"
#include "reproduction/movielens/factorisation.h"

namespace manyarms::reproduction {

/// One user to recommend movies to (the paper's section 7): reward 1 and no
/// regret for a movie that the user likes, reward 0 and regret 1 otherwise.
struct MovieWorldOptions {
  std::size_t arms = 1952;  ///< movies at the start, in random order
  std::size_t add = 2;      ///< more every `every` steps, while there are any
  std::uint64_t every = 20;
  std::uint64_t seed = 1;  ///< of the order
};

/// `liked` says of every movie whether the user likes it. The features must
/// outlive the environment. Throws Error(kInvalidArgument) if there are fewer
/// movies than are wanted at the start.
std::unique_ptr<Environment> MakeMovieWorld(const MovieFeatures& features,
                                            std::vector<bool> liked,
                                            const MovieWorldOptions& options);

/// Which movies the user has given four stars or more.
std::vector<bool> LikedBy(const Ratings& ratings, std::uint32_t user);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_MOVIELENS_MOVIE_WORLD_H_
