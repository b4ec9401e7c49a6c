#ifndef MANYARMS_LSH_SPHERE_H_
#define MANYARMS_LSH_SPHERE_H_

#include <span>

#include "manyarms/research/filter_tree_plan.h"

/// The reductions of maximum inner product search to the unit sphere.
namespace manyarms::lsh {

/// Maps p / scale to the sphere. REQUIRES: |p| <= scale, scale > 0, and `out`
/// has SphereDim coordinates.
void PointOnSphere(Reduction reduction, std::span<const float> p, double scale,
                   std::span<float> out);

/// Maps q / |q| to the sphere, and a zero vector to an arbitrary fixed point of
/// it. REQUIRES: `out` has SphereDim coordinates.
void QueryOnSphere(Reduction reduction, std::span<const float> q,
                   std::span<float> out);

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_SPHERE_H_
