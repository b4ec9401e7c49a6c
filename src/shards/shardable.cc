#include "shards/shardable.h"

#include <fmt/format.h>

#include "policy/kinds.h"
#include "search/kinds.h"

namespace manyarms {

BanditOptions Shardable(BanditOptions options) {
  const auto refuse = [](const std::string& what, const char* why) {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("{} cannot be used with arms in shards: {}", what, why));
  };
  if (!SharesIndex(options.policy)) {
    refuse(std::string(PolicyName(options.policy)),
           "its stages need all arms in one place; use ts or ucb");
  }
  if (!IsExact(options.search)) {
    refuse(std::string(SearchName(options.search)),
           "what it misses would depend on the shards; use certified or scan");
  }
  if (options.explore_uniform > 0) {
    refuse(fmt::format("explore_uniform {}", options.explore_uniform),
           "it draws from the order of all arms; must be 0");
  }
  return options;
}

}  // namespace manyarms
