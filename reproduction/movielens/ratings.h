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

/// A whole data set. There may be ids without a rating.
struct Ratings {
  std::vector<Rating> list;
  std::uint32_t users = 0;   ///< the largest user id
  std::uint32_t movies = 0;  ///< the largest movie id
  std::uint64_t digest = 0;  ///< hash of the list, to tell data sets apart
};

/// Reads MovieLens ratings: lines of user, movie, stars and optionally a time
/// stamp, separated by `::` (ml-1m's ratings.dat) or tabs (ml-100k's u.data),
/// plain or compressed by gzip. In a folder it looks for a file with one of
/// these names.
///
/// Throws Error(kIo) if there is no such file, if it is damaged or if it has no
/// ratings, and Error(kInvalidArgument) for a line that is not a rating (ids
/// from 1 to 10 million, stars from 0 to 5) or if a user has rated a movie
/// twice.
Ratings ReadRatings(const std::filesystem::path& path);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_MOVIELENS_RATINGS_H_
