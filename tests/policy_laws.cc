#include "policy_laws.h"

#include <malloc.h>

#include "policy/kinds.h"
#include "search/kinds.h"

#ifdef __SANITIZE_ADDRESS__
// The sanitizer's allocator replaces malloc, so mallinfo2 does not know it. g++
// comes without the header that declares this function.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace manyarms {
namespace {

// The samples of one search with those of one policy that it can serve.
template <class Policy, class Search>
void AppendCombinations(Policy policy, Search search,
                        std::vector<Combination>& combinations) {
  if (!search.Refusal(policy.kObjective, kDim).empty()) return;
  const auto policies = policy.Samples();
  for (const auto& played : policies) {
    for (const auto& asked : search.Samples()) {
      const bool once = asked.slow && played.name != policies.front().name;
      if (asked.laws == Laws::kOfSearches || once) continue;
      combinations.push_back(
          {std::string(played.name) + std::string(asked.name), played.options,
           asked.options});
    }
  }
}

}  // namespace

std::vector<Combination> AllCombinations() {
  std::vector<Combination> combinations;
  PolicyKinds::ForEach([&](auto policy, const auto&) {
    SearchKinds::ForEach([&](auto search, const auto&) {
      AppendCombinations(policy, search, combinations);
    });
  });
  // A graph so poor that it misses most of the time: elimination must make up
  // for what its search does not find.
  combinations.push_back(
      {"EliminationHnswPoor", EliminationOptions{},
       HnswOptions{.shortlist = 1,
                   .metric = HnswOptions::Metric::kInnerProduct,
                   .links = 2,
                   .build_effort = 1}});
  return combinations;
}

std::vector<Combination> CombinationsWhere(
    const std::function<bool(const Combination&)>& holds) {
  std::vector<Combination> some = AllCombinations();
  std::erase_if(some, [&](const Combination& c) { return !holds(c); });
  return some;
}

std::size_t HeapBytes() {
#ifdef __SANITIZE_ADDRESS__
  return __sanitizer_get_current_allocated_bytes();
#else
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
#endif
}

}  // namespace manyarms
