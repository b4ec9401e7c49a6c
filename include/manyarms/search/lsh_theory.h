#ifndef MANYARMS_SEARCH_LSH_THEORY_OPTIONS_H_
#define MANYARMS_SEARCH_LSH_THEORY_OPTIONS_H_

#include <cstddef>

#include "manyarms/search/reduction.h"

namespace manyarms {

/// The search of the paper's theory: the adaptive solver of Algorithm 1, with
/// kappa independent trees for each threshold of Algorithms 2 and 4. It keeps
/// their promises if arms have length 1 at most and the regularisation is at
/// least 1. It serves to check the theory on small arm sets and is not fast.
/// (Trees are planned for a success of 0.95 in place of 0.9. K in kappa is
/// twice the number of arms; when there are more arms than that, solvers are
/// made again, and delta holds from then on. Queries are rounded to a grid that
/// cannot be finer than float.)
struct LshTheoryOptions {
  double accuracy = 0.1;  ///< eta of Algorithm 4: ceil(d/eta) solvers (ts)
  double delta = 0.05;    ///< probability that any answer is wrong
  Reduction reduction = Reduction::kSymmetric;
  std::size_t copies = 0;     ///< kappa; 0: by the paper's formula
  std::size_t min_depth = 1;  ///< at 0, scans are used where they cost less
  std::size_t threads = 1;    ///< number that ask copies at the same time
  double max_bytes = 4e9;     ///< planned for all trees of a search

  bool operator==(const LshTheoryOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_THEORY_OPTIONS_H_
