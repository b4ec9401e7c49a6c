#ifndef MANYARMS_SEARCH_OPTIONS_H_
#define MANYARMS_SEARCH_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace manyarms {

/// How points p and queries q of length at most 1 are mapped to the unit
/// sphere, where filter trees work.
enum class Reduction {
  kPaper,      ///< appendix A.1: the cosine becomes (1 + <p, q>) / 4; adds
               ///< three dimensions
  kSymmetric,  ///< the cosine becomes <p, q> / |q|; adds one dimension and has
               ///< far better exponents
};
std::string_view ReductionName(Reduction reduction);

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

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_OPTIONS_H_
