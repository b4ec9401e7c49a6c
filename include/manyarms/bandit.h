#ifndef MANYARMS_BANDIT_H_
#define MANYARMS_BANDIT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "manyarms/catalogue.h"
#include "manyarms/error.h"
#include "manyarms/features.h"
#include "manyarms/names.h"
#include "manyarms/policy_options.h"
#include "manyarms/search_options.h"
#include "manyarms/stats.h"
#include "manyarms/types.h"

namespace manyarms {

struct BanditOptions {
  std::size_t dim = 0;  ///< features of an arm, 1 to kMaxDim
  PolicyOptions policy = ThompsonOptions{};
  SearchOptions search = CertifiedOptions{};
  double regularisation = 1.0;  ///< lambda in the paper
  /// The paper's extension (section 6) for rewards whose largest mean may be
  /// negative: x becomes [x/sqrt 2, sqrt 2/2] and r becomes r/2 + 1/2 inside.
  /// The exploration counts in those halved rewards: 1 explores as far as 2
  /// does without the extension.
  bool negative_rewards = false;
  std::uint64_t seed = 1;
  /// Rewards can be learned of this many decisions, counted back from the
  /// last; older ones are forgotten. 1 to kMaxPending. A decision whose reward
  /// never comes takes 4d + 16 bytes until then, or until it is dismissed (and
  /// as much again where vectors have just grown).
  std::size_t max_pending = std::size_t{1} << 20;

  bool operator==(const BanditOptions&) const = default;
};

struct Decision {
  DecisionId id = 0;
  ArmId arm = 0;
  /// What the arm won by, in the rewards' units: a sampled reward (ts), an
  /// upper bound of it (ucb), an uncertainty (elim).
  double score = 0;
};

/// Which arms one choice may fall on: all of them, those with these ids (each
/// must be there, and no id twice), or those for which the mask is true, which
/// has a place for every arm in the order of Bandit::Ids. Refers to the
/// caller's arrays.
using Eligible =
    std::variant<std::monostate, std::span<const ArmId>, std::span<const bool>>;

/// A linear bandit over arms that come and go: the front door of the library.
///
/// Choose may be called any number of times before the rewards of earlier
/// choices are learned, and rewards may be learned in any order.
///
/// Costs, beside those of the search: Choose O(d^2) for ts, O(d^3) for ucb and
/// elim; Learn, Observe and Predict O(d^2); Add, Remove and Update O(d) an arm,
/// for elim O(d^2). Ids add O(1) each to a choice among them, a mask adds O(K).
///
/// After an Error the bandit is as it was before the call, except that it must
/// not be used any more if memory ran out in Add, Remove, Update or Choose. A
/// bandit that was moved from can be destroyed or assigned to, nothing else.
///
/// Thread safety: const methods may be called from any number of threads while
/// nobody calls a non-const one. With certified search, threads that all
/// bandits share (manyarms/threads.h) read its arms now and then. Callers need
/// not care: Add may wait for them for some ten microseconds, and destruction
/// waits until they have stopped.
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

  /// Makes room for this number of arms in all. Adding them is faster then.
  void Reserve(std::size_t arms);

  /// Adds arms, all or none; a row of features for each, or ids.size() rows of
  /// dim values that follow one another.
  void Add(std::span<const ArmId> ids, const FeatureRows& features);
  void Add(std::span<const ArmId> ids, std::span<const float> features);
  void Add(ArmId id, std::span<const float> features);

  /// Removes arms, all or none. Throws Error(kUnknownId), or
  /// Error(kDuplicateId) for an id that is given twice.
  void Remove(std::span<const ArmId> ids);
  void Remove(ArmId id);

  /// Gives arms new features, all or none. Decisions that are pending keep the
  /// features that they were made by. Throws as Add and Remove do.
  void Update(std::span<const ArmId> ids, const FeatureRows& features);

  /// Throws Error(kNoArms) when there is nothing to choose from.
  Decision Choose(const Eligible& eligible = {});

