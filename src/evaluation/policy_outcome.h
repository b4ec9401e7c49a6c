#ifndef MANYARMS_EVALUATION_POLICY_OUTCOME_H_
#define MANYARMS_EVALUATION_POLICY_OUTCOME_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/evaluation_log.h"

namespace manyarms {

/// All that a log can tell of a policy.
// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
struct PolicyOutcome {
  std::string policy = {};
  std::string search = {};
  /// A log may serve one of the two ways only.
  std::optional<Evaluation> evaluation = std::nullopt;
  std::optional<ReplayResult> replay = std::nullopt;
  std::vector<std::string> notes = {};
};
// NOLINTEND(readability-redundant-member-init)

struct PolicyOutcomeOptions {
  BanditOptions policy;
  bool one_learner = false;  ///< all learners of the log are one
  double learn_share = 0.5;
  std::uint64_t draws = EvaluationOptions().draws;
  bool uniform_only = false;
  double level = EstimatorOptions().level;
  double clip = 0;  ///< 0: no weight is clipped
};

/// Called with what is done, such as "evaluating ts", and the share done.
using OutcomeProgress = std::function<void(const std::string&, double)>;

/// Evaluates a policy, and replays it if the log has uniform choices. Throws
/// what Evaluate and Replay throw, with the name of the policy, and
/// Error(kUnsupported) for a policy that neither can be done with.
PolicyOutcome OutcomeOf(const EvaluationLog& log, const FixedArms& arms,
                        const PolicyOutcomeOptions& options,
                        const OutcomeProgress& progress = {});

/// The mean reward of all choices, as they were made.
Estimate MeanLoggedReward(const EvaluationLog& log, double level);

/// What `manyarms evaluate --json` says of a policy, without the path.
nlohmann::ordered_json ToJson(const EvaluationLog& log, double level,
                              const PolicyOutcome& outcome);

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_POLICY_OUTCOME_H_
