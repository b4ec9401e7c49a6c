#ifndef MANYARMS_POPULATION_KEY_HASH_H_
#define MANYARMS_POPULATION_KEY_HASH_H_

#include <cstddef>
#include <cstdint>

#include "manyarms/learner_key.h"

namespace manyarms {

/// A hash of the key that is the same in every version and on every machine:
/// seeds of learners depend on it. Two keys may have the same hash.
std::uint64_t StableHash(const LearnerKey& key);

/// Mixes two numbers, so that every bit of the result depends on all bits of
/// both.
std::uint64_t Mix(std::uint64_t one, std::uint64_t other);

struct KeyHash {
  std::size_t operator()(const LearnerKey& key) const {
    return StableHash(key);
  }
};

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_KEY_HASH_H_
