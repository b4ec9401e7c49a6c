#include "policy/elimination.h"
#include "policy/kinds.h"
#include "policy/policy.h"
#include "policy/thompson.h"
#include "policy/ucb.h"

namespace manyarms {
namespace {

template <class Options>
struct PolicyFor;
template <>
struct PolicyFor<ThompsonOptions> {
  using Type = Thompson;
};
template <>
struct PolicyFor<EliminationOptions> {
  using Type = Elimination;
};
template <>
struct PolicyFor<UcbOptions> {
  using Type = Ucb;
};

}  // namespace

std::unique_ptr<Policy> MakePolicy(const PolicyOptions& policy,
                                   const SearchOptions& search,
                                   const ArmStore& store,
                                   const Posterior& posterior,
                                   std::uint64_t seed) {
  CheckPolicy(policy, store.dim());
  return std::visit(
      [&]<class Options>(const Options& options) -> std::unique_ptr<Policy> {
        return std::make_unique<typename PolicyFor<Options>::Type>(
            options, search, store, posterior, seed);
      },
      policy);
}

}  // namespace manyarms
