#ifndef MANYARMS_POLICY_UCB_KIND_H_
#define MANYARMS_POLICY_UCB_KIND_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "manyarms/policy/ucb.h"
#include "policy/kind.h"

namespace manyarms {

template <>
struct PolicyKind<UcbOptions> {
  static constexpr std::string_view kName = "ucb";
  static constexpr std::uint8_t kTag = 2;
  static constexpr std::string_view kSummary =
      "The upper confidence bound (OFUL, LinUCB).";
  static constexpr Objective kObjective = Objective::kOptimism;
  static constexpr bool kSharesIndex = true;
  static constexpr bool kScoreIsDifference = false;
  static constexpr double kBytesPerArm = 0;

  static constexpr std::tuple kFields{ExplorationField<UcbOptions>()};

  static std::unique_ptr<Questions> MakeQuestions(const UcbOptions& options,
                                                  const Posterior& posterior);

  static std::vector<PolicySample<UcbOptions>> Samples() {
    return {{"Ucb", {}}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_UCB_KIND_H_
