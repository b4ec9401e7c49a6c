#include "policy/thompson.h"

#include "policy/exploration.h"
#include "policy/thompson_kind.h"

namespace manyarms {

// Line 2: beta(delta / 4T).
ThompsonQuestions::ThompsonQuestions(const ThompsonOptions& options,
                                     const Posterior& posterior)
    : exploration_(ExplorationValue(
          options.exploration, posterior,
          [](const TheoryRadius& theory) {
            return theory.delta / (4 * static_cast<double>(theory.horizon));
          })),
      xi_(posterior.dim()) {}

// Lines 7 to 9.
Query ThompsonQuestions::Ask(const Turn& turn) {
  RandomStream(turn.seed, turn.role, turn.draw).Gaussians(xi_);
  theta_ = turn.posterior.Sample(exploration_, xi_);
  return {.belief = &turn.posterior, .direction = &theta_};
}

std::unique_ptr<Questions> PolicyKind<ThompsonOptions>::MakeQuestions(
    const ThompsonOptions& options, const Posterior& posterior) {
  return std::make_unique<ThompsonQuestions>(options, posterior);
}

}  // namespace manyarms
