#include "reproduction/movielens/movie_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "testing.h"

namespace manyarms::reproduction {
namespace {

using manyarms::testing::ExpectError;

// The first feature of movie m is m, which identifies it.
MovieFeatures Numbered(int movies) {
  MovieFeatures features(movies, 3);
  for (int i = 0; i < movies; ++i) {
    features.row(i) << static_cast<float>(i), 0.5F, -static_cast<float>(i);
  }
  return features;
}

std::vector<bool> EveryThird(std::size_t movies) {
  std::vector<bool> liked(movies);
  for (std::size_t i = 0; i < movies; i += 3) liked[i] = true;
  return liked;
}

std::size_t MovieOf(const Environment& world, ArmId arm) {
  std::vector<float> features(3);
  world.Features(arm, features);
  EXPECT_EQ(features[1], 0.5F);
  EXPECT_EQ(features[2], -features[0]);
  return static_cast<std::size_t>(features[0]);
}

constexpr MovieWorldOptions kOptions = {
    .arms = 10, .add = 3, .every = 4, .seed = 1};

std::vector<std::size_t> Order(const MovieFeatures& features,
                               std::uint64_t seed) {
  MovieWorldOptions options = kOptions;
  options.seed = seed;
  const auto world = MakeMovieWorld(features, EveryThird(30), options);
  std::vector<std::size_t> order;
  order.reserve(30);
  for (ArmId arm = 0; arm < 30; ++arm) order.push_back(MovieOf(*world, arm));
  return order;
}

TEST(MovieWorld, GivesRewardOneOrRegretOne) {
  const MovieFeatures features = Numbered(30);
  const auto world = MakeMovieWorld(features, EveryThird(30), kOptions);
  EXPECT_EQ(world->dim(), 3U);
  for (ArmId arm = 0; arm < 30; ++arm) {
    const double reward = MovieOf(*world, arm) % 3 == 0 ? 1 : 0;
    EXPECT_EQ(world->Reward(arm, 1), reward);
    EXPECT_EQ(world->Reward(arm, 17), reward);
    EXPECT_EQ(world->Regret(arm), 1 - reward);
  }
}

// There are 10 movies at first, and 3 more every 4 steps. The other 20 have
// arrived by step 28, which adds the last two.
TEST(MovieWorld, AddsEveryMovieOnce) {
  const MovieFeatures features = Numbered(30);
  const auto world = MakeMovieWorld(features, EveryThird(30), kOptions);
  ASSERT_EQ(world->arms_at_start(), 10U);
  std::set<ArmId> arms;
  std::set<std::size_t> movies;
  const auto arrive = [&](ArmId arm) {
    EXPECT_TRUE(arms.insert(arm).second) << arm;
    EXPECT_TRUE(movies.insert(MovieOf(*world, arm)).second) << arm;
  };
  for (ArmId arm = 0; arm < 10; ++arm) arrive(arm);
  for (std::uint64_t step = 1; step <= 100; ++step) {
    const Change change = world->Advance(step);
    std::size_t due = 0;
    if (step % 4 == 0) due = step < 28 ? 3 : step == 28 ? 2 : 0;
    EXPECT_EQ(change.added.size(), due) << "step " << step;
    EXPECT_TRUE(change.removed.empty());
    for (const ArmId arm : change.added) arrive(arm);
  }
  EXPECT_EQ(movies.size(), 30U);
  EXPECT_EQ(*movies.rbegin(), 29U);
}

TEST(MovieWorld, OrdersMoviesByTheSeed) {
  const MovieFeatures features = Numbered(30);
  const std::vector<std::size_t> order = Order(features, 1);
  EXPECT_EQ(Order(features, 1), order);
  EXPECT_NE(Order(features, 2), order);
  std::vector<std::size_t> sorted = order;
  std::ranges::sort(sorted);
  EXPECT_NE(sorted, order);
}

TEST(MovieWorld, RefusesToStartWithNoMoviesOrMoreThanExist) {
  const MovieFeatures features = Numbered(30);
  MovieWorldOptions options = kOptions;
  options.arms = 31;
  ExpectError(ErrorCode::kInvalidArgument, {"arms is 31", "1 to 30"},
              [&] { MakeMovieWorld(features, EveryThird(30), options); });
  options.arms = 0;
  ExpectError(ErrorCode::kInvalidArgument, {"arms is 0", "1 to 30"},
              [&] { MakeMovieWorld(features, EveryThird(30), options); });
  options.arms = 30;
  const auto world = MakeMovieWorld(features, EveryThird(30), options);
  EXPECT_TRUE(world->Advance(4).added.empty());
}

// A user's own table may contain this.
TEST(MovieWorld, RefusesToAddEveryZeroSteps) {
  const MovieFeatures features = Numbered(30);
  MovieWorldOptions options = kOptions;
  options.every = 0;
  ExpectError(ErrorCode::kInvalidArgument, {"every is 0"},
              [&] { MakeMovieWorld(features, EveryThird(30), options); });
}

TEST(LikedBy, IsTrueForFourStarsOrMore) {
  Ratings ratings;
  ratings.users = 2;
  ratings.movies = 5;
  ratings.list = {{1, 1, 4}, {1, 2, 3.5F}, {2, 3, 5}, {1, 4, 5}, {2, 1, 1}};
  EXPECT_EQ(LikedBy(ratings, 1),
            (std::vector<bool>{true, false, false, true, false}));
  EXPECT_EQ(LikedBy(ratings, 2),
            (std::vector<bool>{false, false, true, false, false}));
}

}  // namespace
}  // namespace manyarms::reproduction
