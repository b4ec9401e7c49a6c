#include "search/kinds.h"

#include "manyarms/error.h"

namespace manyarms {

std::string_view SearchName(const SearchOptions& options) {
  return SearchKinds::Visit(options,
                            [](auto kind, const auto&) { return kind.kName; });
}

bool IsExact(const SearchOptions& options) {
  return SearchKinds::Visit(options,
                            [](auto kind, const auto&) { return kind.kExact; });
}

bool UsesCompactCopy(const SearchOptions& options, Objective objective) {
  return SearchKinds::Visit(options, [&](auto kind, const auto& chosen) {
    if constexpr (requires { kind.UsesCompactCopy(chosen, objective); }) {
      return kind.UsesCompactCopy(chosen, objective);
    } else {
      return false;
    }
  });
}

void CheckSearch(const SearchOptions& options, Objective objective,
                 std::size_t dim) {
  SearchKinds::Visit(options, [&](auto kind, const auto& chosen) {
    CheckFields(kind.kFields, chosen, dim);
    const std::string refusal(kind.Refusal(objective, dim));
    if (!refusal.empty()) throw Error(ErrorCode::kUnsupported, refusal);
  });
}

}  // namespace manyarms