  /// The `count` best arms of one draw, best first, each a decision of its own;
  /// fewer if fewer are eligible. With an exact search the first is what Choose
  /// would have chosen. lsh scans for them. elim goes by intervals instead of
  /// stages, as Policy::ChooseTop says: at O(d^2) an arm, and those that cannot
  /// be the best are left out. If `count` is 0, nothing is drawn and the result
  /// is empty.
  std::vector<Decision> ChooseBest(std::size_t count,
                                   const Eligible& eligible = {});

  /// `count` choices in a row, without learning in between. (For ucb, and for
  /// elim mostly, which draw nothing, they are all the same.)
  std::vector<Decision> ChooseDraws(std::size_t count,
                                    const Eligible& eligible = {});

  /// Takes in the reward of a decision, whatever has become of its arm; of
  /// several, all or none. Throws Error(kUnknownId) for a decision that was
  /// never made, is not pending any more, or, where the arm is given, chose
  /// another, so that it must be another bandit's.
  void Learn(DecisionId decision, double reward);
  void Learn(const Decision& decision, double reward);
  void Learn(std::span<const DecisionId> decisions,
             std::span<const double> rewards);

  /// Forgets a decision whose reward will never come.
  void Dismiss(DecisionId decision);

  /// Throws what Learn would throw of this decision.
  void CheckPending(const Decision& decision) const;

  /// Decisions whose reward may still be learned.
  std::size_t pending() const;

  /// Takes in a reward that belongs to no decision: of arms that are there, all
  /// or none, or of any features.
  void Observe(ArmId id, double reward);
  void Observe(std::span<const ArmId> ids, std::span<const double> rewards);
  void Observe(std::span<const float> features, double reward);

  bool Contains(ArmId id) const;

  /// All arms, in an order that changes only when arms come or go.
  std::vector<ArmId> Ids() const;

  std::size_t size() const;
  std::size_t dim() const;
  const BanditOptions& options() const;

  /// The arms, to be read by any number of threads while this bandit is in use.
  /// With negative_rewards their features are the extended ones.
  const Catalogue& catalogue() const;

  /// What is known of arms that are there. All throw Error(kUnknownId).
  /// Rows of dim() values; with negative_rewards a value may differ from the
  /// one given by its last bit.
  std::vector<float> Features(std::span<const ArmId> ids) const;
  /// The expected rewards: <Mean(), x>.
  std::vector<double> Scores(std::span<const ArmId> ids) const;
  /// The exploration times the width |x|_{V^-1}, in the rewards' units: the
  /// standard deviation of a draw (ts), what is added to the expected reward
  /// (ucb), what arms are chosen by (elim).
  std::vector<double> Uncertainty(std::span<const ArmId> ids) const;

  /// theta-hat in the paper, so that <Mean(), x> is the reward expected of x.
  /// With negative_rewards there is one value more, a constant to be added.
  std::vector<double> Mean() const;

  /// The reward that is expected of a feature vector, or of several.
  double Predict(std::span<const float> features) const;
  std::vector<double> Predict(const FeatureRows& features) const;

  PolicyStats stats() const;

  /// Writes everything: options, arms, what was learned, pending decisions.
  /// What is read back decides as this bandit would have, to the last bit, with
  /// certified search and scan. Graphs and trees are built anew, from the arms
  /// as they are, and may miss others than before. Counts of stats() begin
  /// anew.
  ///
  /// A file is written whole or not at all: what was there before stays until
  /// then. It begins with a number of its format, and ends with a checksum;
  /// earlier formats can be read. Names of arms go with them, if there are
  /// any. Throws Error(kIo).
  void Save(const std::filesystem::path& path,
            const Names* names = nullptr) const;
  void Save(std::ostream& out, const Names* names = nullptr) const;

  /// Throws Error(kIo), Error(kCorrupt) for what Save has not written, and
  /// Error(kUnsupported) for a format of a later version. The stream must be
  /// one that can be read twice, and hold nothing else. If `names` are asked
  /// for, they become what was saved, or none.
  static Bandit Load(const std::filesystem::path& path, Names* names = nullptr);
  static Bandit Load(std::istream& in, Names* names = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_H_
