#ifndef MANYARMS_LSH_SPHERE_H_
#define MANYARMS_LSH_SPHERE_H_

#include <span>

#include "manyarms/research/filter_tree_plan.h"

/// The reductions of maximum inner product search to the unit sphere.
namespace manyarms::lsh {

/// p / scale on the sphere. REQUIRES: |p| <= scale, scale > 0, `out` has
/// SphereDim.
void PointOnSphere(Reduction reduction, std::span<const float> p, double scale,
                   std::span<float> out);

/// q / |q| on the sphere; any point of it if q is zero. REQUIRES: `out` has
/// SphereDim.
void QueryOnSphere(Reduction reduction, std::span<const float> q,
                   std::span<float> out);

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_SPHERE_H_
