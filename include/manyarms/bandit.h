#ifndef MANYARMS_BANDIT_H_
#define MANYARMS_BANDIT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "manyarms/catalogue.h"
#include "manyarms/context.h"
#include "manyarms/error.h"
#include "manyarms/features.h"
#include "manyarms/names.h"
#include "manyarms/policy_options.h"
#include "manyarms/prior.h"
#include "manyarms/probability.h"
#include "manyarms/rewards.h"
#include "manyarms/search_options.h"
#include "manyarms/stats.h"
#include "manyarms/types.h"

namespace manyarms {

struct BanditOptions {
  std::size_t dim = 0;  ///< number of features of an arm, 1 to kMaxDim
  PolicyOptions policy = ThompsonOptions{};
  SearchOptions search = CertifiedOptions{};
  double regularisation = 1.0;  ///< lambda in the paper
  /// What is known before the first reward, in place of mean 0 and precision
  /// lambda I; then the regularisation is not used. Not with negative_rewards
  /// or exploration by theory.
  std::optional<GaussianPrior> prior = std::nullopt;
  /// The paper's extension (section 6) for rewards whose largest mean may be
  /// negative: x becomes [x/sqrt 2, sqrt 2/2] and r becomes r/2 + 1/2 inside.
  /// The exploration applies to the halved rewards, so 1 explores as far as 2
  /// does without the extension.
  bool negative_rewards = false;
  /// Linear rewards, or clicks: 0, 1 and shares between them. Clicks exclude
  /// negative_rewards and exploration by theory.
  RewardModel rewards = RewardModel::kLinear;
  /// With each reward, all earlier ones count this times as much as before, so
  /// that what has changed since is forgotten: within [kMinForgetting, 1]. 1
  /// forgets nothing; ForgettingOfHalfLife computes it from a half-life. ts and
  /// ucb only, and not with exploration by theory.
  double forgetting = 1;
  /// With this probability, within [0, 1], a choice is not the policy's, but
  /// drawn uniformly among the eligible arms; of a slate, all arms are. Then
  /// the probability of every choice is at least this share of 1/n, so that
  /// other policies can be evaluated by what was chosen. Which arms are drawn
  /// depends on the order in which arms were added and removed, too, and not on
  /// their ids alone.
  double explore_uniform = 0;
  /// The number of values of a context; 0: choices have none. With p of them,
  /// (p + 1)(d + 1) coefficients are learned, at most kMaxDim. Not with elim,
  /// and not with negative_rewards.
  std::size_t context_dim = 0;
  /// Whether a constant 1 is appended to contexts and features, so that arms
  /// and contexts have effects of their own. Without, the model is c'Mx as it
  /// stands, with p d coefficients.
  bool context_constants = true;
  std::uint64_t seed = 1;
  /// Rewards can be learned for this number of the latest decisions, 1 to
  /// kMaxPending; older decisions are forgotten. A decision whose reward never
  /// comes takes 4d + 20 bytes, and 4 for each value of its context, until it
  /// is forgotten or dismissed (up to twice that while vectors have spare
  /// capacity).
  std::size_t max_pending = std::size_t{1} << 20;

