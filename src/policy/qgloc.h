#ifndef MANYARMS_POLICY_QGLOC_H_
#define MANYARMS_POLICY_QGLOC_H_

#include "policy/questions.h"

namespace manyarms {

/// Equation 8 of Jun et al.: the arm with the largest
///     <theta-hat, x> + beta^{1/4} / (4 c_0 m) |x|^2_{V^-1},
/// where m = r / sqrt(v) is the least width of arms of length r, and v the
/// largest eigenvalue of V. With the radius sqrt(beta) and c_0 m
/// sqrt(beta)^{3/2} added, the score is an upper bound of OFUL's, and equal to
/// it where the width is 2 c_0 m sqrt(sqrt(beta)).
class QglocQuestions final : public Questions {
 public:
  QglocQuestions(const QglocOptions& options, const Posterior& posterior);

  /// Costs O(d^3). REQUIRES: the posterior keeps its inverse.
  Query Ask(const Turn& turn) override;
  bool is_random() const override { return false; }
  bool needs_inverse() const override { return true; }
  double exploration() const override { return exploration_; }

 private:
  const double exploration_;
  const double shortest_;
  Eigen::VectorXd mean_;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_QGLOC_H_
