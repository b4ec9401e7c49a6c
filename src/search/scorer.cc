#include "search/scorer.h"

namespace manyarms {

void Scorer::Take(const Query& query) {
  if (objective_ != Objective::kQuadraticForm) {
    direction_.assign(query.direction->begin(), query.direction->end());
  }
  if (objective_ != Objective::kInnerProduct) {
    factor_.Pack(query.factor->data(),
                 static_cast<std::size_t>(query.factor->rows()),
                 query.exploration);
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
    case Objective::kQuadraticOptimism:
      return kernels::BestQuadraticOptimism(table, blocks, direction_, factor_,
                                            bar);
  }
  return {};
}

void Scorer::Top(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 kernels::TopHits& top) const {
  switch (objective_) {
    case Objective::kInnerProduct:
      kernels::TopInnerProduct(table, blocks, direction_, top);
      break;
    case Objective::kQuadraticForm:
      kernels::TopQuadraticForm(table, blocks, factor_, top);
      break;
    case Objective::kOptimism:
      kernels::TopOptimism(table, blocks, direction_, factor_, top);
      break;
    case Objective::kQuadraticOptimism:
      kernels::TopQuadraticOptimism(table, blocks, direction_, factor_, top);
      break;
  }
}

Hit Better(const ArmStore& store, const Hit& one, const Hit& other) {
  if (other.slot == kNoSlot) return one;
  if (one.slot == kNoSlot) return other;
  if (one.score != other.score) return one.score > other.score ? one : other;
  return store.id(one.slot) < store.id(other.slot) ? one : other;
}

}  // namespace manyarms
