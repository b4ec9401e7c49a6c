#ifndef MANYARMS_POPULATION_STATE_H_
#define MANYARMS_POPULATION_STATE_H_

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bandit/model.h"
#include "base/shared_mutex.h"
#include "catalogue/state.h"
#include "manyarms/population.h"
#include "population/learner_table.h"
#include "population/prior_source.h"
#include "population/saved_learner.h"
#include "population/workspace.h"
#include "search/finder_cache.h"

namespace manyarms {

/// The parts of a population. Features and rewards are on the inner scale
/// (RewardScale), and arms are slots.
struct Population::State {
  explicit State(const PopulationOptions& given);

  std::uint64_t SeedOf(const LearnerKey& key) const;

  /// A learner's decision by the number of it, and the reverse. Throws
  /// Error(kUnknownId) for another learner's decision.
  DecisionId IdOf(const LearnerKey& key, std::uint64_t number) const;
  std::uint64_t NumberOf(const LearnerKey& key, DecisionId id) const;

  /// The number of a decision that must be pending. Throws Error(kUnknownId).
  std::uint64_t PendingNumber(const LearnerKey& key, const Learner& learner,
                              DecisionId id) const;

  /// Which arms are wanted for a choice.
  struct Wanted {
    std::size_t count = 1;
    bool slate = false;  ///< the top `count`, not just the best
    const Eligible& eligible;
    Context context;
  };
  std::vector<Decision> Choose(const LearnerKey& key, const Wanted& wanted);
  std::vector<Decision> ChooseFor(const LearnerKey& key, Learner& learner,
                                  const Wanted& wanted);

  /// Arms that were chosen together, the best first.
  struct Chosen {
    // g++ warns without the initialiser.
    std::vector<Hit> hits = {};  // NOLINT(readability-redundant-member-init)
    std::size_t eligible = 0;
    bool uniform = false;  ///< and not by their scores
    Basis basis;
  };
  /// REQUIRES: the caller holds the store's ReadLock.
  std::vector<Decision> Decide(const LearnerKey& key, Learner& learner,
                               const Chosen& chosen, Context context);

  /// The learner's pending decisions, to which one will be added.
  PendingDecisions& PendingOf(Learner& learner) const;

  /// A finder of its own for a learner, or for all that have learned nothing,
  /// if it has one or gets one; `start` is what new ones begin with.
  /// REQUIRES: the caller does not hold the store's ReadLock.
  FinderCache::Loan FinderOf(const Learner* learner, const StartingPrior& start,
                             Context context);

  /// Throws Error(kUnknownId) unless it is pending and chose this arm.
  void CheckPending(const LearnerKey& key, const Decision& decision) const;

  /// Returns answer(poll, number, arm) for a pending decision, its number and
  /// the slot of its arm. Throws what Bandit::Propensity throws.
  struct Poll;
  template <class Answer>
  auto WithDecision(const LearnerKey& key, DecisionId decision,
                    const Eligible& eligible, Context context,
                    const Answer& answer);

  /// Those of Bandit.
  Probability Propensity(const LearnerKey& key, DecisionId decision,
                         std::uint64_t draws, const Eligible& eligible,
                         Context context);
  double LoggingProbability(const LearnerKey& key, DecisionId decision,
                            std::uint64_t draws, const Eligible& eligible,
                            Context context);
  std::vector<Probability> Propensities(const LearnerKey& key,
                                        std::span<const ArmId> arms,
                                        std::uint64_t draws,
                                        const Eligible& eligible,
                                        Context context);

  /// REQUIRES for the next two: rewards are within their bounds, on the
  /// caller's scale.
  void Learn(const LearnerKey& key, std::span<const DecisionId> decisions,
             std::span<const double> rewards);
  void Observe(const LearnerKey& key, std::span<const float> inner,
               double reward, Context context);

  void Forget(const LearnerKey& key, double share);

  double Predict(const Eigen::VectorXd& mean,
                 std::span<const float> inner) const;

  /// The same for rows that follow one another.
  std::vector<double> PredictRows(const Eigen::VectorXd& mean,
                                  std::span<const float> inner_rows) const;

  /// Its mean, in a context if there are contexts (ContextModel::Direction).
  /// Throws Error(kInvalidArgument) for a context that is wrong.
  Eigen::VectorXd MeanOf(const LearnerKey& key, Context context);

  /// The arms' features, one after another. Throws Error(kUnknownId).
  std::vector<float> InnerFeatures(std::span<const ArmId> ids) const {
    return catalogue.Features(ids);
  }

  /// Calls read(workspace), whose posterior is the learner's as it is now.
  template <class Read>
  decltype(auto) WithPosterior(const LearnerKey& key, const Read& read) {
    const WorkspacePool::Loan workspace = workspaces.Borrow();
    learners.Look(key, [&](const Learner* learner) {
      workspace->Become(learner, *prior.Now());
    });
    return read(*workspace);
  }

  /// The options of a bandit with these arms and learners' settings, but
  /// without a prior that is learned.
  BanditOptions LoneOptions(std::uint64_t seed) const;

  /// That of a learner that has learned nothing.
  Posterior FreshPosterior(const std::optional<GaussianPrior>& given) const;

  /// Learns the prior anew if it is time for that.
  void CountRewards(std::size_t count);

  /// Whether the prior could be learned. REQUIRES: it is shared.
  bool LearnPrior();

  /// What a learner begins with, or began with.
  std::shared_ptr<const StartingPrior> PriorOf(const LearnerKey& key) const;

  /// Lets the learner learn by work(posterior).
  template <class Work>
  void Teach(Learner& learner, const Work& work) {
    const WorkspacePool::Loan workspace = workspaces.Borrow();
    std::shared_ptr<const StartingPrior> now = prior.Now();
    workspace->Become(&learner, *now);
    work(workspace->posterior);
    const bool begins = !learner.packed;
    workspace->PackInto(learner);
    if (begins && prior.is_shared()) learner.prior = std::move(now);
  }

  void Save(std::ostream& out, const Names* names) const;
  LearnerFile MakeLearnerFile(
      const Moment& now,
      PendingFormat format = PendingFormat::kArmAndEligible) const;
  Names Restore(ByteReader& reader, PendingFormat format);

  PopulationOptions options;
  RewardScale scale;
  ContextModel model;
  Catalogue catalogue;
  ArmStore& store;               // of the catalogue
  std::unique_ptr<Index> index;  // of all learners
  LearnerTable learners;
  PriorSource prior;
  WorkspacePool workspaces;
  FinderCache finders;
  mutable SharedMutex changing_arms{LockLevel::kChanges};
};

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_STATE_H_
