#ifndef MANYARMS_POLICY_CONFIDENCE_H_
#define MANYARMS_POLICY_CONFIDENCE_H_

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "catalogue/arm_store.h"
#include "kernels/slot.h"
#include "posterior/posterior.h"

namespace manyarms {

/// An arm's confidence interval: mean plus or minus uncertainty.
struct ArmBounds {
  Slot slot = kNoSlot;
  float mean = 0;         ///< x' theta-hat
  float uncertainty = 0;  ///< beta |x|_{V^-1}

  float lower() const { return mean - uncertainty; }
  float upper() const { return mean + uncertainty; }
};

/// The confidence intervals that a posterior gives to a catalogue's arms.
class Confidence {
 public:
  /// The references must outlive the object. The posterior will keep its
  /// inverse factor.
  Confidence(const ArmStore& store, Posterior& posterior, double exploration)
      : store_(store), posterior_(posterior), exploration_(exploration) {
    posterior.KeepInverse();
  }

  /// The current intervals of the given arms, in the order of their slots.
  /// Costs O(d^2) an arm.
  std::vector<ArmBounds> Bounds(std::vector<Slot> slots) const;

  /// The uncertainty of one arm. Costs O(d^2).
  float Uncertainty(Slot slot) const;

  /// V^{-1/2}: an arm's uncertainty is beta |Factor() x|.
  const RowMatrix& Factor() const { return posterior_.Inverse(); }

  double exploration() const { return exploration_; }

 private:
  const ArmStore& store_;
  Posterior& posterior_;
  const double exploration_;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_CONFIDENCE_H_
