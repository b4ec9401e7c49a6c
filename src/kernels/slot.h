#ifndef MANYARMS_KERNELS_SLOT_H_
#define MANYARMS_KERNELS_SLOT_H_

#include <cstdint>
#include <limits>

#include "manyarms/types.h"

namespace manyarms {

/// An arm's position in its catalogue. It does not change while the arm is
/// there, and is reused after the arm is removed. Users of the library see ids
/// only.
using Slot = std::uint32_t;

inline constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();
static_assert(kMaxArms < kNoSlot);

/// An arm that a search or policy found, with its score. Higher scores are
/// better everywhere.
struct Hit {
  Slot slot = kNoSlot;
  float score = -std::numeric_limits<float>::infinity();
};

}  // namespace manyarms

#endif  // MANYARMS_KERNELS_SLOT_H_
