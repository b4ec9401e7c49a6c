#ifndef MANYARMS_SHARDS_SHARDABLE_H_
#define MANYARMS_SHARDS_SHARDABLE_H_

#include "manyarms/bandit.h"

namespace manyarms {

/// The options, which are those of a learner whose arms are in shards, and of
/// these shards. Throws Error(kUnsupported) unless the best arm of all is one
/// of the shards' best arms, found by an exact search, whichever slots arms
/// have.
BanditOptions Shardable(BanditOptions options);

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_SHARDABLE_H_
