#include "policy/confidence.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.h"

namespace manyarms {

std::vector<ArmBounds> Confidence::Bounds(std::vector<Slot> slots) const {
  // Arms of one block are computed together, so they must follow one another.
  if (!std::ranges::is_sorted(slots)) std::ranges::sort(slots);
  const Eigen::VectorXf mean = posterior_.Mean().cast<float>();
  const kernels::PackedFactor factor(Factor().data(), posterior_.dim(),
                                     exploration_);
  const BlockTable table = store_.blocks();

  std::vector<ArmBounds> bounds;
  bounds.reserve(slots.size());
  kernels::Moments moments;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot slot = slots[i];
    if (i == 0 || BlockOf(slot) != BlockOf(slots[i - 1])) {
      kernels::BlockMoments(table.Features(BlockOf(slot)),
                            {mean.data(), posterior_.dim()}, factor, moments);
    }
    bounds.push_back({.slot = slot,
                      .mean = moments.mean[LaneOf(slot)],
                      .uncertainty = std::sqrt(moments.form[LaneOf(slot)])});
  }
  return bounds;
}

float Confidence::Uncertainty(Slot slot) const {
  std::vector<float> features(store_.dim());
  store_.CopyFeatures(slot, features);
  return static_cast<float>(exploration_ * posterior_.Width(features));
}

}  // namespace manyarms
