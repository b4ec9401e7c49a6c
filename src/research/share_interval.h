#ifndef MANYARMS_RESEARCH_SHARE_INTERVAL_H_
#define MANYARMS_RESEARCH_SHARE_INTERVAL_H_

#include <cstdint>

namespace manyarms {

/// The upper end of the Clopper-Pearson interval for a probability, after
/// `count` of `trials` came out: the probability with which so few or fewer
/// have half of the chance that an interval may err with. REQUIRES: trials > 0,
/// count <= trials, confidence in (0, 1).
double ShareAtMost(std::uint64_t count, std::uint64_t trials,
                   double confidence);

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_SHARE_INTERVAL_H_
