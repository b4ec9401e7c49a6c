#ifndef MANYARMS_BANDIT_PROBABILITIES_H_
#define MANYARMS_BANDIT_PROBABILITIES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bandit/pending.h"
#include "kernels/arm_set.h"
#include "kernels/slot.h"
#include "manyarms/context.h"
#include "manyarms/probability.h"
#include "manyarms/types.h"
#include "policy/redraws.h"

namespace manyarms {

/// Throws Error(kInvalidArgument) unless probabilities can have so many draws.
void CheckDraws(std::uint64_t draws);

/// A pending decision whose probability is asked for.
struct AskedDecision {
  DecisionId id = 0;         ///< for messages
  std::uint64_t number = 0;  ///< among those of its learner
  ArmId arm = 0;
  std::size_t eligible = 0;  ///< NewDecision::eligible
  // NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
  std::optional<Basis> basis = {};  ///< PendingDecisions::BasisOf
  std::vector<float> context = {};
  // NOLINTEND(readability-redundant-member-init)
};

/// Throws Error(kUnknownId) unless the decision is pending. `context_dim` is
/// the number of values of its context.
AskedDecision Asked(DecisionId id, std::uint64_t number,
                    const PendingDecisions& pending, std::size_t context_dim);

/// Throws Error(kOutdated) unless the decision was made by the basis of the
/// moment; Error(kUnsupported) if it is one of a slate, but not the first; and
/// Error(kInvalidArgument) unless so many arms were eligible, in this context
/// if one is given.
void CheckAsked(const AskedDecision& asked, const Basis& now,
                std::size_t eligible, Context given);

/// Throws Error(kInvalidArgument) if the arm of a decision is not eligible.
void CheckChosenAmong(DecisionId decision, Slot chosen, const ArmSet* among);

/// How choices are made.
struct ChoiceMix {
  double uniform_share;           ///< BanditOptions::explore_uniform
  std::size_t eligible;           ///< the number of eligible arms
  const ArmSet* among = nullptr;  ///< null: all are
};

/// The probabilities with which a choice is these arms, each given once. Calls
/// count_wins for that of the policy, unless it does not matter.
std::vector<Probability> ProbabilitiesOf(
    const ChoiceMix& mix, std::span<const Slot> arms,
    const std::function<Wins()>& count_wins);

/// Bandit::LoggingProbability by `draws` draws. Calls count_wins for that of
/// the policy, with the number of further draws, unless it does not matter. A
/// decision of the policy is one of the draws itself; one that was drawn
/// uniformly is none.
double LoggingProbabilityOf(
    const ChoiceMix& mix, bool is_uniform, std::uint64_t draws,
    const std::function<Wins(std::uint64_t further)>& count_wins);

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_PROBABILITIES_H_