  bool operator==(const BanditOptions&) const = default;
};

struct Decision {
  DecisionId id = 0;
  ArmId arm = 0;
  /// The number by which the arm was chosen, in units of rewards: a sampled
  /// reward (ts), an upper bound of the reward (ucb) or an uncertainty (elim;
  /// of clicks, one of log-odds). 0 if the arm was drawn uniformly.
  double score = 0;
  /// The number of arms that were eligible.
  std::size_t eligible = 0;
  /// Whether the arm was drawn uniformly among them (explore_uniform).
  bool uniform = false;
};

/// A set of arms by their places, for sets that are used again and again: bit
/// p % 16 of lanes[p / 16] says whether the arm in place p (Catalogue::Places)
/// belongs to it. Places beyond the end do not; bits of places without an arm
/// are left out.
struct EligiblePlaces {
  std::span<const std::uint16_t> lanes;
};

/// The arms from which one choice is made: all of them, those with these ids
/// (each must exist, and none may occur twice), those for which the mask is
/// true, or those in these places. A mask has one value for each arm, in the
/// order of Bandit::Ids. An Eligible refers to the caller's arrays.
using Eligible = std::variant<std::monostate, std::span<const ArmId>,
                              std::span<const bool>, EligiblePlaces>;

/// A linear bandit over arms that may be added and removed at any time. It is
/// the class through which programs use the library.
///
/// Choose may be called any number of times before the rewards of earlier
/// choices are learned, and rewards may be learned in any order.
///
/// Costs, apart from those of the search: Choose, Learn, Observe and Predict
/// take O(d^2), Learn and Observe up to O(d^3) if forgetting^d is below 7/8;
/// Add, Remove and Update take O(d) an arm, for elim O(d^2). Eligible ids add
/// O(1) each to a choice, a mask adds O(K), and a set of places O(K/16). With
/// contexts d is the number of coefficients.
///
/// With contexts, every method that takes a Context must be given one, and
/// without contexts none: otherwise it throws Error(kInvalidArgument). A
/// decision keeps its context until its reward is learned. Contexts that recur,
/// value for value, keep an order of arms in certified search; others are
/// answered by a first pass.
///
/// After an Error the bandit is as it was before the call. If memory runs out
/// in Add, Remove, Update or Choose, it must not be used any more. A bandit
/// that was moved from can only be destroyed or assigned to.
///
/// Thread safety: const methods may be called from any number of threads while
/// nobody calls a non-const one. With certified search, survey threads, which
/// all bandits share (manyarms/threads.h), read its arms now and then. Callers
/// need no lock for that: Add may wait for them for some ten microseconds, and
/// destruction waits until they have stopped.
///
/// Fork: a child may use every method of a bandit, unless another thread was in
/// a non-const call of that bandit at the moment of the fork. Such a call never
/// ends in the child, and leaves the bandit half changed there: the child must
/// neither use nor destroy it. Callers who cannot exclude this need a lock of
/// their own, which they hold during non-const calls and while they fork.
/// A fork waits while other threads add, remove or update arms, or ask graphs
/// or trees, at most until their calls have ended. With hnsw, a call that adds
/// many arms builds graphs of all of them, which can take minutes.
class Bandit {
 public:
  /// Throws Error(kInvalidArgument) or Error(kUnsupported).
  explicit Bandit(const BanditOptions& options);
  ~Bandit();
  Bandit(Bandit&&) noexcept;
  Bandit& operator=(Bandit&&) noexcept;

  /// Makes room for this number of arms in total, so that adding them is
  /// faster.
  void Reserve(std::size_t arms);

  /// Adds all of the arms, or none if it throws. `features` has a row for each
  /// arm; as a span, it has ids.size() rows of dim values one after another.
  /// Throws Error(kDuplicateId), Error(kInvalidArgument) or Error(kTooLarge).
  void Add(std::span<const ArmId> ids, const FeatureRows& features);
  void Add(std::span<const ArmId> ids, std::span<const float> features);
  void Add(ArmId id, std::span<const float> features);

  /// Removes all of the arms, or none if it throws. Throws Error(kUnknownId),
  /// or Error(kDuplicateId) for an id that is given twice.
  void Remove(std::span<const ArmId> ids);
  void Remove(ArmId id);

  /// Gives new features to all of the arms, or to none if it throws. Pending
  /// decisions keep the features by which they were made. Throws as Add and
  /// Remove do.
  void Update(std::span<const ArmId> ids, const FeatureRows& features);

  /// Throws Error(kNoArms) when there is nothing to choose from.
  Decision Choose(const Eligible& eligible = {}, Context context = {});

  /// The `count` best arms of one draw, best first, each as a decision of its
  /// own; fewer if fewer are eligible. For ts and ucb with an exact search, the
  /// first is the arm that Choose would have chosen. lsh and lsh-theory scan.
  /// elim computes the intervals of all eligible arms, at O(d^2) each, in place
  /// of using its stages; it returns the most uncertain arms and leaves out
  /// those that cannot be the best. If `count` is 0, nothing is drawn and the
  /// result is empty.
  std::vector<Decision> ChooseBest(std::size_t count,
                                   const Eligible& eligible = {},
                                   Context context = {});

