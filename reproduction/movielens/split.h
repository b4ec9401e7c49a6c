#ifndef MANYARMS_REPRODUCTION_MOVIELENS_SPLIT_H_
#define MANYARMS_REPRODUCTION_MOVIELENS_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reproduction/movielens/ratings.h"

namespace manyarms::reproduction {

/// The users who are held out from the factorisation. They all have many
/// ratings.
struct Split {
  std::vector<std::uint32_t> test;        ///< the users of the tables
  std::vector<std::uint32_t> validation;  ///< used to choose constants
};

struct SplitOptions {
  std::size_t test = 300;
  std::size_t validation = 100;
  std::size_t more_than_ratings = 100;
  std::uint64_t seed = 1;
};

/// Draws both groups at random from the users with more than
/// options.more_than_ratings ratings. Throws Error(kInvalidArgument) if there
/// are too few of them.
Split SplitUsers(const Ratings& ratings, const SplitOptions& options);

/// The ratings of all users but those listed.
Ratings Without(const Ratings& ratings,
                const std::vector<std::uint32_t>& users);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_MOVIELENS_SPLIT_H_
