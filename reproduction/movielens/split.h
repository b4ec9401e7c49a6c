#ifndef MANYARMS_REPRODUCTION_MOVIELENS_SPLIT_H_
#define MANYARMS_REPRODUCTION_MOVIELENS_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reproduction/movielens/ratings.h"

namespace manyarms::reproduction {

/// Who serves for what. Only users with many ratings are held out.
struct Split {
  std::vector<std::uint32_t> test;        ///< the tables' users
  std::vector<std::uint32_t> validation;  ///< constants are chosen by these
};

struct SplitOptions {
  std::size_t test = 300;
  std::size_t validation = 100;
  std::size_t more_than_ratings = 100;
  std::uint64_t seed = 1;
};

/// Draws both at random. Throws Error(kInvalidArgument) if too few users have
/// rated enough.
Split SplitUsers(const Ratings& ratings, const SplitOptions& options);

/// The ratings of all users but those listed.
Ratings Without(const Ratings& ratings,
                const std::vector<std::uint32_t>& users);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_MOVIELENS_SPLIT_H_
