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
#include "manyarms/search_options.h"
#include "manyarms/stats.h"
#include "manyarms/types.h"
#include "posterior/posterior.h"
#include "search/objective.h"

namespace manyarms {

/// What a search is made for.
struct SearchTask {
  SearchTask(Objective what)  // NOLINT(google-explicit-constructor)
      : objective(what) {}

  Objective objective;
  // Of elim, for searches that need to know beforehand: the score of an arm
  // that must be found, how far an answer may be off, and this search's share
  // of the probability that anything fails.
  double sought = 0;
  double slack = 0;
  double failure_share = 1;
};

/// What a policy asks. Members that the search's objective does not mention
/// are ignored. The pointees must outlive the call only.
struct Query {
  const Eigen::VectorXd* direction = nullptr;
  /// radius A, lower triangular, where A'A is the inverse of the posterior's V.
  const Eigen::MatrixXd* factor = nullptr;
  double radius = 0;
};

class ArmSet;  // src/kernels/arm_set.h

/// Which of a search's arms are wanted: the best so many, of a part of them.
struct TopRequest {
  std::size_t count = 1;          ///< at least 1
  const ArmSet* among = nullptr;  ///< others need not apply; null: all may
};

/// A set of a catalogue's arms that can be asked for its best by one
/// objective. Of the arms that it scores exactly, those with equal scores give
/// way to the one with the smallest id.
///
/// Refers to the arms by slot; the catalogue must outlive it and must still
/// hold an arm when the arm is removed here.
///
/// Thread safety: none; one thread at a time. A search may have a thread of its
/// own that reads the catalogue; its destructor and Clear wait for it.
class Search {
 public:
  Search() = default;
  virtual ~Search() = default;
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// REQUIRES: the slots hold arms that are not in the set yet.
  virtual void Add(std::span<const Slot> slots) = 0;

  /// REQUIRES: the slot is in the set.
  virtual void Remove(Slot slot) = 0;

  virtual void Clear() = 0;

  virtual std::size_t size() const = 0;

  /// The best arm of the set, or none if the set is empty. A search for a
  /// sought score may return another that is good enough, or none if it finds
  /// none that is.
  virtual std::optional<Hit> Best(const Query& query) = 0;

  /// The best arms of the set that the request asks for, best first; fewer if
  /// there are fewer. Where a search is approximate, its answer to a request
  /// for the best of all may be; the best of some are always found exactly, by
  /// looking at each of those if need be.
  virtual std::vector<Hit> Top(const Query& query,
                               const TopRequest& request) = 0;

  virtual SearchStats stats() const = 0;
};

/// Whether a search for a sought score answers only with arms that are good
/// enough, so that its answers need not be held against that score.
bool JudgesItself(const SearchOptions& options);

/// Throws Error(kInvalidArgument) for options out of bounds and
/// Error(kUnsupported) for an objective that the search cannot answer. The
/// queries must come from this posterior, which may only grow.
std::unique_ptr<Search> MakeSearch(const SearchOptions& options,
                                   const SearchTask& task,
                                   const ArmStore& store,
                                   const Posterior& posterior,
                                   std::uint64_t seed);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SEARCH_H_
