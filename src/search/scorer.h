#ifndef MANYARMS_SEARCH_SCORER_H_
#define MANYARMS_SEARCH_SCORER_H_

#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "search/search.h"

namespace manyarms {

/// A query as the kernels need it: in float, and packed. An arm's score depends
/// on the query and the arm alone, to the last bit.
class Scorer {
 public:
  explicit Scorer(Objective objective) : objective_(objective) {}

  Scorer(Objective objective, const Query& query) : Scorer(objective) {
    Take(query);
  }

  /// REQUIRES: the query has what the objective needs.
  void Take(const Query& query);

  /// The best of the given arms; no slot if none has a score of at least `bar`.
  Hit Best(const BlockTable& table, std::span<const MaskedBlock> blocks,
           float bar = kernels::kNoBar) const;

  /// Offers to `top` those of the given arms that reach its threshold.
  /// REQUIRES: none is given twice.
  void Top(const BlockTable& table, std::span<const MaskedBlock> blocks,
           kernels::TopHits& top) const;

  /// The query's direction, as the kernels see it.
  std::span<const float> direction() const { return direction_; }

  std::size_t memory_bytes() const {
    return direction_.capacity() * sizeof(float) + factor_.memory_bytes();
  }

 private:
  Objective objective_;
  std::vector<float> direction_;
  kernels::PackedFactor factor_;
};

/// The better of two hits in one catalogue; equal scores go to the smaller id.
Hit Better(const ArmStore& store, const Hit& one, const Hit& other);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SCORER_H_
