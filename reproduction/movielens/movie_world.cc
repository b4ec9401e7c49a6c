#include "reproduction/movielens/movie_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "manyarms/error.h"
#include "manyarms/random.h"

namespace manyarms::reproduction {
namespace {

class MovieWorld final : public Environment {
 public:
  MovieWorld(const MovieFeatures& features, std::vector<bool> liked,
             const MovieWorldOptions& options)
      : features_(features),
        liked_(std::move(liked)),
        options_(options),
        order_(static_cast<std::size_t>(features.rows())),
        next_(options.arms) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    RandomStream random(options.seed, RandomStream::Role::kOrder, 0);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      std::swap(order_[i], order_[i + random.Below(order_.size() - i)]);
    }
  }

  std::size_t dim() const override {
    return static_cast<std::size_t>(features_.cols());
  }
  std::size_t arms_at_start() const override { return options_.arms; }

  void Features(ArmId arm, std::span<float> out) const override {
    const auto row = features_.row(static_cast<Eigen::Index>(order_[arm]));
    std::copy_n(row.data(), out.size(), out.begin());
  }

  Change Advance(std::uint64_t step) override {
    Change change;
    if (step % options_.every != 0) return change;
    for (std::size_t i = 0; i < options_.add && next_ < order_.size(); ++i) {
      change.added.push_back(next_++);
    }
    return change;
  }

  double Reward(ArmId arm, std::uint64_t /*step*/) const override {
    return liked_[order_[arm]] ? 1 : 0;
  }

  double Regret(ArmId arm) const override {
    return liked_[order_[arm]] ? 0 : 1;
  }

 private:
  const MovieFeatures& features_;
  const std::vector<bool> liked_;
  const MovieWorldOptions options_;
  std::vector<std::size_t> order_;  // arm i is movie order_[i]
  ArmId next_;
};

}  // namespace

std::unique_ptr<Environment> MakeMovieWorld(const MovieFeatures& features,
                                            std::vector<bool> liked,
                                            const MovieWorldOptions& options) {
  const auto movies = static_cast<std::size_t>(features.rows());
  if (options.arms < 1 || options.arms > movies) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("arms is {}, must be from 1 to {}, the number of "
                            "movies",
                            options.arms, movies));
  }
  if (options.every < 1) {
    throw Error(ErrorCode::kInvalidArgument, "every is 0, must be at least 1");
  }
  return std::make_unique<MovieWorld>(features, std::move(liked), options);
}

std::vector<bool> LikedBy(const Ratings& ratings, std::uint32_t user) {
  std::vector<bool> liked(ratings.movies);
  for (const Rating& rating : ratings.list) {
    if (rating.user == user && rating.stars >= kLikedFrom) {
      liked[rating.movie - 1] = true;
    }
  }
  return liked;
}

}  // namespace manyarms::reproduction
