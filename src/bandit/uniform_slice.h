#ifndef MANYARMS_BANDIT_UNIFORM_SLICE_H_
#define MANYARMS_BANDIT_UNIFORM_SLICE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "catalogue/arm_store.h"
#include "kernels/arm_set.h"
#include "kernels/slot.h"
#include "manyarms/random.h"
#include "manyarms/types.h"

namespace manyarms {

/// Draws those choices that are uniform among the eligible arms
/// (BanditOptions::explore_uniform). What is drawn depends on the seed, the
/// number of the decision, and which slots hold eligible arms: not on the order
/// in which they were named.
class UniformSlice {
 public:
  /// `share` is the probability that this decision is one of them.
  UniformSlice(double share, std::uint64_t seed, DecisionId decision);

  /// Whether it is.
  bool has_decision() const { return has_decision_; }

  /// Up to `count` different arms in random order; `among` null means all.
  /// Each costs O(sqrt K), and O(1) unless most arms that there were are gone
  /// or not eligible. REQUIRES: has_decision(), and at least one is eligible.
  std::vector<Slot> Draw(const ArmStore& store, const ArmSet* among,
                         std::size_t count);

 private:
  RandomStream random_;
  const bool has_decision_;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_UNIFORM_SLICE_H_
