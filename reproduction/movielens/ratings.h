#ifndef MANYARMS_REPRODUCTION_MOVIELENS_RATINGS_H_
#define MANYARMS_REPRODUCTION_MOVIELENS_RATINGS_H_

#include <cstdint>
#include <filesystem>
#include <vector>

namespace manyarms::reproduction {

struct Rating {
  std::uint32_t user = 0;   ///< from 1, as in the file
  std::uint32_t movie = 0;  ///< from 1, as in the file
  float stars = 0;
};

/// A whole data set. Ids without a rating are possible.
struct Ratings {
  std::vector<Rating> list;
  std::uint32_t users = 0;   ///< the largest user id
  std::uint32_t movies = 0;  ///< the largest movie id
  std::uint64_t digest = 0;  ///< of the list, to tell data sets apart
};

/// Reads MovieLens ratings: lines of user, movie, stars and, or not, a time
/// stamp, separated by `::` (ml-1m's ratings.dat) or tabs (ml-100k's u.data),
/// plain or gzip. Of a folder it takes the file of one of these names.
///
/// Throws Error(kIo) if there is no such file or it is broken off, and
/// Error(kInvalidArgument) with the line's number for what is not a rating
/// (ids from 1 to 10 million, stars from 0 to 5) or for a movie that a user
/// has rated twice.
Ratings ReadRatings(const std::filesystem::path& path);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_MOVIELENS_RATINGS_H_
