#ifndef MANYARMS_SEARCH_CERTIFIED_CHECKED_H_
#define MANYARMS_SEARCH_CERTIFIED_CHECKED_H_

#include <memory>

#include "search/scan/scan.h"
#include "search/search.h"

namespace manyarms {

/// Compares every n-th answer of an exact finder with a scan's.
class CheckedFinder final : public Finder {
 public:
  /// REQUIRES: `every` is positive.
  CheckedFinder(std::unique_ptr<Finder> finder, std::uint64_t every,
                const Index& index)
      : finder_(std::move(finder)),
        every_(every),
        index_(index),
        scan_(index) {}

  /// Both throw Error(kWrongAnswer) if an answer differs from the scan's.
  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;

  SearchStats stats() const override;
  std::size_t memory_bytes() const override {
    return sizeof(*this) + finder_->memory_bytes();
  }

 private:
  void Compare(const Hit& answer, const Hit& scanned) const;

  const std::unique_ptr<Finder> finder_;
  const std::uint64_t every_;
  const Index& index_;
  ScanFinder scan_;
  std::uint64_t answers_ = 0;
  std::uint64_t checks_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_CHECKED_H_
