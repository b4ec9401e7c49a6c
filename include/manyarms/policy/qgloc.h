#ifndef MANYARMS_POLICY_QGLOC_OPTIONS_H_
#define MANYARMS_POLICY_QGLOC_OPTIONS_H_

#include "manyarms/policy/exploration.h"

namespace manyarms {

/// QGLOC of the same paper as GlocTsOptions: an upper confidence bound whose
/// width is replaced by a multiple of its square, so that the score is an inner
/// product of (x, vec(x x')), which graphs and trees can serve. Like GLOC-TS it
/// learns from pseudo-rewards, and is here to be compared with.
struct QglocOptions {
  /// As in GlocTsOptions. c_0 there is 1: another value has the effect of
  /// another exploration.
  Exploration exploration = 2.0;
  double norm_bound = 1;  ///< as in GlocTsOptions
  double curvature = 0;   ///< as in GlocTsOptions
  /// r there: no arm is shorter than this.
  double shortest = 1;

  bool operator==(const QglocOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_QGLOC_OPTIONS_H_
