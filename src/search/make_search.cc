#include "search/certified/certified.h"
#include "search/certified/checked.h"
#include "search/certified/lazy_form.h"
#include "search/hnsw/hnsw.h"
#include "search/kinds.h"
#include "search/lsh/lsh.h"
#include "search/lsh_theory/lsh_theory.h"
#include "search/scan/scan.h"
#include "search/search.h"

namespace manyarms {
namespace {

std::unique_ptr<Search> Make(const CertifiedOptions& options,
                             const SearchTask& task, const ArmStore& store,
                             const Posterior& posterior, std::uint64_t) {
  const Objective objective = task.objective;
  std::unique_ptr<Search> search;
  if (objective == Objective::kQuadraticForm) {
    search = std::make_unique<LazyFormSearch>(store, posterior);
  } else {
    search = std::make_unique<CertifiedSearch>(options.background, objective,
                                               store, posterior);
  }
  if (options.check_every == 0) return search;
  return std::make_unique<CheckedSearch>(std::move(search), options.check_every,
                                         objective, store);
}

std::unique_ptr<Search> Make(const ScanOptions&, const SearchTask& task,
                             const ArmStore& store, const Posterior&,
                             std::uint64_t) {
  return std::make_unique<ScanSearch>(task.objective, store);
}

std::unique_ptr<Search> Make(const HnswOptions& options, const SearchTask& task,
                             const ArmStore& store, const Posterior&,
                             std::uint64_t seed) {
  return std::make_unique<HnswSearch>(options, task.objective, store, seed);
}

std::unique_ptr<Search> Make(const LshOptions& options, const SearchTask& task,
                             const ArmStore& store, const Posterior&,
                             std::uint64_t seed) {
  return std::make_unique<LshSearch>(options, task, store, seed);
}

std::unique_ptr<Search> Make(const LshTheoryOptions& options,
                             const SearchTask& task, const ArmStore& store,
                             const Posterior&, std::uint64_t seed) {
  return std::make_unique<LshTheorySearch>(options, task, store, seed);
}

}  // namespace

bool JudgesItself(const SearchOptions& options) {
  return std::holds_alternative<LshTheoryOptions>(options);
}

std::unique_ptr<Search> MakeSearch(const SearchOptions& options,
                                   const SearchTask& task,
                                   const ArmStore& store,
                                   const Posterior& posterior,
                                   std::uint64_t seed) {
  CheckSearch(options, task.objective, store.dim());
  return std::visit(
      [&](const auto& chosen) {
        return Make(chosen, task, store, posterior, seed);
      },
      options);
}

}  // namespace manyarms
