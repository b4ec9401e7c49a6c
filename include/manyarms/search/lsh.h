#ifndef MANYARMS_SEARCH_LSH_OPTIONS_H_
#define MANYARMS_SEARCH_LSH_OPTIONS_H_

#include <cstddef>

#include "manyarms/search/reduction.h"

namespace manyarms {

/// Asks filter trees (research/filter_tree_plan.h) for arms that may beat the
/// best one known and scores those exactly. Approximate; the number of arms
/// looked at grows more slowly than K. Where trees would cost more than a scan
/// it scans: among few arms, and mostly for elim, because in the d(d+1)/2
/// dimensions of its quadratic forms trees cannot tell near from far.
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

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_OPTIONS_H_
