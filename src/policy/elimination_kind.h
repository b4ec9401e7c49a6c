#ifndef MANYARMS_POLICY_ELIMINATION_KIND_H_
#define MANYARMS_POLICY_ELIMINATION_KIND_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "manyarms/policy/elimination.h"
#include "policy/kind.h"

namespace manyarms {

template <>
struct PolicyKind<EliminationOptions> {
  static constexpr std::string_view kName = "elim";
  static constexpr std::uint8_t kTag = 1;
  static constexpr std::string_view kSummary =
      "Elimination in stages (Algorithms 2 and 3).";
  static constexpr Objective kObjective = Objective::kQuadraticForm;
  static constexpr bool kSharesIndex = false;
  static constexpr bool kScoreIsDifference = true;
  static constexpr double kBytesPerArm = 13;

  static constexpr std::tuple kFields{
      ExplorationField<EliminationOptions>(),
      // With less, the width of the last stage would be lost to rounding in
      // float.
      Field{&EliminationOptions::accuracy,
            Reals{1e-6, 0.125},
            {.name = "accuracy",
             .help = "How finely arms are told apart (eta in the paper)",
             .decides = true}}};

  static std::unique_ptr<Policy> Make(const EliminationOptions& options,
                                      const SearchOptions& search,
                                      const PolicyParts& parts,
                                      std::uint64_t seed);

  static std::vector<PolicySample<EliminationOptions>> Samples() {
    return {{"Elimination", {}}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_ELIMINATION_KIND_H_
