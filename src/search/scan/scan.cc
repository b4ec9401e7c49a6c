#include "search/scan/scan.h"

#include "search/scan/kind.h"
#include "search/top_by_scan.h"

namespace manyarms {

std::optional<Hit> ScanFinder::Best(const Query& query) {
  const ArmSet& arms = index_.members().arms();
  if (arms.size() == 0) return std::nullopt;
  stats_.arms_scored += arms.size();
  scorer_.Take(query);
  return scorer_.Best(index_.store().blocks(), arms.blocks());
}

std::vector<Hit> ScanFinder::Top(const Query& query,
                                 const TopRequest& request) {
  scorer_.Take(query);
  ScannedTop top =
      TopByScan(scorer_, index_.store(), index_.members().arms(), request);
  stats_.arms_scored += top.arms;
  return std::move(top.hits);
}

std::unique_ptr<Index> SearchKind<ScanOptions>::Make(
    const ScanOptions& /*options*/, const SearchTask& task,
    const ArmStore& store, Scope scope, std::uint64_t /*seed*/) {
  return std::make_unique<ScanIndex>(task, store, scope);
}

}  // namespace manyarms
