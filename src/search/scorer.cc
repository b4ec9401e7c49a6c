#include "search/scorer.h"

namespace manyarms {

Scorer::Scorer(Objective objective, const Query& query)
    : objective_(objective) {
  if (objective != Objective::kQuadraticForm) {
    direction_.assign(query.direction->begin(), query.direction->end());
  }
  if (objective != Objective::kInnerProduct) {
    factor_.emplace(query.factor->data(),
                    static_cast<std::size_t>(query.factor->rows()));
  }
}

Hit Scorer::Best(const BlockTable& table,
                 std::span<const MaskedBlock> blocks) const {
  switch (objective_) {
    case Objective::kInnerProduct:
      return kernels::BestInnerProduct(table, blocks, direction_);
    case Objective::kQuadraticForm:
      return kernels::BestQuadraticForm(table, blocks, *factor_);
    case Objective::kOptimism:
      return kernels::BestOptimism(table, blocks, direction_, *factor_);
  }
  return {};
}

}  // namespace manyarms
