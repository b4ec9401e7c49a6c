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
#include "manyarms/search_options.h"
#include "manyarms/stats.h"
#include "manyarms/types.h"
#include "posterior/belief.h"
#include "search/objective.h"

/// Finding the best of very many arms. An Index is what depends on the arms
/// alone; any number of Finders share it, one for each who asks. A query brings
/// what the one who asks believes.
namespace manyarms {

/// A score that is good enough, for those who need not have the best arm.
struct Sought {
  double score = 0;
  /// By how much an answer may miss the score.
  double slack = 0;
  /// This index's share of the probability that anything fails.
  double failure_share = 1;
};

/// What an index is made for.
struct SearchTask {
  SearchTask(Objective what)  // NOLINT(google-explicit-constructor)
      : objective(what) {}

  Objective objective;
  std::optional<Sought> sought;  ///< none: only the best will do
};

/// What a policy asks. Members that the objective does not mention are ignored.
/// What the pointers refer to must outlive the call only.
struct Query {
  /// Of the one who asks. Each finder is asked with one belief, at versions
  /// that never fall.
  const Belief* belief = nullptr;
  const Eigen::VectorXd* direction = nullptr;
  /// exploration A, where A is the belief's inverse factor.
  const Eigen::MatrixXd* factor = nullptr;
  double exploration = 0;
};

/// Which arms are wanted: the top k, of all arms or of some.
struct TopRequest {
  std::size_t count = 1;          ///< k, at least 1
  const ArmSet* among = nullptr;  ///< the eligible arms; null: all are
};

/// One who asks an index. Keeps what depends on the asker: bounds that hold for
/// this asker's belief, a budget for making them anew, counts of work done. Of
/// arms that are scored exactly and equally, the one with the smallest id wins.
///
/// Thread safety: one thread at a time for each finder. Different finders of
/// one index may be asked by different threads. If another thread may change
/// the arms, the asker holds the store's ReadLock during a call and for as long
/// as it uses the slots returned, but not when a finder is destroyed, which may
/// have to wait for a survey that waits for the lock.
class Finder {
 public:
  Finder() = default;
  virtual ~Finder() = default;
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  /// The best arm, or none if there are no arms. Where a score is sought, it
  /// may be another arm that is good enough, or none if none is found that is.
  virtual std::optional<Hit> Best(const Query& query) = 0;

  /// The arms that the request asks for, best first; fewer if there are fewer.
  /// An approximate search may miss some of the top k of all arms; the top k
  /// of some arms are always exact, if need be by scoring each of those.
  virtual std::vector<Hit> Top(const Query& query,
                               const TopRequest& request) = 0;

  virtual SearchStats stats() const = 0;

  /// What the finder itself holds, without its index.
  virtual std::size_t memory_bytes() const = 0;
};

/// Whose arms an index holds: all arms of its store, which tells it of each
/// change, or a set of its own.
enum class Scope : std::uint8_t { kAllArms, kOwnSet };

/// What a search knows of a set of arms, whoever asks: which arms they are, and
/// graphs or trees over them.
///
/// Thread safety: as for the store; Add, Remove, Replace and Clear belong to
/// the thread that changes it. (A set of its own is not under the store's lock:
/// nobody may ask while it is changed.)
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

  /// Must not outlive the index.
  virtual std::unique_ptr<Finder> MakeFinder() = 0;

  /// Whether answers to a task with a sought score are good enough whenever
  /// there is one, so that they need not be compared with that score.
  virtual bool answers_are_good_enough() const { return false; }

  const Members& members() const { return own_ ? *own_ : store_.members(); }
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
