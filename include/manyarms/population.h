#ifndef MANYARMS_POPULATION_H_
#define MANYARMS_POPULATION_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/catalogue.h"
#include "manyarms/context.h"
#include "manyarms/error.h"
#include "manyarms/features.h"
#include "manyarms/learner_key.h"
#include "manyarms/names.h"
#include "manyarms/policy_options.h"
#include "manyarms/prior.h"
#include "manyarms/probability.h"
#include "manyarms/rewards.h"
#include "manyarms/search_options.h"
#include "manyarms/stats.h"
#include "manyarms/types.h"

namespace manyarms {

inline constexpr std::size_t kDefaultOrderBudget = std::size_t{256} << 20;

struct PopulationOptions {
  std::size_t dim = 0;  ///< number of features of an arm, 1 to kMaxDim
  /// Not elim, which is refused: it keeps every arm in one of its stages, for
  /// each learner, which would take memory and time in proportion to all arms
  /// for every learner.
  PolicyOptions policy = ThompsonOptions{};
  SearchOptions search = CertifiedOptions{};
  double regularisation = 1.0;  ///< lambda in the paper
  /// What learners begin with: each by itself, all with the same given prior,
  /// or with what the others have taught.
  PopulationPrior prior = IndependentPrior{};
  bool negative_rewards = false;               ///< as in BanditOptions
  RewardModel rewards = RewardModel::kLinear;  ///< as in BanditOptions
  /// As in BanditOptions, counted in the rewards of each learner. Not with a
  /// shared prior.
  double forgetting = 1;
  double explore_uniform = 0;     ///< as in BanditOptions
  std::size_t context_dim = 0;    ///< as in BanditOptions
  bool context_constants = true;  ///< as in BanditOptions
  std::uint64_t seed = 1;
  /// Rewards can be learned for this number of the latest decisions of each
  /// learner, 1 to kMaxPending. A pending decision takes 4d + 20 bytes, and 4
  /// for each value of its context.
  std::size_t max_pending = 1024;
  /// Certified search keeps orders for those learners that choose often. All of
  /// them together may take this number of bytes, at least 1. (Surveys under
  /// way are not counted, see CertifiedOptions::max_bytes; there is at most one
  /// for each survey thread.) Decisions do not depend on it.
  std::size_t order_budget = kDefaultOrderBudget;

  bool operator==(const PopulationOptions&) const = default;
};

/// What a population knows of a learner, apart from what the learner knows.
struct LearnerInfo {
  std::uint64_t choices = 0;  ///< slates count once
  /// Number of the latest decision: those of slates count one by one.
  std::uint64_t decisions = 0;
  std::uint64_t rewards = 0;  ///< learned, with or without a decision
  std::size_t pending = 0;    ///< decisions whose reward may still be learned
};

/// The sums over all learners, without calls that are under way, and what there
/// is now.
struct PopulationStats : PolicyStats {
  std::uint64_t learners = 0;
  std::uint64_t learner_bytes = 0;  ///< of learners, their keys and decisions
  /// Of learners and contexts that choose often, and of the prior.
  std::uint64_t finders = 0;
  std::uint64_t finder_bytes = 0;  ///< of these finders, with their orders
  std::uint64_t prior_refits = 0;  ///< how often a shared prior was learned
};

/// A decision that a learner has made, as it was written down by somebody who
/// keeps the events of a population (Population::Redo).
struct PastDecision {
  ArmId arm = 0;
  std::span<const float> features;  ///< the arm's at that moment
  std::size_t eligible = 0;         ///< as of Decision
};

/// Many learners over one set of arms: each has its own rewards and makes its
/// own decisions, and all choose from the same arms.
///
/// A learner exists from its first choice or its first reward on. It decides
/// exactly as a Bandit with the options LoneOptions(learner) that has the same
/// arms and learns the same rewards, if the search is exact. Between two calls
/// it takes 4(d + 1)(d + 2) bytes (with ucb and d > 32 about twice as many),
/// some hundred for itself, and what its pending decisions take: 1.4 KB with 16
/// features. With contexts d is the number of coefficients.
///
/// Costs are those of Bandit. The first choices of a learner, and those of
/// learners that choose rarely, are answered by a first pass over all arms
/// (CertifiedOptions::first_pass); learners that choose often get an order.
///
/// A decision's id is unique among those of its learner: its number is in the
/// lower 40 bits. The upper 24 bits depend on the learner's key and the seed,
/// so that a decision of another learner is recognised, but for one in 16
/// million.
///
/// After an Error everything is as it was before the call. If memory runs out
/// in Add, Remove, Update or a choice, the population must not be used any
/// more. A population that was moved from can only be destroyed or assigned to.
///
/// Thread safety: any number of threads may call any methods at the same time,
/// but for moving and destruction. Calls for one learner take turns, and so do
/// changes of arms. Choices wait for a change of arms that is under way, and a
/// change for the choices that are. With an exact search, a learner's decisions
/// do not depend on what other threads do for other learners. (With a shared
/// prior they depend on the rewards that others had learned when the learner
/// began. ChooseFor and LearnFor give the same results whatever the threads do:
/// the prior is learned anew after a whole LearnFor.)
///
/// Fork: a fork waits for calls that are under way, and the child may use the
/// population.
class Population {
 public:
  /// Throws Error(kInvalidArgument) or Error(kUnsupported).
  explicit Population(const PopulationOptions& options);
  ~Population();
  Population(Population&&) noexcept;
  Population& operator=(Population&&) noexcept;

