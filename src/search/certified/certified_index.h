#ifndef MANYARMS_SEARCH_CERTIFIED_CERTIFIED_INDEX_H_
#define MANYARMS_SEARCH_CERTIFIED_CERTIFIED_INDEX_H_

#include "search/search.h"

namespace manyarms {

/// Certified search needs to know only which arms there are and which have
/// changed, so its index holds nothing else.
class CertifiedIndex final : public Index {
 public:
  CertifiedIndex(const CertifiedOptions& options, const SearchTask& task,
                 const ArmStore& store, Scope scope)
      : Index(task, store, scope), options_(options) {}

  std::unique_ptr<Finder> MakeFinder() override { return Make(true); }

  /// REQUIRES: the objective is not kQuadraticForm.
  std::unique_ptr<Finder> MakeSharedFinder() override { return Make(false); }
  bool own_finders_pay() const override { return true; }

 private:
  std::unique_ptr<Finder> Make(bool one_asker);

  const CertifiedOptions options_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_CERTIFIED_INDEX_H_
