#ifndef MANYARMS_SEARCH_SEARCH_H_
#define MANYARMS_SEARCH_SEARCH_H_

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "catalogue/arm_store.h"
#include "kernels/arm_set.h"
#include "kernels/slot.h"
#include "manyarms/search_options.h"
#include "manyarms/stats.h"
#include "posterior/belief.h"
#include "search/objective.h"

/// Finding the best of very many arms. An Index holds what depends on the arms
/// alone. Any number of Finders share it, one for each asker. A query brings
/// the asker's belief.
namespace manyarms {

/// A score that is good enough, for an asker who does not need the best arm.
struct Sought {
  double score = 0;
  /// By how much an answer may fall short of the score.
  double slack = 0;
  /// This index's share of the probability that any answer is wrong.
  double failure_share = 1;
};

/// What an index is made for.
struct SearchTask {
  SearchTask(Objective what)  // NOLINT(google-explicit-constructor)
      : objective(what) {}

  Objective objective;
  std::optional<Sought> sought;  ///< none: the best arm is wanted
};

/// What a policy asks. Members that the objective does not use are ignored. The
/// pointers are used during the call only.
struct Query {
  /// The asker's belief. A finder of one asker is always asked with the same
  /// belief, whose version never decreases.
  const Belief* belief = nullptr;
  const Eigen::VectorXd* direction = nullptr;
  /// The belief's inverse factor A. Arms are scored by `exploration` times it.
  const RowMatrix* factor = nullptr;
  double exploration = 0;
};

/// Which arms are wanted: the top k, of all arms or of some.
struct TopRequest {
  std::size_t count = 1;          ///< k, at least 1
  const ArmSet* among = nullptr;  ///< the eligible arms; null: all are
};

/// Answers queries from an index. A finder of one asker keeps what depends on
/// the asker: bounds that hold for its belief, a budget for computing them
/// again, and counters. A finder that many askers share keeps nothing that is
/// true of one belief only.
/// Among arms with equal exact scores, the smallest id wins.
///
/// Thread safety: one thread at a time for each finder. Different threads may
/// ask different finders of one index. If another thread may change the arms,
/// the asker must hold the store's ReadLock during a call and for as long as it
/// uses the slots returned. It must not hold the lock when a finder is
/// destroyed: the destructor may wait for a survey that waits for the lock.
class Finder {
 public:
  Finder() = default;
  virtual ~Finder() = default;
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  /// The best arm, or none if there are no arms. If the task has a sought
  /// score, the answer may be any arm that is good enough, or none if no such
  /// arm is found.
  virtual std::optional<Hit> Best(const Query& query) = 0;

  /// What Best would return now, such that no later answer depends on this
  /// question. By default Best, for searches whose answers do not depend on
  /// what they were asked before.
  virtual std::optional<Hit> BestWithoutTrace(const Query& query) {
    return Best(query);
  }

  /// The arms that the request asks for, best first; fewer if there are fewer.
  /// An approximate search may miss some of the top k of all arms. The top k of
  /// eligible arms are always exact, if necessary by scoring each of these
  /// arms.
  virtual std::vector<Hit> Top(const Query& query,
                               const TopRequest& request) = 0;

  virtual SearchStats stats() const = 0;

  /// The memory of the finder itself, without its index.
  virtual std::size_t memory_bytes() const = 0;
};

/// Which arms an index is over: all arms of its store, or a set of its own.
enum class Scope : std::uint8_t { kAllArms, kOwnSet };

/// What a search keeps for a set of arms, whoever asks: which arms are in it,
/// and graphs or trees over them.
///
/// Thread safety: as for the store. Only the thread that changes the store may
/// call Add, Remove, Replace and Clear. (A set of its own is not under the
/// store's lock: nobody may ask while it is changed.)
class Index {
 public:
  virtual ~Index() = default;
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  /// If the scope is all arms, the next three tell of a change that the store
  /// has just made, all of it in one call. Finders that other threads ask
  /// between the two answer from the arms of the store.

  /// REQUIRES: the store has the arms, and the index does not have them yet.
  void Add(std::span<const Slot> slots);

  /// REQUIRES: the index has the arms. If the scope is all arms, the store no
  /// longer has them.
  void Remove(std::span<const Slot> slots);

  /// The arms have other features.
  /// REQUIRES: the index has the arms, and the scope is all arms.
  void Replace(std::span<const Slot> slots);

  /// Removes all arms. REQUIRES: the scope is a set of its own.
  void Clear();

  /// A finder of one asker. It must not outlive the index.
  virtual std::unique_ptr<Finder> MakeFinder() = 0;

  /// A finder that any number of askers may ask, one after another. By default
  /// one as above, for searches whose finders keep nothing of a belief.
  virtual std::unique_ptr<Finder> MakeSharedFinder() { return MakeFinder(); }

  /// Whether an asker that asks often is answered faster by a finder of its own
  /// than by one that it shares.
  virtual bool own_finders_pay() const { return false; }

  /// Whether every answer to a task with a sought score is good enough, so that
  /// the caller need not compare it with that score.
  virtual bool answers_are_good_enough() const { return false; }

  const Members& members() const { return own_ ? *own_ : store_.members(); }
  /// Whether members() are all arms of the store.
  bool has_all_arms() const { return own_ == nullptr; }
  const ArmStore& store() const { return store_; }
  const SearchTask& task() const { return task_; }

 protected:
  Index(const SearchTask& task, const ArmStore& store, Scope scope);

 private:
  /// Called after members() has changed: first the removed arms went, then the
  /// added ones came. An arm with other features is both.
  virtual void MembersChanged(std::span<const Slot> /*removed*/,
                              std::span<const Slot> /*added*/) {}
  virtual void MembersCleared() {}

  const SearchTask task_;
  const ArmStore& store_;
  std::unique_ptr<Members> own_;  // none if the scope is all arms
};

/// Throws Error(kInvalidArgument) for options out of bounds and
/// Error(kUnsupported) for an objective that the search cannot answer. The
/// store must outlive the index.
std::unique_ptr<Index> MakeIndex(const SearchOptions& options,
                                 const SearchTask& task, const ArmStore& store,
                                 Scope scope, std::uint64_t seed);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SEARCH_H_
