#ifndef MANYARMS_ADVERSARY_H_
#define MANYARMS_ADVERSARY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "manyarms/research/filter_tree_plan.h"

/// Experiments that show why queries that depend on earlier answers need more
/// than one copy of a randomised data structure (sections 3.2 and 3.3 of the
/// paper).
namespace manyarms {

/// The points lie in 2d narrow clusters, one around each +e_i and -e_i. If a
/// query barely reaches its answer in one cluster, no other point can serve as
/// an answer: this is the worst case of the theory. Among points spread over
/// the whole sphere a single copy fails less often.
struct AdversaryOptions {
  std::size_t dim = 4;
  std::size_t points = 1000;  ///< K
  double ratio = 0.5;         ///< c
  double sought = 0.8;        ///< r
  double slack = 0.05;        ///< epsilon; sought + slack at most 0.95
  double delta = 0.05;   ///< allowed probability that a whole sequence fails
  double success = 0.9;  ///< probability that one copy answers one query
  std::size_t sequences = 200;
  std::size_t queries = 1000;  ///< in each sequence
  /// The numbers of copies to attack. 0 stands for two numbers: the one that
  /// the proof of Theorem 3.3 needs, and the one by Algorithm 1's formula.
  std::vector<std::size_t> copies = {1, 2, 4, 8, 0};
  Reduction reduction = Reduction::kSymmetric;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  ///< affects the time only, not the results
};

enum class CopiesBy { kCaller, kProof, kFormula };

/// The outcome of all sequences for one number of copies. A query fails if some
/// point's inner product with it is at least sought + slack and no point is
/// returned. A sequence fails if one of its queries fails.
struct AdversaryResult {
  bool adaptive = true;  ///< whether queries depended on earlier answers
  CopiesBy copies_by = CopiesBy::kCaller;
  std::size_t copies = 1;
  std::uint64_t failed_sequences = 0;
  /// Upper end of the 99 % Clopper-Pearson interval for the share of sequences
  /// that fail.
  double failed_share_at_most = 1;
  std::uint64_t failed_queries = 0;
  /// Answers whose inner product is below ratio * sought - slack. Should be 0.
  std::uint64_t wrong_answers = 0;
  std::uint64_t copies_asked = 0;     ///< by all queries together
  std::size_t most_copies_asked = 0;  ///< by a query that got an answer
  /// The number of sequences whose n-th query failed.
  std::vector<std::uint64_t> failures_at;
};

/// Runs a single copy with queries that do not depend on its answers, then each
/// of options.copies against an adversary that sees the answers and how many
/// copies were asked. The results do not depend on the number of threads.
/// `progress` is called with the share of the work done, by one thread at a
/// time. Throws Error for values out of bounds and for trees that do not fit in
/// memory.
std::vector<AdversaryResult> RunAdversary(
    const AdversaryOptions& options,
    const std::function<void(double)>& progress = {});

/// Section 3.2: p is a hidden unit vector. A player asks d + 1 unit queries q,
/// gets <q, p> as the answer to each, and wants one answer to be 1.
struct ThoughtExperiment {
  /// The best answer to d + 1 random queries: median and maximum over all
  /// repetitions.
  double median_non_adaptive = 0;
  double largest_non_adaptive = 0;
  /// The answer to a last query that is computed from the first d answers:
  /// minimum over all repetitions.
  double smallest_adaptive = 0;
};
ThoughtExperiment RunThoughtExperiment(std::size_t dim = 10,
                                       std::size_t repetitions = 1000,
                                       std::uint64_t seed = 1);

}  // namespace manyarms

#endif  // MANYARMS_ADVERSARY_H_
