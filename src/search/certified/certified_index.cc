#include "search/certified/certified_index.h"

#include "search/certified/certified_finder.h"
#include "search/certified/checked.h"
#include "search/certified/kind.h"
#include "search/certified/lazy_form.h"
#include "search/certified/survey_threads.h"

namespace manyarms {

std::unique_ptr<Finder> CertifiedIndex::Make(bool one_asker) {
  std::unique_ptr<Finder> finder;
  if (task().objective == Objective::kQuadraticForm) {
    finder = std::make_unique<LazyFormFinder>(*this);
  } else {
    finder = std::make_unique<CertifiedFinder>(
        *this, CertifiedFinder::Limits{.background = options_.background,
                                       .max_bytes = options_.max_bytes,
                                       .first_pass = options_.first_pass,
                                       .one_asker = one_asker});
  }
  if (options_.check_every == 0) return finder;
  return std::make_unique<CheckedFinder>(std::move(finder),
                                         options_.check_every, *this);
}

std::unique_ptr<Index> SearchKind<CertifiedOptions>::Make(
    const CertifiedOptions& options, const SearchTask& task,
    const ArmStore& store, Scope scope, std::uint64_t /*seed*/) {
  if (options.background && task.objective != Objective::kQuadraticForm) {
    SurveyPool::Prepare();
  }
  return std::make_unique<CertifiedIndex>(options, task, store, scope);
}

}  // namespace manyarms
