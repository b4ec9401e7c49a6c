#include "reproduction/movielens/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "manyarms/error.h"
#include "manyarms/random.h"

namespace manyarms::reproduction {

Split SplitUsers(const Ratings& ratings, const SplitOptions& options) {
  std::vector<std::size_t> counts(ratings.users + std::size_t{1});
  for (const Rating& rating : ratings.list) ++counts[rating.user];
  std::vector<std::uint32_t> eligible;
  for (std::uint32_t user = 1; user <= ratings.users; ++user) {
    if (counts[user] > options.more_than_ratings) eligible.push_back(user);
  }
  const std::size_t wanted = options.test + options.validation;
  if (eligible.size() < wanted) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} users have more than {} ratings, {} are needed",
                    eligible.size(), options.more_than_ratings, wanted));
  }
  RandomStream random(options.seed, RandomStream::Role::kSplit, 0);
  for (std::size_t i = 0; i < wanted; ++i) {
    std::swap(eligible[i], eligible[i + random.Below(eligible.size() - i)]);
  }
  const auto test_end =
      eligible.begin() + static_cast<std::ptrdiff_t>(options.test);
  return {{eligible.begin(), test_end},
          {test_end, eligible.begin() + static_cast<std::ptrdiff_t>(wanted)}};
}

Ratings Without(const Ratings& ratings,
                const std::vector<std::uint32_t>& users) {
  std::vector<bool> out(ratings.users + std::size_t{1});
  for (const std::uint32_t user : users) out[user] = true;
  Ratings rest = ratings;
  std::erase_if(rest.list, [&out](const Rating& r) { return out[r.user]; });
  return rest;
}

}  // namespace manyarms::reproduction
