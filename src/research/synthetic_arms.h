#ifndef MANYARMS_RESEARCH_SYNTHETIC_ARMS_H_
#define MANYARMS_RESEARCH_SYNTHETIC_ARMS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "manyarms/research/environment.h"

namespace manyarms {

/// Whether the last feature of every arm is a constant 1.
bool ArmsHaveConstant(const SyntheticOptions& options);

/// The arms of a synthetic environment: their features, and which ones come
/// and go. Features are a function of an arm's id, so nothing is stored but, if
/// arms are ever removed, the ids of those present.
class SyntheticArms {
 public:
  /// A thread draws this number of arms at a time.
  static constexpr std::size_t kDrawnTogether = 1024;

  explicit SyntheticArms(const SyntheticOptions& options);

  void Features(ArmId arm, std::span<float> out) const;
  void FillFeatures(std::span<const ArmId> arms, std::span<float> out) const;

  /// As Environment::Advance.
  Change Advance(std::uint64_t step);

  /// The ids of the arms present. REQUIRES: options.remove > 0.
  std::span<const ArmId> live() const { return live_; }

 private:
  const SyntheticOptions options_;
  std::vector<ArmId> live_;  // stays empty if options_.remove is 0
  ArmId next_;
};

/// Scales a vector to this length, unless it is 0.
template <class Real>
void ScaleTo(double length, std::span<Real> vector) {
  double square = 0;
  for (const Real value : vector) square += double{value} * value;
  if (square == 0) return;
  const double factor = length / std::sqrt(square);
  for (Real& value : vector) value = static_cast<Real>(factor * value);
}

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_SYNTHETIC_ARMS_H_
