#include "search/certified/ceilings.h"

#include <algorithm>
#include <cstddef>

namespace manyarms {

using kernels::Ceiling;
using kernels::kRadii;
using kernels::Radii;

Ceiling CeilingOf(const Radii& radii, float centre, float width) {
  Ceiling ceiling{.height = {}, .widest = width};
  for (std::size_t r = 0; r < kRadii; ++r) {
    ceiling.height[r] = centre + radii[r] * width;
  }
  return ceiling;
}

void Raise(Ceiling& ceiling, const Ceiling& other) {
  for (std::size_t r = 0; r < kRadii; ++r) {
    ceiling.height[r] = std::max(ceiling.height[r], other.height[r]);
  }
  ceiling.widest = std::max(ceiling.widest, other.widest);
}

// A maximum of lines is convex: between two radii it lies below the straight
// line, and beyond the last it rises by no more than the largest width. As
// c w^2 <= c w max w, a squared width counts as the width times the largest
// one.
double HeightAt(const Radii& radii, const Ceiling& ceiling, double radius,
                double curvature) {
  radius += curvature * ceiling.widest;
  const double last = radii.back();
  if (radius >= last) {
    return ceiling.height.back() + (radius - last) * ceiling.widest;
  }
  std::size_t below = kRadii - 2;
  while (radii[below] > radius) --below;
  const double from = radii[below];
  const double share = (radius - from) / (radii[below + 1] - from);
  return (1 - share) * ceiling.height[below] +
         share * ceiling.height[below + 1];
}

bool IsBelow(const Radii& radii, const Ceiling& ceiling, float centre,
             float width) {
  const Ceiling arm = CeilingOf(radii, centre, width);
  for (std::size_t r = 0; r < kRadii; ++r) {
    if (arm.height[r] > ceiling.height[r]) return false;
  }
  return width <= ceiling.widest;
}

}  // namespace manyarms
