#include "search/kind.h"

#include <fmt/format.h>

namespace manyarms {
namespace {

// With 256 features an arm is lifted to d(d+1)/2 floats, which are 130 KB. A
// larger dimension is probably a mistake.
constexpr std::size_t kMaxFoldedDim = 256;

}  // namespace

std::string RefusalOfProductIndex(std::string_view search,
                                  std::string_view what_answers,
                                  Objective objective, std::size_t dim) {
  if (objective == Objective::kOptimism) {
    return fmt::format(
        "search {} cannot serve policy ucb: {} maximum inner product, and an "
        "upper confidence bound is not one; use search certified",
        search, what_answers);
  }
  if (objective != Objective::kInnerProduct && dim > kMaxFoldedDim) {
    return fmt::format(
        "search {} for policy {} lifts d features to d(d+{})/2; dimension is "
        "{} (negative rewards add one), must be at most {}",
        search, objective == Objective::kQuadraticForm ? "elim" : "qgloc",
        objective == Objective::kQuadraticForm ? 1 : 3, dim, kMaxFoldedDim);
  }
  return "";
}

}  // namespace manyarms
