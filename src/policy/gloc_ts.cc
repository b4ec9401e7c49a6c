#include "policy/gloc_ts_kind.h"
#include "policy/thompson.h"

namespace manyarms {

// Apart from what the posterior learns from, it is Thompson sampling.
std::unique_ptr<Questions> PolicyKind<GlocTsOptions>::MakeQuestions(
    const GlocTsOptions& options, const Posterior& posterior) {
  return std::make_unique<ThompsonQuestions>(
      ThompsonOptions{.exploration = options.exploration}, posterior);
}

}  // namespace manyarms
