#include "policy/ucb.h"

#include "policy/exploration.h"
#include "policy/ucb_kind.h"

namespace manyarms {

UcbQuestions::UcbQuestions(const UcbOptions& options,
                           const Posterior& posterior)
    : exploration_(ExplorationValue(
          options.exploration, posterior,
          [](const TheoryRadius& theory) { return theory.delta; })) {}

Query UcbQuestions::Ask(const Turn& turn) {
  mean_ = turn.posterior.Mean();
  return {.belief = &turn.posterior,
          .direction = &mean_,
          .factor = &turn.posterior.Inverse(),
          .exploration = exploration_};
}

std::unique_ptr<Questions> PolicyKind<UcbOptions>::MakeQuestions(
    const UcbOptions& options, const Posterior& posterior) {
  return std::make_unique<UcbQuestions>(options, posterior);
}

}  // namespace manyarms
