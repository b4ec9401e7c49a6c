#ifndef MANYARMS_REPRODUCTION_WORLDS_H_
#define MANYARMS_REPRODUCTION_WORLDS_H_

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manyarms/research/environment.h"
#include "reproduction/json.h"
#include "reproduction/movielens/movie_world.h"
#include "reproduction/movielens/split.h"
#include "reproduction/plan.h"
#include "reproduction/rows.h"

namespace manyarms::reproduction {

/// Features of movies as a setting asks for them, with what they are worth.
struct PreparedFeatures {
  MovieFeatures movies;
  double training_error = 0;
  double held_out_error = 0;
  std::vector<std::uint32_t> users;  ///< who is held out and played for
};

/// Makes the environments that settings describe. MovieLens' ratings are read
/// and factorised beforehand, once for all runs.
///
/// Thread safety: Make may be called from any number of threads.
class Worlds {
 public:
  /// Without MovieLens' data there are synthetic worlds only.
  Worlds() = default;

  /// Reads the ratings. Throws Error if they are missing or broken.
  explicit Worlds(const std::filesystem::path& movielens);

  /// Makes the features that these jobs' worlds need.
  void Prepare(const std::vector<Job>& jobs, unsigned threads);

  /// REQUIRES: prepared. Throws Error(kInvalidArgument) for a world that
  /// cannot be.
  std::unique_ptr<Environment> Make(const Json& world,
                                    std::uint64_t seed) const;

  /// Throws Error(kInvalidArgument) if any of these rows is of ratings other
  /// than those that were read: they would be taken for runs that are done.
  void CheckSameData(const RowsBySettings& rows) const;

  /// What is to be known of the features in use, for rows.
  Json Describe(const Json& world) const;

 private:
  std::optional<Ratings> ratings_;
  std::map<std::string, PreparedFeatures> features_;  // by what was asked for
};

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_WORLDS_H_
