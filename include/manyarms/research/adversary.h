#ifndef MANYARMS_ADVERSARY_H_
#define MANYARMS_ADVERSARY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "manyarms/research/filter_tree_plan.h"

/// Why queries that depend on answers need more than one data structure
/// (sections 3.2 and 3.3 of the paper), as experiments.
namespace manyarms {

/// Points lie in 2d narrow groups around the coordinate axes' ends. A query
/// that only just has its answer in one of them then has hardly a second
/// chance, which is the case that the theory reckons with; among points all
/// over the sphere a single copy fails less often.
struct AdversaryOptions {
  std::size_t dim = 4;
  std::size_t points = 1000;  ///< K
  double ratio = 0.5;         ///< c
  double sought = 0.8;        ///< r
  double slack = 0.05;        ///< epsilon; sought + slack at most 0.95
  double delta = 0.05;        ///< how probably a whole sequence may fail
  double success = 0.9;       ///< of one copy, for one query
  std::size_t sequences = 200;
  std::size_t queries = 1000;  ///< of a sequence
  /// What the adversary is set upon. 0 stands for two: what the proof of
  /// Theorem 3.3 needs, and the formula of Algorithm 1.
  std::vector<std::size_t> copies = {1, 2, 4, 8, 0};
  Reduction reduction = Reduction::kSymmetric;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  ///< change nothing but the time
};

enum class CopiesBy { kCaller, kProof, kFormula };

/// How a number of copies did in all sequences. A query fails if a point has an
/// inner product of sought + slack with it and none is returned; a sequence, if
/// one of its queries does.
struct AdversaryResult {
  bool adaptive = true;  ///< whether queries depended on the answers before
  CopiesBy copies_by = CopiesBy::kCaller;
  std::size_t copies = 1;
  std::uint64_t failed_sequences = 0;
  /// Upper end of the 99 % Clopper-Pearson interval for their share.
  double failed_share_at_most = 1;
  std::uint64_t failed_queries = 0;
  /// Answers below ratio * sought - slack; must not be.
  std::uint64_t wrong_answers = 0;
  std::uint64_t copies_asked = 0;     ///< by all queries together
  std::size_t most_copies_asked = 0;  ///< by a query that got an answer
  /// The number of sequences whose n-th query failed.
  std::vector<std::uint64_t> failures_at;
};

/// First a single copy asked without regard to its answers, then each of
/// options.copies against an adversary that sees the answers and how many
/// copies were asked. Same results for any number of threads. `progress` is
/// told the share that is done, by one thread at a time. Throws Error for
/// values out of bounds and trees that do not fit in memory.
std::vector<AdversaryResult> RunAdversary(
    const AdversaryOptions& options,
    const std::function<void(double)>& progress = {});

/// Section 3.2: a hidden unit vector p, d + 1 unit queries q answered by
/// <q, p>, of which one should come to 1.
struct ThoughtExperiment {
  double median_non_adaptive = 0;  ///< of the best among d + 1 random queries
  double largest_non_adaptive = 0;
  double smallest_adaptive = 0;  ///< of the last query, solved from answers
};
ThoughtExperiment RunThoughtExperiment(std::size_t dim = 10,
                                       std::size_t repetitions = 1000,
                                       std::uint64_t seed = 1);

}  // namespace manyarms

#endif  // MANYARMS_ADVERSARY_H_
