#include "reproduction/worlds.h"

#include <fmt/format.h>

#include <cmath>

#include "manyarms/error.h"

namespace manyarms::reproduction {
namespace {

Target ParseTarget(const std::string& name) {
  for (const Target target :
       {Target::kStars, Target::kLikedRated, Target::kLikedAll}) {
    if (name == TargetName(target)) return target;
  }
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("target is '{}', which is not known", name));
}

// The key includes world["users"], because the features must not be computed
// from the users they are tried on. For the validation users, who serve to
// choose constants, both they and the test users are held out; for the test
// users, only these are.
std::string FeaturesKey(const Json& world) {
  return Json{world.at("features"), world.at("dim"), world.at("users"),
              world.value("split", Json())}
      .dump();
}

SplitOptions ParseSplit(const Json& world) {
  SplitOptions options;
  const Json given = world.value("split", Json::object());
  options.test = given.value("test", options.test);
  options.validation = given.value("validation", options.validation);
  options.more_than_ratings =
      given.value("more_than_ratings", options.more_than_ratings);
  return options;
}

// Factorisation does not determine the length of features. They are scaled so
// that the longest, or the root mean square of all, has the requested length.
void Scale(const Json& wanted, MovieFeatures& movies) {
  const Eigen::VectorXf squares = movies.rowwise().squaredNorm();
  const bool by_longest = wanted.contains("longest");
  const float now = std::sqrt(by_longest ? squares.maxCoeff() : squares.mean());
  const float length = wanted.at(by_longest ? "longest" : "typical");
  if (now > 0) movies *= length / now;
}

std::unique_ptr<Environment> MakeSyntheticWorld(const Json& world,
                                                std::uint64_t seed) {
  return MakeSynthetic({.arms = world.at("arms"),
                        .dim = world.at("dim"),
                        .add = world.at("add"),
                        .remove = world.at("remove"),
                        .every = world.at("every"),
                        .noise = world.at("noise"),
                        .seed = seed,
                        .theta_seed = world.at("theta_seed")});
}

}  // namespace

Worlds::Worlds(const std::filesystem::path& movielens)
    : ratings_(ReadRatings(movielens)) {}

void Worlds::Prepare(const std::vector<Job>& jobs, unsigned threads) {
  for (const Job& job : jobs) {
    const Json& world = job.settings.at("world");
    if (world.at("kind") != "movielens") continue;
    const std::string key = FeaturesKey(world);
    if (features_.contains(key)) continue;
    if (!ratings_) {
      throw Error(ErrorCode::kIo, "the MovieLens ratings have not been read");
    }
    const Json& wanted = world.at("features");
    const FactorisationOptions options{
        .target = ParseTarget(wanted.at("target")),
        .dim = world.at("dim"),
        .regularisation = wanted.at("regularisation"),
        .threads = threads};
    const Split split = SplitUsers(*ratings_, ParseSplit(world));
    const bool choosing = world.at("users") == "validation";
    std::vector<std::uint32_t> out = split.test;
    if (choosing) {
      out.insert(out.end(), split.validation.begin(), split.validation.end());
    }
    Factorisation made = Factorise(Without(*ratings_, out), options);
    PreparedFeatures prepared{std::move(made.movies), made.training_error, 0,
                              choosing ? split.validation : split.test};
    prepared.held_out_error =
        HeldOutError(*ratings_, prepared.users, prepared.movies, options);
    Scale(wanted, prepared.movies);
    features_.emplace(key, std::move(prepared));
  }
}

std::unique_ptr<Environment> Worlds::Make(const Json& world,
                                          std::uint64_t seed) const {
  try {
    const std::string kind = world.at("kind");
    if (kind == "synthetic") return MakeSyntheticWorld(world, seed);
    if (kind != "movielens") {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("kind is '{}', which is not known", kind));
    }
    const PreparedFeatures& features = features_.at(FeaturesKey(world));
    const std::size_t user = world.at("user");
    if (user >= features.users.size()) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("user is {}, must be below {}, the number of users", user,
                      features.users.size()));
    }
    return MakeMovieWorld(features.movies,
                          LikedBy(*ratings_, features.users[user]),
                          {.arms = world.at("arms"),
                           .add = world.at("add"),
                           .every = world.at("every"),
                           .seed = seed});
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("not a description of a world: {}", error.what()));
  }
}

void Worlds::CheckSameData(const RowsBySettings& rows) const {
  if (!ratings_) return;
  const std::string ours = fmt::format("{:016x}", ratings_->digest);
  for (const auto& [key, row] : rows) {
    if (row.contains("data") &&
        row["data"].value("ratings_digest", "") != ours) {
      throw Error(ErrorCode::kInvalidArgument,
                  "the folder already has rows made from other ratings; choose "
                  "another folder");
    }
  }
}

Json Worlds::Describe(const Json& world) const {
  if (world.at("kind") != "movielens") return nullptr;
  const PreparedFeatures& features = features_.at(FeaturesKey(world));
  return {{"ratings", ratings_->list.size()},
          {"ratings_digest", fmt::format("{:016x}", ratings_->digest)},
          {"training_error", features.training_error},
          {"held_out_error", features.held_out_error}};
}

}  // namespace manyarms::reproduction
