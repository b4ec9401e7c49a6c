#include "search/scan.h"

namespace manyarms {

void ScanSearch::Add(std::span<const Slot> slots) {
  for (const Slot slot : slots) arms_.Add(slot);
}

std::optional<Hit> ScanSearch::Best(const Query& query) {
  if (arms_.size() == 0) return std::nullopt;
  stats_.arms_scored += arms_.size();
  scorer_.Take(query);
  return scorer_.Best(catalogue_.blocks(), arms_.blocks());
}

}  // namespace manyarms
