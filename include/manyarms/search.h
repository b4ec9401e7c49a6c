#ifndef MANYARMS_SEARCH_H_
#define MANYARMS_SEARCH_H_

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "manyarms/catalogue.h"
#include "manyarms/lsh.h"
#include "manyarms/posterior.h"
#include "manyarms/types.h"

namespace manyarms {

/// How an arm x is scored. A search is made for one of these.
enum class Objective {
  kInnerProduct,   ///< <direction, x>                          (ts)
  kQuadraticForm,  ///< x'Wx = |factor x|^2                     (elim)
  kOptimism,       ///< <direction, x> + |factor x|             (ucb)
};

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

/// What a search has done so far.
struct SearchStats {
  /// Arms looked at by Best and Top, those met on the way through an index
  /// included.
  std::uint64_t arms_scored = 0;
  /// Of certified search: snapshots taken, what they took on whatever thread,
  /// how many arms they bounded, and answers compared with a scan's.
  std::uint64_t snapshots = 0;
  double snapshot_seconds = 0;
  std::uint64_t arms_bounded = 0;
  std::uint64_t checks = 0;
  /// Of lsh: inner products with the directions of its trees, and questions
  /// that it left to a scan.
  std::uint64_t directions = 0;
  std::uint64_t scans = 0;
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

/// Finds what a scan finds, to the last bit and the last tie, and looks at a
/// small part of the arms: those whose bound from a snapshot of the posterior
/// reaches the best. Exact. Nothing to tune and nothing to build beforehand:
/// snapshots are taken when the work since the last has paid for one.
///
/// Best scans while little is known, and at worst: O(K d) or, with a factor,
/// O(K d^2). Once the posterior is sure of most directions it scores tens to
/// thousands of arms. Add costs O(d^2) an arm. A snapshot costs about as much
/// as a few scans. Memory: 2 bytes an arm, and 4d + 24 for each arm that is
/// kept in order: a thirtieth of a million, a tenth or more while little is
/// known, and up to three times that while the next order is made.
struct CertifiedOptions {
  /// For ts and ucb: takes snapshots on a thread of its own, where the machine
  /// has a second core, so that choices go on. Decisions are the same either
  /// way; how many arms are scored depends on when a snapshot is ready. (elim
  /// takes one before its first choice and hardly any more.)
  bool background = true;

  /// Compares every n-th answer with a full scan's, which costs a scan and
  /// about 1 byte an arm, and throws Error(kWrongAnswer) where they differ.
  /// Nothing is lost then and the search could be used on; it is an error in
  /// this library and should be reported. 0: never.
  std::uint64_t check_every = 0;

  bool operator==(const CertifiedOptions&) const = default;
};

/// Looks at every arm, with the widest vector instructions the machine has.
/// Exact. Best costs O(K d) or, with a factor, O(K d^2).
struct ScanOptions {
  bool operator==(const ScanOptions&) const = default;
};

/// Asks an HNSW graph (hnswlib) for a shortlist and scores that exactly, as
/// the paper's experiments did. Approximate; Best costs roughly O(log K).
///
/// Removed arms stay in the graph as dead nodes and are never returned; when a
/// quarter of the graph is dead it is built anew before the next use.
struct HnswOptions {
  /// How inner product becomes the distance that a graph thinks in. Each of
  /// the first two misses where the other finds (docs/design.md has figures),
  /// so both are asked by default, at twice the cost.
  enum class Metric {
    kEuclidean,     ///< the reduction of appendix A.1
    kInnerProduct,  ///< raw; can leave short arms out of reach
    kBoth,          ///< two graphs, the union of their shortlists
  };

  // What changes the decisions:
  std::size_t shortlist = 30;  ///< p in the paper (10, 30 or 100 there)
  Metric metric = Metric::kBoth;

  // What trades speed for recall:
  std::size_t links = 16;          ///< M in the HNSW paper; hnswlib's default
  std::size_t build_effort = 200;  ///< efConstruction; hnswlib's default
  std::size_t effort = 0;          ///< ef; 0 means as long as the shortlist

  bool operator==(const HnswOptions&) const = default;
};

/// Asks filter trees (manyarms/lsh.h) for arms that may beat the best one known
/// and scores those exactly. Approximate; the number of arms looked at grows
/// more slowly than K. Where trees would cost more than a scan it scans: among
/// few arms, and mostly for elim, whose quadratic forms live in so many
/// dimensions that trees cannot tell near from far.
///
/// Arms leave the trees as they came. Trees are planned when scans have cost as
/// much as planning does, built when they would have saved as much as building
/// costs, and given up when there are four times as many arms, or as many have
/// come as there were. Forced trees are built at the first choice.
struct LshOptions {
  // What changes the decisions:
  double success = 0.9;  ///< how probably an arm that is better is found
  Reduction reduction = Reduction::kSymmetric;

  // What trades speed for memory:
  std::size_t min_depth = 0;  ///< 1: trees even where a scan costs less
  double max_bytes = 2e9;     ///< of one search's trees, as planned

  bool operator==(const LshOptions&) const = default;
};

/// The paper's theory: Algorithm 1's adaptive solver, with kappa independent
/// trees for each of the thresholds of Algorithms 2 and 4. Keeps their promises
/// for arms of length 1 at most and a regularisation of 1 at least. For small
/// arm sets: it exists to be checked, not to be fast. (Trees are planned for
/// success 0.95, not 0.9; K in kappa is twice what there is, and when there are
/// more, solvers are made anew and delta counts anew. Queries are floats, so
/// that a grid finer than those is theirs.)
struct LshTheoryOptions {
  double accuracy = 0.1;  ///< eta of Algorithm 4: ceil(d/eta) solvers (ts)
  double delta = 0.05;    ///< how likely any answer may be wrong
  Reduction reduction = Reduction::kSymmetric;
  std::size_t copies = 0;     ///< kappa; 0: by the paper's formula
  std::size_t min_depth = 1;  ///< 0: scans where they cost less than trees
  std::size_t threads = 1;    ///< that ask copies at the same time
  double max_bytes = 4e9;     ///< of one search's trees, as planned

  bool operator==(const LshTheoryOptions&) const = default;
};

using SearchOptions = std::variant<CertifiedOptions, ScanOptions, HnswOptions,
                                   LshOptions, LshTheoryOptions>;

std::string_view SearchName(const SearchOptions& options);
std::string_view MetricName(HnswOptions::Metric metric);

/// Whether a search for a sought score answers only with arms that are good
/// enough, so that its answers need not be held against that score.
bool JudgesItself(const SearchOptions& options);

/// Throws Error(kInvalidArgument) for options out of bounds and
/// Error(kUnsupported) for an objective that the search cannot answer. The
/// queries must come from this posterior, which may only grow.
std::unique_ptr<Search> MakeSearch(const SearchOptions& options,
                                   const SearchTask& task,
                                   const Catalogue& catalogue,
                                   const Posterior& posterior,
                                   std::uint64_t seed);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_H_
