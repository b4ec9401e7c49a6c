#ifndef MANYARMS_SEARCH_LSH_OPTIONS_H_
#define MANYARMS_SEARCH_LSH_OPTIONS_H_

#include <cstddef>

#include "manyarms/search/reduction.h"

namespace manyarms {

/// Asks filter trees (research/filter_tree_plan.h) for arms that may beat the
/// best one known, and scores those exactly. The search is approximate, and the
/// number of arms scored grows more slowly than K. It scans where trees would
/// cost more than a scan: with few arms, and mostly for elim, because in the
/// d(d+1)/2 dimensions of quadratic forms trees cannot tell near points from
/// far ones.
///
/// Arms can be removed from trees. Trees are planned when scans have cost as
/// much as planning does, and built when they would have saved as much as
/// building costs. They are dropped when there are four times as many arms as
/// were planned for, or when as many arms have been added as were planned for.
/// Forced trees (min_depth above 0) are built at the first choice, and dropped
/// only in the first case.
struct LshOptions {
  // These change the decisions:
  double success = 0.9;  ///< probability with which a better arm is found
  Reduction reduction = Reduction::kSymmetric;

  // These trade speed for memory:
  std::size_t min_depth = 0;  ///< 1: trees even where scans cost less
  double max_bytes = 2e9;     ///< planned for all trees of a search

  bool operator==(const LshOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_OPTIONS_H_
