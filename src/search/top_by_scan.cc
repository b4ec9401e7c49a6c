#include "search/top_by_scan.h"

namespace manyarms {

std::vector<MaskedBlock> Common(const ArmSet& arms, const ArmSet* among) {
  if (among == nullptr) return {arms.blocks().begin(), arms.blocks().end()};
  // The loop is over the shorter list, so that few eligible arms cost little.
  const bool arms_shorter = arms.blocks().size() < among->blocks().size();
  const ArmSet& shorter = arms_shorter ? arms : *among;
  const ArmSet& longer = arms_shorter ? *among : arms;
  std::vector<MaskedBlock> common;
  common.reserve(shorter.blocks().size());
  for (const MaskedBlock& masked : shorter.blocks()) {
    const std::uint32_t lanes = masked.lanes & longer.lanes(masked.block);
    if (lanes != 0) common.push_back({masked.block, lanes});
  }
  return common;
}

ScannedTop TopByScan(const Scorer& scorer, const ArmStore& store,
                     const ArmSet& arms, const TopRequest& request) {
  const std::vector<MaskedBlock> blocks = Common(arms, request.among);
  kernels::TopHits top(request.count);
  scorer.Top(store.blocks(), blocks, top);
  return {top.Sorted(), CountArms(blocks), blocks.size()};
}

}  // namespace manyarms
