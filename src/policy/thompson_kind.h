#ifndef MANYARMS_POLICY_THOMPSON_KIND_H_
#define MANYARMS_POLICY_THOMPSON_KIND_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "manyarms/policy/thompson.h"
#include "policy/kind.h"

namespace manyarms {

template <>
struct PolicyKind<ThompsonOptions> {
  static constexpr std::string_view kName = "ts";
  static constexpr std::uint8_t kTag = 0;
  static constexpr std::string_view kSummary =
      "Thompson sampling (Algorithm 4).";
  static constexpr Objective kObjective = Objective::kInnerProduct;
  static constexpr bool kSharesIndex = true;
  static constexpr bool kScoreIsDifference = false;
  static constexpr double kBytesPerArm = 0;

  static constexpr std::tuple kFields{ExplorationField<ThompsonOptions>()};

  static std::unique_ptr<Questions> MakeQuestions(
      const ThompsonOptions& options, const Posterior& posterior);

  static std::vector<PolicySample<ThompsonOptions>> Samples() {
    return {{"Thompson", {}},
            {"ThompsonTheory", {TheoryRadius{.horizon = 1000}}}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_THOMPSON_KIND_H_
