#ifndef MANYARMS_POLICY_GLOC_TS_KIND_H_
#define MANYARMS_POLICY_GLOC_TS_KIND_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "manyarms/policy/gloc_ts.h"
#include "policy/kind.h"
#include "policy/pseudo_rewards.h"

namespace manyarms {

template <>
struct PolicyKind<GlocTsOptions> {
  static constexpr std::string_view kName = "gloc-ts";
  static constexpr std::uint8_t kTag = 3;
  static constexpr std::string_view kSummary =
      "GLOC-TS (Jun et al., 2017), to be compared with: Thompson sampling from "
      "pseudo-rewards.";
  static constexpr Objective kObjective = Objective::kInnerProduct;
  static constexpr bool kSharesIndex = true;
  static constexpr bool kScoreIsDifference = false;
  static constexpr double kBytesPerArm = 0;

  static constexpr std::tuple kFields{ExplorationField<GlocTsOptions>(),
                                      NormBoundField<GlocTsOptions>(),
                                      CurvatureField<GlocTsOptions>()};

  static PseudoRewards LearnsFrom(const GlocTsOptions& options) {
    return PseudoRewardsBy(options);
  }

  static std::unique_ptr<Questions> MakeQuestions(const GlocTsOptions& options,
                                                  const Posterior& posterior);

  static std::vector<PolicySample<GlocTsOptions>> Samples() {
    return {{"GlocTs", {.norm_bound = 100, .curvature = 1}}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_GLOC_TS_KIND_H_
