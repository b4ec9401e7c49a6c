#include "policy/kinds.h"

namespace manyarms {

std::string_view PolicyName(const PolicyOptions& options) {
  return PolicyKinds::Visit(options,
                            [](auto kind, const auto&) { return kind.kName; });
}

Objective ObjectiveOf(const PolicyOptions& options) {
  return PolicyKinds::Visit(
      options, [](auto kind, const auto&) { return kind.kObjective; });
}

bool SharesIndex(const PolicyOptions& options) {
  return PolicyKinds::Visit(
      options, [](auto kind, const auto&) { return kind.kSharesIndex; });
}

std::optional<PseudoRewards> PseudoRewardsOf(const PolicyOptions& options) {
  return PolicyKinds::Visit(
      options, [](auto kind, const auto& held) -> std::optional<PseudoRewards> {
        if constexpr (requires { kind.LearnsFrom(held); }) {
          return kind.LearnsFrom(held);
        } else {
          return std::nullopt;
        }
      });
}

bool CanForget(const PolicyOptions& options) {
  return SharesIndex(options) && !PseudoRewardsOf(options);
}

bool ScoreIsDifference(const PolicyOptions& options) {
  return PolicyKinds::Visit(
      options, [](auto kind, const auto&) { return kind.kScoreIsDifference; });
}

void CheckPolicy(const PolicyOptions& options, std::size_t dim) {
  PolicyKinds::Visit(options, [dim](auto kind, const auto& chosen) {
    CheckFields(kind.kFields, chosen, dim);
  });
}

void Explorations::Check(const std::string& what,
                         const Exploration& exploration,
                         std::size_t dim) const {
  if (const double* constant = std::get_if<double>(&exploration)) {
    constants.Check(what, *constant, dim);
  } else {
    CheckFields(kTheoryRadiusFields, std::get<TheoryRadius>(exploration), dim);
  }
}

}  // namespace manyarms