  /// Arms are added, removed and updated for all learners, as those of a
  /// Bandit.
  void Reserve(std::size_t arms);
  void Add(std::span<const ArmId> ids, const FeatureRows& features);
  void Add(std::span<const ArmId> ids, std::span<const float> features);
  void Add(ArmId id, std::span<const float> features);
  void Remove(std::span<const ArmId> ids);
  void Remove(ArmId id);
  void Update(std::span<const ArmId> ids, const FeatureRows& features);

  /// Adds arms in given places, so that they lie where they lay in another
  /// population, and arms that are added later will lie where they would have
  /// lain there. REQUIRES: the population never had an arm. Throws as Add does,
  /// and Error(kInvalidArgument) for places that cannot be.
  void AddPlaced(const PlacedArms& arms);

  bool Contains(ArmId id) const;
  std::vector<ArmId> Ids() const;
  std::size_t size() const;  ///< number of arms
  std::size_t dim() const;
  const PopulationOptions& options() const;

  /// The arms. With negative_rewards their features are the extended ones.
  const Catalogue& catalogue() const;

  /// The features of arms, as Bandit::Features.
  std::vector<float> Features(std::span<const ArmId> ids) const;

  /// Chooses an arm for a learner. A mask of eligible arms has one value for
  /// each arm, in the order of Ids; callers see to it that no thread adds or
  /// removes arms between the two calls. Throws Error(kNoArms) when there is
  /// nothing to choose from.
  Decision Choose(const LearnerKey& learner, const Eligible& eligible = {},
                  Context context = {});

  /// The `count` best arms of one draw, best first, each as a decision of its
  /// own; fewer if fewer are eligible. If `count` is 0, nothing is drawn and
  /// the result is empty.
  std::vector<Decision> ChooseBest(const LearnerKey& learner, std::size_t count,
                                   const Eligible& eligible = {},
                                   Context context = {});

  /// Makes a choice again that was written down: the learner is afterwards as
  /// if it had just made these decisions in this context, the best first, and
  /// they are pending. Nothing is searched, and the arms need not exist any
  /// more. Returns the decisions' ids. Throws Error(kInvalidArgument).
  std::vector<DecisionId> Redo(const LearnerKey& learner,
                               std::span<const PastDecision> decisions,
                               Context context = {});

  /// The decision becomes one for another arm, which somebody else has chosen
  /// in its place: its reward will be learned with the features that the arm
  /// has now. Throws as Learn does, and Error(kUnknownId) for an arm that there
  /// is not.
  void Reassign(const LearnerKey& learner, DecisionId decision, ArmId arm);

  /// A choice for each of the learners, on several threads. A learner that is
  /// given more than once chooses that often, in the order given. If arms
  /// change meanwhile, some choose before the change and some after it.
  /// `contexts` has those of the choices one after another. Throws
  /// Error(kNoArms) when there is nothing to choose from. (If arms are removed
  /// meanwhile so that none are left, some may have chosen when it throws.)
  std::vector<Decision> ChooseFor(std::span<const LearnerKey> learners,
                                  std::span<const float> contexts = {});

  /// The probability with which a learner's decision was made, or its next
  /// choice would be each of these arms: as Bandit::Propensity and
  /// Bandit::Propensities, which throw the same. What must not have changed
  /// since a decision is what this learner knows: its rewards, or the prior
  /// while it has none. A decision is outdated, too, if its learner was
  /// imported afterwards. A learner that there is not has a next choice, and
  /// does not begin to exist by that. Throws Error(kUnknownId) as Learn does.
  Probability Propensity(const LearnerKey& learner, DecisionId decision,
                         std::uint64_t draws = kDefaultDraws,
                         const Eligible& eligible = {}, Context context = {});
  Probability Propensity(const LearnerKey& learner, const Decision& decision,
                         std::uint64_t draws = kDefaultDraws,
                         const Eligible& eligible = {}, Context context = {});
  std::vector<Probability> Propensities(const LearnerKey& learner,
                                        std::span<const ArmId> arms,
                                        std::uint64_t draws = kDefaultDraws,
                                        const Eligible& eligible = {},
                                        Context context = {});

  /// The probability of a learner's decision to write into a log, as
  /// Bandit::LoggingProbability. Throws as Propensity.
  double LoggingProbability(const LearnerKey& learner, DecisionId decision,
                            std::uint64_t draws = kDefaultDraws,
                            const Eligible& eligible = {},
                            Context context = {});
  double LoggingProbability(const LearnerKey& learner, const Decision& decision,
                            std::uint64_t draws = kDefaultDraws,
                            const Eligible& eligible = {},
                            Context context = {});

