#include "reproduction/movielens/split.h"

#include <gtest/gtest.h>

#include <set>

#include "testing.h"

namespace manyarms::reproduction {
namespace {

using manyarms::testing::ExpectError;

// User u has rated the movies 1, ..., u.
Ratings Stairs(std::uint32_t users) {
  Ratings ratings;
  ratings.users = users;
  ratings.movies = users;
  ratings.digest = 77;
  for (std::uint32_t user = 1; user <= users; ++user) {
    for (std::uint32_t movie = 1; movie <= user; ++movie) {
      ratings.list.push_back({user, movie, 3});
    }
  }
  return ratings;
}

constexpr SplitOptions kOptions = {
    .test = 12, .validation = 5, .more_than_ratings = 20, .seed = 1};

TEST(SplitUsers, TakesDistinctUsersWithEnoughRatings) {
  std::set<std::uint32_t> all;
  const Split split = SplitUsers(Stairs(40), kOptions);
  EXPECT_EQ(split.test.size(), 12U);
  EXPECT_EQ(split.validation.size(), 5U);
  for (const auto& part : {split.test, split.validation}) {
    for (const std::uint32_t user : part) {
      EXPECT_GT(user, 20U);
      EXPECT_LE(user, 40U);
      EXPECT_TRUE(all.insert(user).second) << user << " is taken twice";
    }
  }
}

TEST(SplitUsers, CanTakeAllUsersWithEnoughRatings) {
  SplitOptions options = kOptions;
  options.validation = 8;
  const Split split = SplitUsers(Stairs(40), options);
  std::set<std::uint32_t> all(split.test.begin(), split.test.end());
  all.insert(split.validation.begin(), split.validation.end());
  EXPECT_EQ(all.size(), 20U);
  EXPECT_EQ(*all.begin(), 21U);
}

TEST(SplitUsers, IsAFunctionOfTheSeed) {
  const Split split = SplitUsers(Stairs(40), kOptions);
  const Split again = SplitUsers(Stairs(40), kOptions);
  EXPECT_EQ(again.test, split.test);
  EXPECT_EQ(again.validation, split.validation);
  SplitOptions other = kOptions;
  other.seed = 2;
  EXPECT_NE(SplitUsers(Stairs(40), other).test, split.test);
}

// Each of the 20 users is in the test set with probability 12/20. Over 400
// seeds that is 240 times, with a standard deviation of sqrt(400 x 0.6 x 0.4)
// < 10. The margin is five standard deviations.
TEST(SplitUsers, ChoosesAllUsersEquallyOften) {
  const Ratings ratings = Stairs(40);
  std::vector<int> taken(41);
  SplitOptions options = kOptions;
  for (options.seed = 1; options.seed <= 400; ++options.seed) {
    for (const std::uint32_t user : SplitUsers(ratings, options).test) {
      ++taken[user];
    }
  }
  for (std::size_t user = 21; user <= 40; ++user) {
    EXPECT_NEAR(taken[user], 240, 50) << user;
  }
}

TEST(SplitUsers, RefusesToTakeMoreUsersThanThereAre) {
  SplitOptions options = kOptions;
  options.validation = 9;
  ExpectError(ErrorCode::kInvalidArgument,
              {"20 users have more than 20 ratings", "21 are needed"},
              [&] { SplitUsers(Stairs(40), options); });
}

TEST(Without, LeavesOutExactlyTheseUsers) {
  const Ratings ratings = Stairs(10);
  const Ratings rest = Without(ratings, {10, 3, 7});
  EXPECT_EQ(rest.list.size(), 55U - 10 - 3 - 7);
  auto next = rest.list.begin();
  for (const Rating& rating : ratings.list) {
    if (rating.user == 3 || rating.user == 7 || rating.user == 10) continue;
    ASSERT_NE(next, rest.list.end());
    EXPECT_EQ(next->user, rating.user);
    EXPECT_EQ(next->movie, rating.movie);
    ++next;
  }
  EXPECT_EQ(next, rest.list.end());
}

// Features have a row for every movie, whichever users are left out.
TEST(Without, KeepsTheNumbersOfUsersAndMovies) {
  const Ratings rest = Without(Stairs(10), {10});
  EXPECT_EQ(rest.users, 10U);
  EXPECT_EQ(rest.movies, 10U);
}

}  // namespace
}  // namespace manyarms::reproduction
