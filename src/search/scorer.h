#ifndef MANYARMS_SEARCH_SCORER_H_
#define MANYARMS_SEARCH_SCORER_H_

#include <optional>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "manyarms/search.h"

namespace manyarms {

/// A query in the kernels' terms: float, packed. Scores the same arm the same
/// way to the last bit, whoever asks.
class Scorer {
 public:
  /// REQUIRES: the query has what the objective needs.
  Scorer(Objective objective, const Query& query);

  /// The best of the given arms; no slot if there are none.
  Hit Best(const BlockTable& table, std::span<const MaskedBlock> blocks) const;

 private:
  Objective objective_;
  std::vector<float> direction_;
  std::optional<kernels::PackedFactor> factor_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SCORER_H_
