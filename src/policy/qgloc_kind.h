#ifndef MANYARMS_POLICY_QGLOC_KIND_H_
#define MANYARMS_POLICY_QGLOC_KIND_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "manyarms/policy/qgloc.h"
#include "policy/kind.h"
#include "policy/pseudo_rewards.h"

namespace manyarms {

template <>
struct PolicyKind<QglocOptions> {
  static constexpr std::string_view kName = "qgloc";
  static constexpr std::uint8_t kTag = 4;
  static constexpr std::string_view kSummary =
      "QGLOC (Jun et al., 2017), to be compared with: an upper bound with the "
      "squared width, from pseudo-rewards.";
  static constexpr Objective kObjective = Objective::kQuadraticOptimism;
  static constexpr bool kSharesIndex = true;
  static constexpr bool kScoreIsDifference = false;
  static constexpr double kBytesPerArm = 0;

  static constexpr std::tuple kFields{
      ExplorationField<QglocOptions>(), NormBoundField<QglocOptions>(),
      CurvatureField<QglocOptions>(),
      Field{&QglocOptions::shortest,
            Reals{1e-3, 1e6},
            {.name = "shortest",
             .help = "No arm is shorter than this (r in the paper of GLOC)",
             .decides = true}}};

  static PseudoRewards LearnsFrom(const QglocOptions& options) {
    return PseudoRewardsBy(options);
  }

  static std::unique_ptr<Questions> MakeQuestions(const QglocOptions& options,
                                                  const Posterior& posterior);

  static std::vector<PolicySample<QglocOptions>> Samples() {
    return {{"Qgloc", {.norm_bound = 100, .curvature = 1}}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_QGLOC_KIND_H_
