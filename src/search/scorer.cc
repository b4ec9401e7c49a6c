#include "search/scorer.h"

namespace manyarms {

void Scorer::Take(const Query& query) {
  if (objective_ != Objective::kQuadraticForm) {
    direction_.assign(query.direction->begin(), query.direction->end());
  }
  if (objective_ != Objective::kInnerProduct) {
    factor_.Pack(query.factor->data(),
                 static_cast<std::size_t>(query.factor->rows()));
  }
}

Hit Scorer::Best(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 float bar) const {
  switch (objective_) {
    case Objective::kInnerProduct:
      return kernels::BestInnerProduct(table, blocks, direction_, bar);
    case Objective::kQuadraticForm:
      return kernels::BestQuadraticForm(table, blocks, factor_, bar);
    case Objective::kOptimism:
      return kernels::BestOptimism(table, blocks, direction_, factor_, bar);
  }
  return {};
}

}  // namespace manyarms
