#ifndef MANYARMS_SEARCH_TOP_BY_SCAN_H_
#define MANYARMS_SEARCH_TOP_BY_SCAN_H_

#include <cstdint>
#include <vector>

#include "kernels/arm_set.h"
#include "search/scorer.h"
#include "search/search.h"

namespace manyarms {

/// The arms that are in both sets, as blocks; if there is no `among`, all of
/// `arms`.
std::vector<MaskedBlock> Common(const ArmSet& arms, const ArmSet* among);

struct ScannedTop {
  std::vector<Hit> hits;
  std::uint64_t arms = 0;    ///< scored
  std::uint64_t blocks = 0;  ///< read, each as a whole
};

/// Answers Finder::Top by scoring every eligible arm.
ScannedTop TopByScan(const Scorer& scorer, const ArmStore& store,
                     const ArmSet& arms, const TopRequest& request);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_TOP_BY_SCAN_H_
