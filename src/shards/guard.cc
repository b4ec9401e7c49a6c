#include "shards/guard.h"

#include <utility>

namespace manyarms {
namespace {

// Bounds assume a well-conditioned factor.
bool HasBounds(Objective objective, const Query& query) {
  return objective == Objective::kInnerProduct ||
         IsWellConditioned(*query.factor);
}

}  // namespace

void Guard::Check(Objective objective, const Query& query,
                  std::span<const Hit> hits) {
  if (need_.among == Among::kKnown) {
    was_sent_ = answered_.has_value();  // all of them may be guests
    return;
  }
  if (answered_ && answered_->need == need_ &&
      answered_->question.Asks(query)) {
    was_sent_ = true;
    if (need_.among == Among::kAll && !hits.empty() &&
        HasBounds(objective, query)) {
      occasion_ = {.question = answered_->question,
                   .threshold = hits.back().score};
    }
    return;
  }
  if (need_.among == Among::kAll) {
    if (unknown_arms_ == 0) return;
    if (rest_ && hits.size() == need_.count && HasBounds(objective, query) &&
        rest_->AreBelow(query, hits.back().score)) {
      return;
    }
  }
  asked_ = {.question = Question::Of(++questions_, objective, query),
            .need = need_};
  throw MustAsk();
}

}  // namespace manyarms
