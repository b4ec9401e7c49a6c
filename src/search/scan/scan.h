#ifndef MANYARMS_SEARCH_SCAN_H_
#define MANYARMS_SEARCH_SCAN_H_

#include "kernels/arm_set.h"
#include "search/scorer.h"
#include "search/search.h"

namespace manyarms {

class ScanSearch final : public Search {
 public:
  ScanSearch(Objective objective, const ArmStore& store)
      : scorer_(objective), store_(store) {}

  void Add(std::span<const Slot> slots) override;
  void Remove(Slot slot) override { arms_.Remove(slot); }
  void Clear() override { arms_.Clear(); }
  std::size_t size() const override { return arms_.size(); }
  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;
  SearchStats stats() const override { return stats_; }

 private:
  Scorer scorer_;
  const ArmStore& store_;
  ArmSet arms_;
  SearchStats stats_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SCAN_H_
