#ifndef MANYARMS_BANDIT_STATE_H_
#define MANYARMS_BANDIT_STATE_H_

#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <span>
#include <vector>

#include "bandit/eligible_arms.h"
#include "bandit/model.h"
#include "bandit/pending.h"
#include "bandit/probabilities.h"
#include "bandit/reward_scale.h"
#include "catalogue/state.h"
#include "manyarms/bandit.h"
#include "policy/policy.h"
#include "posterior/posterior.h"

namespace manyarms {

/// The parts of a bandit. They use slots, and features and rewards on the inner
/// scale (RewardScale); the bandit converts from and to what callers use.
struct Bandit::State {
  /// Makes of the index over all arms the one that the policy asks.
  using WrapIndex =
      std::function<std::unique_ptr<Index>(std::unique_ptr<Index>)>;
  static std::unique_ptr<Index> AsItIs(std::unique_ptr<Index> index) {
    return index;
  }

  explicit State(const BanditOptions& given, const WrapIndex& wrap = AsItIs);

  /// Reads what Save has written. Throws what Bandit::Load throws.
  static std::unique_ptr<State> Load(std::istream& in, Names* names,
                                     const WrapIndex& wrap = AsItIs);

  /// The arm of a reward without a decision. Throws Error(kUnknownId).
  Slot ToObserve(ArmId id) const;

  /// An arm that was chosen.
  struct Chosen {
    Hit hit;
    bool uniform = false;  ///< and not by its score
    bool follows = false;  ///< others of a slate
  };
  /// The choice with this number, which its decision will have.
  Chosen ChooseAmong(DecisionId number, const ArmSet* among, Context context);
  std::vector<Chosen> ChooseSlate(const TopRequest& request, Context context);

  /// Throws Error(kCorrupt) if no arm has a score that is a number.
  ArmId ArmOf(const Chosen& chosen) const;
  /// `eligible` is the number of arms that were eligible.
  Decision Decide(const Chosen& chosen, std::size_t eligible, Context context);
  /// The same for an arm that has these inner features, and that need not be in
  /// the slot any more.
  Decision Decide(const Chosen& chosen, ArmId arm, std::span<const float> inner,
                  std::size_t eligible, Context context);
  /// `contexts` has one context for all of them, or one for each.
  std::vector<Decision> DecideAll(const std::vector<Chosen>& chosen,
                                  std::size_t eligible,
                                  std::span<const float> contexts);

  std::size_t CountEligible(const ArmSet* among) const {
    return among != nullptr ? among->size() : store.size();
  }

  ChoiceMix MixAmong(const ArmSet* among) const {
    return {.uniform_share = options.explore_uniform,
            .eligible = CountEligible(among),
            .among = among};
  }

  /// What choices are made by now.
  Basis BasisNow() const {
    return {.version = posterior.version(), .epoch = store.members().epoch()};
  }

  /// A pending decision whose probability may be asked for.
  struct Redrawable {
    AskedDecision asked;
    Slot slot;
    const ArmSet* among;  ///< null: all arms are eligible

    /// REQUIRES: this outlives what is returned, which has its context.
    Redraws Draws(std::uint64_t count) const {
      return {.decision = asked.number,
              .count = count,
              .among = among,
              .context = asked.context};
    }
  };
  /// Throws what Bandit::Propensity throws.
  Redrawable ToRedraw(DecisionId decision, const Eligible& eligible,
                      Context context);

  /// The probabilities with which a choice is these arms, each given once.
  std::vector<Probability> Propensities(const Redraws& redraws,
                                        std::span<const Slot> arms);

  double LoggingProbability(const Redrawable& decision, std::uint64_t draws);

  /// Learns a reward on the caller's scale.
  void Learn(std::span<const float> inner, double reward, Context context);

  /// The expected reward of each feature of an arm in a context, and of its
  /// constant if the store does not have that.
  Eigen::VectorXd MeanIn(Context context) const;

  double Predict(const Eigen::VectorXd& mean,
                 std::span<const float> given) const;
  double PredictInner(const Eigen::VectorXd& mean,
                      std::span<const float> inner) const;

  /// Tells index and policy of arms that the store has just added.
  void Announce(std::span<const Slot> slots);

  /// REQUIRES for the next two: arms that are there, each once.
  void Remove(std::span<const Slot> slots);
  void Replace(std::span<const Slot> slots, std::span<const float> inner_rows);

  void Save(std::ostream& out, const Names* names) const;

  BanditOptions options;
  RewardScale scale;
  ContextModel model;
  Catalogue catalogue;
  ArmStore& store;  // of the catalogue
  Posterior posterior;
  std::unique_ptr<Index> index;  // none if the policy needs none
  std::unique_ptr<Policy> policy;
  PendingDecisions pending;
  EligibleArms eligible_arms;

  std::vector<float> features;  // scratch

 private:
  /// `place` becomes that of the arm's features.
  Decision Note(const Chosen& chosen, ArmId arm, std::size_t eligible,
                Context context, std::span<float>& place);
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_STATE_H_
