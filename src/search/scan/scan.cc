#include "search/scan/scan.h"

#include "search/top_by_scan.h"

namespace manyarms {

void ScanSearch::Add(std::span<const Slot> slots) {
  for (const Slot slot : slots) arms_.Add(slot);
}

std::optional<Hit> ScanSearch::Best(const Query& query) {
  if (arms_.size() == 0) return std::nullopt;
  stats_.arms_scored += arms_.size();
  scorer_.Take(query);
  return scorer_.Best(store_.blocks(), arms_.blocks());
}

std::vector<Hit> ScanSearch::Top(const Query& query,
                                 const TopRequest& request) {
  scorer_.Take(query);
  ScannedTop top = TopByScan(scorer_, store_, arms_, request);
  stats_.arms_scored += top.arms;
  return std::move(top.hits);
}

}  // namespace manyarms
