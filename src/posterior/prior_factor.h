#ifndef MANYARMS_POSTERIOR_PRIOR_FACTOR_H_
#define MANYARMS_POSTERIOR_PRIOR_FACTOR_H_

#include <Eigen/Core>
#include <cstddef>

#include "manyarms/prior.h"

namespace manyarms {

/// A prior in the form in which a posterior begins: the Cholesky factor of
/// [P, P m; m'P, 1 + m'P m], where P is the precision and m the mean.
class PriorFactor {
 public:
  /// Throws Error(kInvalidArgument) if the prior does not have `dim`
  /// coefficients, if a value is not finite or out of bounds, or if the
  /// precision is not symmetric or has an eigenvalue below `least`, above
  /// kMaxRegularisation or, compared with the largest one, below
  /// 1 / kMaxPriorCondition. Costs O(dim^3).
  PriorFactor(const GaussianPrior& prior, std::size_t dim, double least);

  /// Lower triangular, dim + 1 rows.
  const Eigen::MatrixXd& factor() const { return factor_; }

  /// A number that no eigenvalue of the precision is below, rounding included.
  double floor() const { return floor_; }

 private:
  Eigen::MatrixXd factor_;
  double floor_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_PRIOR_FACTOR_H_
