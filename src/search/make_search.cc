#include "search/kinds.h"
#include "search/search.h"

namespace manyarms {

std::unique_ptr<Index> MakeIndex(const SearchOptions& options,
                                 const SearchTask& task, const ArmStore& store,
                                 Scope scope, std::uint64_t seed) {
  CheckSearch(options, task.objective, store.dim());
  return SearchKinds::Visit(options, [&](auto kind, const auto& chosen) {
    return kind.Make(chosen, task, store, scope, seed);
  });
}

}  // namespace manyarms
