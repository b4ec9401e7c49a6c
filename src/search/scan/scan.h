#ifndef MANYARMS_SEARCH_SCAN_SCAN_H_
#define MANYARMS_SEARCH_SCAN_SCAN_H_

#include "search/scorer.h"
#include "search/search.h"

namespace manyarms {

/// Scores every arm.
class ScanFinder final : public Finder {
 public:
  explicit ScanFinder(const Index& index)
      : index_(index), scorer_(index.task().objective) {}

  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;
  SearchStats stats() const override { return stats_; }
  std::size_t memory_bytes() const override { return sizeof(*this); }

 private:
  const Index& index_;
  Scorer scorer_;
  SearchStats stats_;
};

class ScanIndex final : public Index {
 public:
  ScanIndex(const SearchTask& task, const ArmStore& store, Scope scope)
      : Index(task, store, scope) {}

  std::unique_ptr<Finder> MakeFinder() override {
    return std::make_unique<ScanFinder>(*this);
  }
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SCAN_SCAN_H_