  /// `count` choices one after another, without learning in between. (ucb draws
  /// nothing at random, so its choices are all the same; those of elim mostly
  /// are, too.) `contexts` has one context for all of them, or one for each,
  /// one after another.
  std::vector<Decision> ChooseDraws(std::size_t count,
                                    const Eligible& eligible = {},
                                    std::span<const float> contexts = {});

  /// The probability with which this decision's arm was chosen: by
  /// explore_uniform, and by the policy. ucb chooses with the probability 1 or
  /// 0. For ts the policy's probability is the share of `draws` further draws
  /// for which the arm is the best eligible one, found by the bandit's own
  /// search (with an approximate one it is the share of its answers). Further
  /// draws depend on the seed, the number of the decision and their own number
  /// alone, so the answer is the same whenever it is asked for, also of a
  /// bandit that was saved and loaded. No later decision depends on it.
  ///
  /// Arms and knowledge must be those by which the decision was made: call this
  /// before anything else is learned or forgotten, and before arms change.
  /// Otherwise it throws Error(kOutdated). (That is also thrown for decisions
  /// that were pending in a file of an earlier version.) If the choice was one
  /// among some arms, the same ones must be given again, or
  /// Error(kInvalidArgument) is thrown; only their number can be compared. The
  /// decision's context need not be given again.
  ///
  /// Throws Error(kInvalidArgument) unless 1 <= draws <= kMaxDraws; what Learn
  /// throws for a decision that is not pending or another bandit's; and
  /// Error(kUnsupported) for elim, and for all but the first of a slate, whose
  /// probability it is not. Costs as much as `draws` choices.
  ///
  /// A log that will be evaluated needs LoggingProbability.
  Probability Propensity(DecisionId decision,
                         std::uint64_t draws = kDefaultDraws,
                         const Eligible& eligible = {}, Context context = {});
  Probability Propensity(const Decision& decision,
                         std::uint64_t draws = kDefaultDraws,
                         const Eligible& eligible = {}, Context context = {});

  /// The probability of a decision to be written into a log, by which rewards
  /// are divided when the log is evaluated. Propensity is for looking at: with
  /// h of m draws the mean of m/h exceeds 1/p, and h may be 0. Here a decision
  /// of the policy counts as one of the `draws` draws, so that the policy's
  /// part is (1 + hits among draws - 1 further ones) / draws; of a decision
  /// that was drawn uniformly it is hits / draws. With explore_uniform > 0,
  /// weights q/p of any other policy then have the mean 1 for any number of
  /// draws, and estimates are without bias (docs/design.md). Without, an arm
  /// of the probability p loses the share (1 - p)^draws of its part in them,
  /// and the value is at least 1/draws.
  ///
  /// More draws make weights more even. Throws and costs as Propensity.
  double LoggingProbability(DecisionId decision,
                            std::uint64_t draws = kDefaultDraws,
                            const Eligible& eligible = {},
                            Context context = {});
  double LoggingProbability(const Decision& decision,
                            std::uint64_t draws = kDefaultDraws,
                            const Eligible& eligible = {},
                            Context context = {});

  /// The probabilities with which the next choice would be each of these arms,
  /// in the same way and by the same draws; 0 for arms that are not eligible.
  /// Those of all eligible arms add up to 1. Throws Error(kUnknownId) for an
  /// arm that does not exist, Error(kDuplicateId) for one that is given twice,
  /// Error(kNoArms) if none is eligible, and otherwise as above.
  std::vector<Probability> Propensities(std::span<const ArmId> arms,
                                        std::uint64_t draws = kDefaultDraws,
                                        const Eligible& eligible = {},
                                        Context context = {});

  /// Learns the reward of a decision, even if its arm has been removed or
  /// updated since; of several decisions, all, or none if it throws. Throws
  /// Error(kUnknownId) for a decision that was never made or is not pending any
  /// more, and for a Decision with another arm than this bandit chose, which
  /// must come from another bandit. Throws Error(kDuplicateId) for a decision
  /// that is given twice.
  void Learn(DecisionId decision, double reward);
  void Learn(const Decision& decision, double reward);
  void Learn(std::span<const DecisionId> decisions,
             std::span<const double> rewards);

