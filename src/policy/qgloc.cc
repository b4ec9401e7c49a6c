#include "policy/qgloc.h"

#include <algorithm>
#include <cmath>

#include "policy/exploration.h"
#include "policy/qgloc_kind.h"

namespace manyarms {
namespace {

// A larger multiple of squared widths could make scores infinite in float.
constexpr double kMostPerSquare = 1e12;

}  // namespace

QglocQuestions::QglocQuestions(const QglocOptions& options,
                               const Posterior& posterior)
    : exploration_(ExplorationValue(
          options.exploration, posterior,
          [](const TheoryRadius& theory) { return theory.delta; })),
      shortest_(options.shortest) {}

Query QglocQuestions::Ask(const Turn& turn) {
  mean_ = turn.posterior.Mean();
  const double least_width =
      shortest_ / std::sqrt(turn.posterior.LargestPrecision());
  const double per_square = std::sqrt(exploration_) / (4 * least_width);
  return {.belief = &turn.posterior,
          .direction = &mean_,
          .factor = &turn.posterior.Inverse(),
          .exploration = std::sqrt(std::min(per_square, kMostPerSquare))};
}

std::unique_ptr<Questions> PolicyKind<QglocOptions>::MakeQuestions(
    const QglocOptions& options, const Posterior& posterior) {
  return std::make_unique<QglocQuestions>(options, posterior);
}

}  // namespace manyarms
