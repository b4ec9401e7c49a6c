#ifndef MANYARMS_SEARCH_LSH_THEORY_OPTIONS_H_
#define MANYARMS_SEARCH_LSH_THEORY_OPTIONS_H_

#include <cstddef>

#include "manyarms/search/reduction.h"

namespace manyarms {

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

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_THEORY_OPTIONS_H_
