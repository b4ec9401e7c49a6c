#include "policy/asking.h"
#include "policy/context_questions.h"
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
  if (auto questions = MakeQuestions(policy, parts.posterior, parts.model)) {
    return std::make_unique<AskingPolicy>(std::move(questions), parts, seed);
  }
  return PolicyKinds::Visit(
      policy, [&](auto kind, const auto& options) -> std::unique_ptr<Policy> {
        if constexpr (kind.kSharesIndex) {
          return nullptr;  // made above
        } else {
          return kind.Make(options, search, parts, seed);
        }
      });
}

std::unique_ptr<Questions> MakeQuestions(const PolicyOptions& policy,
                                         const Posterior& posterior,
                                         const ContextModel& model) {
  CheckPolicy(policy, posterior.dim());
  std::unique_ptr<Questions> questions = PolicyKinds::Visit(
      policy,
      [&](auto kind, const auto& options) -> std::unique_ptr<Questions> {
        if constexpr (kind.kSharesIndex) {
          return kind.MakeQuestions(options, posterior);
        } else {
          return nullptr;
        }
      });
  if (!questions || !model.has_contexts()) return questions;
  return std::make_unique<ContextQuestions>(std::move(questions), model);
}

}  // namespace manyarms
