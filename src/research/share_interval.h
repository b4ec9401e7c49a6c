#ifndef MANYARMS_RESEARCH_SHARE_INTERVAL_H_
#define MANYARMS_RESEARCH_SHARE_INTERVAL_H_

#include <cstdint>

namespace manyarms {

/// The upper end of the Clopper-Pearson interval for a probability p, given
/// `count` successes in `trials`: the p at which `count` or fewer successes
/// have probability (1 - confidence) / 2. REQUIRES: trials > 0, count <=
/// trials, confidence in (0, 1).
double ShareAtMost(std::uint64_t count, std::uint64_t trials,
                   double confidence);

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_SHARE_INTERVAL_H_
