#include "policy/kinds.h"
#include "policy/policy.h"
#include "search/kinds.h"

namespace manyarms {

std::unique_ptr<Index> MakeSharedIndex(const PolicyOptions& policy,
                                       const SearchOptions& search,
                                       ArmStore& store, std::uint64_t seed) {
  return PolicyKinds::Visit(
      policy, [&](auto kind, const auto&) -> std::unique_ptr<Index> {
        if (!kind.kSharesIndex) return nullptr;
        if (UsesCompactCopy(search, kind.kObjective)) store.KeepCompactCopy();
        return MakeIndex(search, kind.kObjective, store, Scope::kAllArms, seed);
      });
}

std::unique_ptr<Policy> MakePolicy(const PolicyOptions& policy,
                                   const SearchOptions& search,
                                   const PolicyParts& parts,
                                   std::uint64_t seed) {
  CheckPolicy(policy, parts.store.dim());
  return PolicyKinds::Visit(policy, [&](auto kind, const auto& options) {
    return kind.Make(options, search, parts, seed);
  });
}

}  // namespace manyarms
