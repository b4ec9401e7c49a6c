#ifndef MANYARMS_REPRODUCTION_SETTING_H_
#define MANYARMS_REPRODUCTION_SETTING_H_

#include <cstddef>
#include <cstdint>

#include "manyarms/bandit.h"
#include "reproduction/json.h"

namespace manyarms::reproduction {

/// The bandit that a description asks for: `policy` with all its options
/// (`exploration` is a number or "theory"), `search` with those of its options
/// that are not to be the defaults, by their names in rows, `regularisation`,
/// and of graphs `shortlist` and `beam`, the least width of the search. Throws
/// Error(kInvalidArgument) for what it does not know.
///
/// Graphs are by raw inner product, which is what the paper's figures point
/// to: its Sub-TS repeats its Linear TS to the digit in several cells, which
/// the Euclidean reduction does not reach. Certified search takes its
/// snapshots in the foreground, so that a row does not depend on what else the
/// machine does.
BanditOptions ParseBandit(const Json& bandit, std::size_t dim,
                          std::uint64_t steps, std::uint64_t seed);

/// About how many seconds a run takes, to tell how much is left.
double EstimatedSeconds(const Json& world, const Json& bandit);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_SETTING_H_
