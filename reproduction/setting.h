#ifndef MANYARMS_REPRODUCTION_SETTING_H_
#define MANYARMS_REPRODUCTION_SETTING_H_

#include <cstddef>
#include <cstdint>

#include "manyarms/bandit.h"
#include "reproduction/json.h"

namespace manyarms::reproduction {

/// Parses the description of a bandit: `policy` with all its options
/// (`exploration` is a number or "theory"), `search` with those of its options
/// that differ from the defaults, by their names in rows, `regularisation`, and
/// for graphs `shortlist` and `beam`, the least width of the search. Throws
/// Error(kInvalidArgument) for names and values that it does not know.
///
/// Graphs use the raw inner product, because the paper's figures suggest that
/// it does too: in several cells its Sub-TS has exactly the regret of its
/// Linear TS, which the Euclidean reduction does not achieve. Certified search
/// takes its snapshots in the foreground, so that a row does not depend on the
/// machine's load.
BanditOptions ParseBandit(const Json& bandit, std::size_t dim,
                          std::uint64_t steps, std::uint64_t seed);

/// A rough estimate of a run's seconds, used to show progress.
double EstimatedSeconds(const Json& world, const Json& bandit);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_SETTING_H_
