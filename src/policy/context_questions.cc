#include "policy/context_questions.h"

namespace manyarms {

Query ContextQuestions::Ask(const Turn& turn) {
  Query query = questions_->Ask(turn);
  belief_.Enter(turn.posterior, turn.context);
  direction_ = model_.Direction(*query.direction, turn.context);
  const auto d = static_cast<Eigen::Index>(model_.arm_dim());
  offset_ = direction_.size() > d ? static_cast<float>(direction_[d]) : 0;
  direction_.conservativeResize(d);
  query.belief = &belief_;
  query.direction = &direction_;
  if (query.factor != nullptr) {
    factor_ = belief_.FactorFrom(*query.factor);
    query.factor = &factor_;
  }
  return query;
}

}  // namespace manyarms
