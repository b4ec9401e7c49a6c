#ifndef MANYARMS_SEARCH_TOP_BY_SCAN_H_
#define MANYARMS_SEARCH_TOP_BY_SCAN_H_

#include <cstdint>
#include <vector>

#include "kernels/arm_set.h"
#include "search/scorer.h"
#include "search/search.h"

namespace manyarms {

/// The blocks of `arms` with the lanes that are in `among` too; of all, if
/// there is none.
std::vector<MaskedBlock> Common(const ArmSet& arms, const ArmSet* among);

struct ScannedTop {
  std::vector<Hit> hits;
  std::uint64_t arms = 0;  // scored
};

/// Search::Top the obvious way: every arm that may be among the best is scored.
ScannedTop TopByScan(const Scorer& scorer, const ArmStore& store,
                     const ArmSet& arms, const TopRequest& request);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_TOP_BY_SCAN_H_
