#include "shards/rest_bounds.h"

#include <algorithm>

#include "base/large_allocator.h"
#include "search/certified/ceilings.h"

namespace manyarms {

// A belief of which much more is known than at the snapshot is worth the work
// of another look at it: a message costs more.
bool RestBounds::AreBelow(const Query& query, float score) {
  if (AreSurelyBelow(query, score)) return true;
  if (objective_ == Objective::kInnerProduct) return false;
  snapshot_.Tighten(query);
  return AreSurelyBelow(query, score);
}

bool RestBounds::AreSurelyBelow(const Query& query, float score) const {
  const double radius = snapshot_.Radius(query);
  const double curvature = snapshot_.Curvature(query);
  // A comparison with NaN counts as reached.
  return std::ranges::all_of(ceilings_, [&](const PlacedCeiling& rest) {
    return HeightAt(rest.radii, rest.ceiling, radius, curvature) < score;
  });
}

std::vector<bool> RestBounds::MayJoin(std::span<const float> rows) const {
  const std::size_t dim = snapshot_.dim();
  const std::size_t arms = rows.size() / dim;
  const kernels::BoundTerms terms = snapshot_.terms();
  const LargeBuffer<float> block = MakeLargeBuffer<float>(kLanes * dim);
  kernels::BlockBounds bounds;
  std::vector<bool> joins(arms);
  for (std::size_t first = 0; first < arms; first += kLanes) {
    const std::size_t lanes = std::min<std::size_t>(kLanes, arms - first);
    std::fill_n(block.get(), kLanes * dim, 0.0F);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t j = 0; j < dim; ++j) {
        block[j * kLanes + lane] = rows[(first + lane) * dim + j];
      }
    }
    kernels::BoundsOf(block.get(), terms, bounds);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      joins[first + lane] =
          std::ranges::any_of(ceilings_, [&](const PlacedCeiling& rest) {
            return IsBelow(rest.radii, rest.ceiling, bounds.centre[lane],
                           bounds.width[lane]);
          });
    }
  }
  return joins;
}

}  // namespace manyarms
