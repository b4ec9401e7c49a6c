#ifndef MANYARMS_POLICY_UCB_H_
#define MANYARMS_POLICY_UCB_H_

#include "policy/questions.h"

namespace manyarms {

/// OFUL: the arm whose mean plus exploration times width is largest.
class UcbQuestions final : public Questions {
 public:
  UcbQuestions(const UcbOptions& options, const Posterior& posterior);

  /// REQUIRES: the posterior keeps its inverse.
  Query Ask(const Turn& turn) override;
  bool is_random() const override { return false; }
  bool needs_inverse() const override { return true; }
  double exploration() const override { return exploration_; }

 private:
  const double exploration_;
  Eigen::VectorXd mean_;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_UCB_H_
