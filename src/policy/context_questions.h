#ifndef MANYARMS_POLICY_CONTEXT_QUESTIONS_H_
#define MANYARMS_POLICY_CONTEXT_QUESTIONS_H_

#include <memory>

#include "policy/questions.h"
#include "posterior/context_belief.h"

namespace manyarms {

/// Turns a question over all coefficients of c'Mx into one over the arms, in
/// the context of the choice.
class ContextQuestions final : public Questions {
 public:
  ContextQuestions(std::unique_ptr<Questions> questions,
                   const ContextModel& model)
      : questions_(std::move(questions)), model_(model), belief_(model) {}

  /// REQUIRES: the context was checked. Costs what ContextBelief says if the
  /// question has a factor.
  Query Ask(const Turn& turn) override;
  float offset() const override { return offset_; }
  bool is_random() const override { return questions_->is_random(); }
  bool needs_inverse() const override { return questions_->needs_inverse(); }
  double exploration() const override { return questions_->exploration(); }

 private:
  const std::unique_ptr<Questions> questions_;
  const ContextModel model_;
  ContextBelief belief_;
  Eigen::VectorXd direction_;
  RowMatrix factor_;
  float offset_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_CONTEXT_QUESTIONS_H_