  /// Forgets a decision whose reward will never come.
  void Dismiss(DecisionId decision);

  /// Throws what Learn would throw for this decision.
  void CheckPending(const Decision& decision) const;

  /// The number of decisions whose reward may still be learned.
  std::size_t pending() const;

  /// Learns rewards that belong to no decision: those of arms that exist (all,
  /// or none if it throws), or the reward of any features.
  /// `contexts` has the contexts of several rewards one after another.
  void Observe(ArmId id, double reward, Context context = {});
  void Observe(std::span<const ArmId> ids, std::span<const double> rewards,
               std::span<const float> contexts = {});
  void Observe(std::span<const float> features, double reward,
               Context context = {});

  /// Forgets this share of what was learned, within [0, 1], when something is
  /// known to have changed: all rewards so far count 1 - share times as much as
  /// before. After 1 the bandit knows what it knew before its first reward.
  /// Costs O(d^3). ts and ucb only, and not with exploration by theory;
  /// otherwise it throws Error(kUnsupported).
  void Forget(double share);

  bool Contains(ArmId id) const;

  /// The ids of all arms, in an order that changes only when arms are added or
  /// removed.
  std::vector<ArmId> Ids() const;

  std::size_t size() const;
  std::size_t dim() const;
  const BanditOptions& options() const;

  /// The arms, which any number of threads may read while this bandit is in
  /// use. With negative_rewards their features are the extended ones.
  const Catalogue& catalogue() const;

  /// The features of arms, in rows of dim() values. With negative_rewards a
  /// value may differ from the given one in its last bit. This method and the
  /// next two throw Error(kUnknownId) if an arm does not exist.
  std::vector<float> Features(std::span<const ArmId> ids) const;
  /// The expected rewards: <Mean(), x>, of clicks their probability.
  std::vector<double> Scores(std::span<const ArmId> ids,
                             Context context = {}) const;
  /// The exploration times the width |x|_{V^-1}, in units of rewards: the
  /// standard deviation of a draw (ts), the number that is added to the
  /// expected reward (ucb), or the number by which arms are chosen (elim). With
  /// clicks it is one of log-odds.
  std::vector<double> Uncertainty(std::span<const ArmId> ids,
                                  Context context = {}) const;

  /// theta-hat in the paper, so that <Mean(), x> is the reward expected of x
  /// (with clicks, its log-odds).
  /// With negative_rewards there is one value more, a constant to be added.
  /// With contexts it is M, row after row; the last row and the last column
  /// belong to the constants.
  std::vector<double> Mean() const;

  /// The reward that is expected of a feature vector, or of several. `contexts`
  /// has one context for all of them, or one for each, one after another.
  double Predict(std::span<const float> features, Context context = {}) const;
  std::vector<double> Predict(const FeatureRows& features,
                              std::span<const float> contexts = {}) const;

  PolicyStats stats() const;

  /// Writes everything: options, arms, what was learned, pending decisions.
  /// With certified search and scan, a bandit that is loaded makes exactly the
  /// decisions that this one would have made. Graphs and trees are built again
  /// from the arms, and may miss other arms than before. The counters of
  /// stats() start at 0 again.
  ///
  /// A file is written whole or not at all, and an earlier file at `path` stays
  /// until the new one is complete. Files contain the number of their format
  /// and a checksum, and Load reads earlier formats, too. `names` are saved
  /// along with the arms. Throws Error(kIo), and Error(kInvalidArgument) if
  /// `names` has any, but not those of exactly these arms.
  void Save(const std::filesystem::path& path,
            const Names* names = nullptr) const;
  void Save(std::ostream& out, const Names* names = nullptr) const;

  /// Throws Error(kIo), Error(kCorrupt) for contents that Save cannot have
  /// written, and Error(kUnsupported) for a format of a later version. The
  /// stream must be seekable, because it is read twice, and must contain
  /// nothing after the bandit. `names`, if given, becomes the saved names, or
  /// none if none were saved.
  static Bandit Load(const std::filesystem::path& path, Names* names = nullptr);
  static Bandit Load(std::istream& in, Names* names = nullptr);

 private:
  friend class ShardedBandit;
  struct State;
  explicit Bandit(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_H_
