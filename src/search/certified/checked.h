#ifndef MANYARMS_SEARCH_CHECKED_H_
#define MANYARMS_SEARCH_CHECKED_H_

#include <memory>

#include "search/scan/scan.h"
#include "search/search.h"

namespace manyarms {

/// Holds every n-th answer of an exact search against a scan's.
class CheckedSearch final : public Search {
 public:
  /// REQUIRES: `search` is empty, `every` is positive.
  CheckedSearch(std::unique_ptr<Search> search, std::uint64_t every,
                Objective objective, const ArmStore& store)
      : search_(std::move(search)),
        every_(every),
        store_(store),
        scan_(objective, store) {}

  void Add(std::span<const Slot> slots) override;
  void Remove(Slot slot) override;
  void Clear() override;
  std::size_t size() const override { return search_->size(); }
  SearchStats stats() const override;

  /// These throw Error(kWrongAnswer) where they differ.
  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;

 private:
  void Compare(const Hit& answer, const Hit& scanned) const;

  const std::unique_ptr<Search> search_;
  const std::uint64_t every_;
  const ArmStore& store_;
  ScanSearch scan_;
  std::uint64_t answers_ = 0;
  std::uint64_t checks_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CHECKED_H_
