#include "base/check.h"
#include "manyarms/error.h"
#include "policy/elimination.h"
#include "policy/exploration.h"
#include "policy/policy.h"
#include "policy/thompson.h"
#include "policy/ucb.h"

namespace manyarms {
namespace {

// Below the smallest the last stage's width would be lost in float.
constexpr double kMinAccuracy = 1e-6;

void Check(const ThompsonOptions&) {}
void Check(const UcbOptions&) {}
void Check(const EliminationOptions& options) {
  CheckWithin("accuracy", options.accuracy, kMinAccuracy, 0.125);
}

template <class Options>
struct PolicyFor;
template <>
struct PolicyFor<ThompsonOptions> {
  using Type = Thompson;
  static constexpr std::string_view kName = "ts";
};
template <>
struct PolicyFor<EliminationOptions> {
  using Type = Elimination;
  static constexpr std::string_view kName = "elim";
};
template <>
struct PolicyFor<UcbOptions> {
  using Type = Ucb;
  static constexpr std::string_view kName = "ucb";
};

}  // namespace

std::string_view PolicyName(const PolicyOptions& options) {
  return std::visit(
      []<class Options>(const Options&) { return PolicyFor<Options>::kName; },
      options);
}

std::unique_ptr<Index> MakeSharedIndex(const PolicyOptions& policy,
                                       const SearchOptions& search,
                                       const ArmStore& store,
                                       std::uint64_t seed) {
  if (std::holds_alternative<EliminationOptions>(policy)) return nullptr;
  const Objective objective = std::holds_alternative<UcbOptions>(policy)
                                  ? Objective::kOptimism
                                  : Objective::kInnerProduct;
  return MakeIndex(search, objective, store, Scope::kAllArms, seed);
}

std::unique_ptr<Policy> MakePolicy(const PolicyOptions& policy,
                                   const SearchOptions& search,
                                   const PolicyParts& parts,
                                   std::uint64_t seed) {
  return std::visit(
      [&]<class Options>(const Options& options) -> std::unique_ptr<Policy> {
        CheckExploration(options.exploration);
        Check(options);
        using Type = typename PolicyFor<Options>::Type;
        if constexpr (std::is_same_v<Type, Elimination>) {
          return std::make_unique<Type>(options, search, parts, seed);
        } else {
          return std::make_unique<Type>(options, parts, seed);
        }
      },
      policy);
}

}  // namespace manyarms
