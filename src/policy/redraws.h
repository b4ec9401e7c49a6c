#ifndef MANYARMS_POLICY_REDRAWS_H_
#define MANYARMS_POLICY_REDRAWS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/arm_set.h"
#include "kernels/slot.h"
#include "manyarms/context.h"
#include "policy/questions.h"
#include "search/search.h"

namespace manyarms {

/// Further draws of a choice that was made, or will be.
struct Redraws {
  std::uint64_t decision = 1;     ///< its number
  std::uint64_t count = 1;        ///< 0 to kMaxDraws
  const ArmSet* among = nullptr;  ///< the eligible arms; null: all are
  Context context;
};

/// How many of `draws` chose each of some arms.
struct Wins {
  std::vector<std::uint64_t> of;
  std::uint64_t draws = 0;
  bool is_certain = false;  ///< every further draw would choose the same arm
};

/// Who draws, and by which knowledge.
struct Drawer {
  Questions& questions;
  Finder& finder;
  Posterior& posterior;
  std::uint64_t seed;
};

/// Asks for the best arm of each draw. Costs as much as the choices would; one
/// is enough if nothing about them is random. Each arm must be given once.
Wins CountWins(const Drawer& drawer, const Redraws& redraws,
               std::span<const Slot> arms);

}  // namespace manyarms

#endif  // MANYARMS_POLICY_REDRAWS_H_