  /// Learns a reward of a decision of each of the learners, on several threads:
  /// all, or none if it throws what Learn throws. (While other threads learn or
  /// dismiss the same decisions, it may learn some and throw.)
  void LearnFor(std::span<const LearnerKey> learners,
                std::span<const DecisionId> decisions,
                std::span<const double> rewards);

  /// Learns the reward of a learner's decision, or of several: all, or none if
  /// it throws. Throws Error(kUnknownId) for a learner that there is not, and
  /// for a decision that this learner never made or that is not pending any
  /// more; Error(kDuplicateId) for a decision that is given twice.
  void Learn(const LearnerKey& learner, DecisionId decision, double reward);
  void Learn(const LearnerKey& learner, std::span<const DecisionId> decisions,
             std::span<const double> rewards);

  /// Forgets a decision whose reward will never come. Throws as Learn does.
  void Dismiss(const LearnerKey& learner, DecisionId decision);

  /// Forgets all pending decisions of a learner. Throws Error(kUnknownId) for a
  /// learner that there is not.
  void DismissAll(const LearnerKey& learner);

  /// Learns rewards that belong to no decision: that of an arm that exists, or
  /// that of any features.
  void Observe(const LearnerKey& learner, ArmId id, double reward,
               Context context = {});
  void Observe(const LearnerKey& learner, std::span<const float> features,
               double reward, Context context = {});

  /// The next five are those of a Bandit. For a learner that does not exist
  /// they answer as for one that has learned nothing.
  double Predict(const LearnerKey& learner, std::span<const float> features,
                 Context context = {}) const;
  std::vector<double> Predict(const LearnerKey& learner,
                              const FeatureRows& features,
                              std::span<const float> contexts = {}) const;
  std::vector<double> Scores(const LearnerKey& learner,
                             std::span<const ArmId> ids,
                             Context context = {}) const;
  std::vector<double> Uncertainty(const LearnerKey& learner,
                                  std::span<const ArmId> ids,
                                  Context context = {}) const;
  std::vector<double> Mean(const LearnerKey& learner) const;

  bool Knows(const LearnerKey& learner) const;

  /// Throws Error(kUnknownId).
  LearnerInfo Describe(const LearnerKey& learner) const;

  /// Forgets a learner and all that it has learned. If it is named again, it
  /// begins anew, with the same random numbers. Throws Error(kUnknownId).
  void Forget(const LearnerKey& learner);

  /// Forgets a share of what a learner has learned, as Bandit::Forget does.
  /// Throws Error(kUnknownId), and what that throws, and Error(kUnsupported)
  /// with a shared prior.
  void Forget(const LearnerKey& learner, double share);

  /// The keys of all learners: numbers in ascending order, then strings.
  std::vector<LearnerKey> Learners() const;

  std::size_t learners() const;

  /// What a new learner begins with now. (Without contexts and with
  /// IndependentPrior that is mean 0 and lambda I.)
  GaussianPrior Prior() const;

  /// Learns a shared prior from all learners now; Error(kUnsupported) if the
  /// prior is not shared. With more than a thousand learners, or fewer if there
  /// are more than 58 coefficients, it is learned from a sample of them, always
  /// the same one. Returns false, and the prior stays as it was, if no learner
  /// has learned anything, if rewards are such that it cannot be computed in
  /// double, or if memory runs out.
  bool LearnPrior();

  /// The options of a Bandit that decides as this learner does. With a shared
  /// prior, the bandit's prior is the one that the learner began with, or would
  /// begin with now.
  BanditOptions LoneOptions(const LearnerKey& learner) const;

  PopulationStats stats() const;

  /// Writes everything: options, arms, learners and their pending decisions.
  /// With certified search and scan, the learners of a population that is
  /// loaded make exactly the decisions that these would have made. Arms do not
  /// change meanwhile. Learners may, and each is saved as it is at one moment.
  ///
  /// A file is written whole or not at all, and `names` are saved along with
  /// the arms, as by Bandit::Save, which throws the same. Callers see to it
  /// that names do not change meanwhile.
  void Save(const std::filesystem::path& path,
            const Names* names = nullptr) const;
  void Save(std::ostream& out, const Names* names = nullptr) const;

  /// As Bandit::Load.
  static Population Load(const std::filesystem::path& path,
                         Names* names = nullptr);
  static Population Load(std::istream& in, Names* names = nullptr);

  /// A learner as bytes that any store can keep: what it has learned, its
  /// counters and its pending decisions, with a version and a checksum. Throws
  /// Error(kUnknownId).
  std::vector<std::byte> Export(const LearnerKey& learner) const;

  /// The learner becomes the one that was exported, whether it existed or not.
  /// In a population with the same options and arms it then decides as that one
  /// would have. Its pending decisions keep their ids if key and seed are the
  /// same. Throws Error(kCorrupt) for bytes that Export cannot have returned,
  /// Error(kUnsupported) for those of a later version, and
  /// Error(kInvalidArgument) for those of a population with another dimension,
  /// policy, norm bound or curvature of gloc-ts and qgloc, regularisation, kind
  /// of rewards or contexts, forgetting, explore_uniform, or a larger
  /// max_pending.
  void Import(const LearnerKey& learner, std::span<const std::byte> exported);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_H_
