#ifndef MANYARMS_SEARCH_OBJECTIVE_H_
#define MANYARMS_SEARCH_OBJECTIVE_H_

namespace manyarms {

/// How an arm x is scored. An index is made for one of these.
enum class Objective {
  kInnerProduct,       ///< <direction, x>                      (ts, gloc-ts)
  kQuadraticForm,      ///< x'Wx = |factor x|^2                 (elim)
  kOptimism,           ///< <direction, x> + |factor x|         (ucb)
  kQuadraticOptimism,  ///< <direction, x> + |factor x|^2       (qgloc)
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_OBJECTIVE_H_
