#ifndef MANYARMS_EVALUATION_H_
#define MANYARMS_EVALUATION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/estimators.h"
#include "manyarms/features.h"
#include "manyarms/logged_choice.h"
#include "manyarms/population.h"
#include "manyarms/types.h"

namespace manyarms {

/// Who is evaluated: a bandit, for which all learners of a log are one, or a
/// population, in which each learner of the log is a learner.
using EvaluatedOptions = std::variant<BanditOptions, PopulationOptions>;

struct EvaluationOptions {
  EvaluatedOptions policy;
  /// Whether only those choices are evaluated that were drawn uniformly.
  bool uniform_only = false;
  /// How often a policy that draws at random is asked for each choice that is
  /// evaluated, 1 to kMaxEvaluationDraws. Few draws cost no bias: they make
  /// intervals longer, which count them in.
  std::size_t draws = 1000;
  // NOLINTNEXTLINE(readability-redundant-member-init): g++ warns without it.
  EstimatorOptions estimators = {};
};

inline constexpr std::size_t kMaxEvaluationDraws = 100'000'000;

/// How well a policy would have done in place of the one that made a log.
struct Evaluation {
  std::size_t learned = 0;      ///< choices
  std::size_t evaluated = 0;    ///< choices
  std::size_t passed_over = 0;  ///< not uniform, and so not evaluated
  /// Left out, because only some of the arms were eligible.
  std::size_t restricted = 0;
  /// Evaluated choices among several arms that were logged with probability 1.
  std::size_t certain = 0;
  WeightSummary weights;
  Estimate logged;  ///< the mean reward of the choices as they were made
  Estimate inverse_propensity;
  Estimate self_normalised;
  Estimate doubly_robust;  ///< with the predictions of the policy itself
  Estimate direct;
  /// What to know before trusting the estimates, in words: that few choices
  /// count, for instance, or that the log's probabilities seem to be wrong.
  std::vector<std::string> notes;

  bool operator==(const Evaluation&) const = default;
};

/// Evaluates a policy on a log: it learns the first choices, then stays as it
/// is, and is asked about the others.
///
/// The arms must be those from which the logged choices were made: if a log
/// says when arms came, went and changed, the caller makes the same changes
/// here in between. A choice from fewer arms than there are is left out,
/// because a log does not say which; one from more arms is refused.
///
/// Errors are those of Bandit and Population, with the line of the log; after
/// one the object is as it was before the call.
class PolicyEvaluation {
 public:
  /// Throws Error(kInvalidArgument), and Error(kUnsupported) for elim: its
  /// choices change its stages, so it does not stay as it is while it is asked.
  explicit PolicyEvaluation(const EvaluationOptions& options);
  ~PolicyEvaluation();
  PolicyEvaluation(PolicyEvaluation&&) noexcept;
  PolicyEvaluation& operator=(PolicyEvaluation&&) noexcept;

  void Add(std::span<const ArmId> ids, const FeatureRows& features);
  void Remove(std::span<const ArmId> ids);
  void Update(std::span<const ArmId> ids, const FeatureRows& features);
  bool Contains(ArmId arm) const;

  void Learn(const LoggedChoice& choice);

  /// Learns a reward that belongs to no choice: eligible arms, probability and,
  /// if there are features, the arm are not looked at.
  void Observe(const LoggedChoice& reward);

  /// Asks the policy what it would have done. Throws Error(kInvalidArgument)
  /// for a choice without probability that was not uniform.
  ///
  /// Where only some choices of a log are uniform, probabilities must count
  /// that in: a share s of uniform choices among n arms adds s/n to 1 - s times
  /// the probability of the policy. If uniform choices alone are evaluated,
  /// theirs is 1/n, whatever the log says.
  void Evaluate(const LoggedChoice& choice);

  /// What the evaluated choices tell. Throws Error(kInvalidArgument) if they
  /// are too few, and if the policy of the log was deterministic, so that it
  /// tells nothing of other arms.
  Evaluation Result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct ReplayOptions {
  EvaluatedOptions policy;
  double level = 0.95;  ///< of the confidence interval
};

struct ReplayResult {
  std::size_t offered = 0;      ///< uniform choices
  std::size_t matches = 0;      ///< in which the policy chose the same arm
  std::size_t passed_over = 0;  ///< choices that were not uniform
  std::size_t restricted = 0;   ///< left out, as in Evaluation
  Estimate reward;              ///< the mean over the matches

  bool operator==(const ReplayResult&) const = default;
};

/// Replays the uniform choices of a log (Li, Chu, Langford and Wang, 2011): the
/// policy chooses in each of them, and where it chooses the logged arm, it
/// learns the reward and the reward counts. What the policy meets is what it
/// would meet if it were in use for as many steps as there are matches, so
/// unlike PolicyEvaluation it says how well a policy learns. Any policy will
/// do. About one choice in K matches.
///
/// Arms and errors are those of PolicyEvaluation.
class PolicyReplay {
 public:
  explicit PolicyReplay(const ReplayOptions& options);
  ~PolicyReplay();
  PolicyReplay(PolicyReplay&&) noexcept;
  PolicyReplay& operator=(PolicyReplay&&) noexcept;

  void Add(std::span<const ArmId> ids, const FeatureRows& features);
  void Remove(std::span<const ArmId> ids);
  void Update(std::span<const ArmId> ids, const FeatureRows& features);
  bool Contains(ArmId arm) const;

  /// Learns a reward that belongs to no choice, as PolicyEvaluation does.
  void Observe(const LoggedChoice& reward);

  /// Returns whether the policy chose the logged arm. A choice that was not
  /// uniform is passed over, and one from some of the arms is left out.
  bool Offer(const LoggedChoice& choice);

  /// Throws Error(kInvalidArgument) for fewer than two matches.
  ReplayResult Result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Arms, all of them or those before a log began; none unless there are any.
struct FixedArms {
  std::span<const ArmId> ids;
  FeatureRows features{static_cast<const float*>(nullptr), 0, 0, {}};
};

/// Called now and then with the share of the work done, from 0 to 1. An
/// exception that it throws ends the work.
using EvaluationProgress = std::function<void(double done)>;

/// For logs over arms that never change: learns the first `learn_share` of the
/// choices, rounded down, and evaluates the rest. First are those with the
/// smaller lines, in whatever order they are given: ReadChoices gives them in
/// the order of their rewards, and choices without one last, by which neither
/// part would be like the whole. If some choices have no line (0), all are
/// taken in the order given.
///
/// Throws Error(kInvalidArgument) unless the share is within [0, 1).
Evaluation Evaluate(std::span<const LoggedChoice> choices,
                    const FixedArms& arms, const EvaluationOptions& options,
                    double learn_share = 0.5,
                    const EvaluationProgress& progress = {});

/// Takes the choices in the order of their lines, too.
ReplayResult Replay(std::span<const LoggedChoice> choices,
                    const FixedArms& arms, const ReplayOptions& options,
                    const EvaluationProgress& progress = {});

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_H_
