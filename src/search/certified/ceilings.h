#ifndef MANYARMS_SEARCH_CERTIFIED_CEILINGS_H_
#define MANYARMS_SEARCH_CERTIFIED_CEILINGS_H_

#include "kernels/bounds.h"

/// What is done with ceilings over sets of arms (kernels::Ceiling).
namespace manyarms {

/// The ceiling over an arm with these bounds, or over all arms whose bounds are
/// no higher.
kernels::Ceiling CeilingOf(const kernels::Radii& radii, float centre,
                           float width);

/// Makes `ceiling` one over the arms of both.
void Raise(kernels::Ceiling& ceiling, const kernels::Ceiling& other);

/// An upper bound of centre + radius width + curvature width^2 for all arms
/// below the ceiling, which has its heights at `radii`.
double HeightAt(const kernels::Radii& radii, const kernels::Ceiling& ceiling,
                double radius, double curvature);

/// Whether an arm with these bounds lies below the ceiling at all radii, so
/// that it remains a ceiling when the arm joins those below it.
bool IsBelow(const kernels::Radii& radii, const kernels::Ceiling& ceiling,
             float centre, float width);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_CEILINGS_H_
