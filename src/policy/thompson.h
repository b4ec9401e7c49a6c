#ifndef MANYARMS_POLICY_THOMPSON_H_
#define MANYARMS_POLICY_THOMPSON_H_

#include <vector>

#include "policy/questions.h"

namespace manyarms {

/// Algorithm 4: the arm with the largest inner product with a sampled
/// parameter.
class ThompsonQuestions final : public Questions {
 public:
  ThompsonQuestions(const ThompsonOptions& options, const Posterior& posterior);

  Query Ask(const Turn& turn) override;
  bool is_random() const override { return true; }
  bool needs_inverse() const override { return false; }
  double exploration() const override { return exploration_; }

 private:
  const double exploration_;
  std::vector<double> xi_;
  Eigen::VectorXd theta_;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_THOMPSON_H_
