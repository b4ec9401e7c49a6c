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

/// Features of movies for a setting, with their errors.
struct PreparedFeatures {
  MovieFeatures movies;
  double training_error = 0;
  double held_out_error = 0;
  std::vector<std::uint32_t> users;  ///< held out; each has a run
};

/// Makes the environments that settings describe. The MovieLens ratings are
/// read and factorised once for all runs.
///
/// Thread safety: any number of threads may call const methods while no thread
/// calls Prepare.
class Worlds {
 public:
  /// Without MovieLens there are synthetic worlds only.
  Worlds() = default;

  /// Reads the ratings. Throws Error if they are missing or damaged.
  explicit Worlds(const std::filesystem::path& movielens);

  /// Makes the features that these jobs' worlds need.
  void Prepare(const std::vector<Job>& jobs, unsigned threads);

  /// Throws Error(kInvalidArgument) for an invalid description. REQUIRES:
  /// Prepare was called for the job.
  std::unique_ptr<Environment> Make(const Json& world,
                                    std::uint64_t seed) const;

  /// Throws Error(kInvalidArgument) if any of these rows was made from other
  /// ratings. Such rows would be mistaken for runs that are done.
  void CheckSameData(const RowsBySettings& rows) const;

  /// Describes the ratings and features in use; becomes the field `data` of
  /// rows.
  Json Describe(const Json& world) const;

 private:
  std::optional<Ratings> ratings_;
  std::map<std::string, PreparedFeatures> features_;  // by FeaturesKey
};

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_WORLDS_H_
