// Scans: the best arms by any score. blocks-inl.h says why the guard looks as
// it does.
#if defined(MANYARMS_KERNELS_SCAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MANYARMS_KERNELS_SCAN_INL_H_
#undef MANYARMS_KERNELS_SCAN_INL_H_
#else
#define MANYARMS_KERNELS_SCAN_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/blocks-inl.h"
#include "kernels/slot.h"
#include "kernels/top_hits.h"
#include "manyarms/types.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {

// The best arm so far, with the same interface as TopHits.
class BestHit {
 public:
  explicit BestHit(float bar = kNoBar) : best_{kNoSlot, bar} {}

  float bar() const { return best_.score; }
  const Hit& best() const { return best_; }

  void Offer(const BlockTable& table, const MaskedBlock& masked,
             const float* scores) {
    for (std::uint32_t lanes = masked.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane =
          static_cast<std::uint32_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(lanes));
      if (!(scores[lane] >= best_.score)) continue;  // lower, or NaN
      const Slot slot = masked.block * kLanes + lane;
      const ArmId id = table.Id(slot);
      if (best_.slot == kNoSlot || scores[lane] > best_.score || id < id_) {
        best_ = {slot, scores[lane]};
        id_ = id;
      }
    }
  }

 private:
  Hit best_;
  ArmId id_ = 0;
};

// Offers all arms that reach its bar to `hits`, in one pass. Beside its scores
// a block costs one comparison, unless one of them reaches the bar. For the
// best arm alone that happens O(log K) times when arms are in random order.
template <class Score, class Hits>
HWY_INLINE void Scan(const BlockTable& table,
                     std::span<const MaskedBlock> blocks, const Score& score,
                     Hits& hits) {
  constexpr std::size_t kAhead = 32;
  for (const MaskedBlock& masked : blocks) {
    // The list of blocks is a second stream, too slow for the processor to
    // foresee, and addresses wait for it.
    __builtin_prefetch(&masked + kAhead);
    const Whole scores = score(table.Features(masked.block));
    if (HWY_LIKELY(!AnyReaches(scores, hits.bar()))) continue;
    HWY_ALIGN float values[kLanes];
    Store(scores, values);
    hits.Offer(table, masked, values);
  }
}

// The kernels by one kind of score, which is constructed from `query`. A file
// that exports some of them gives them names such as kBest, because HWY_EXPORT
// takes a name without template arguments.

template <class Score, class... Query>
Hit Best(const BlockTable& table, std::span<const MaskedBlock> blocks,
         Query... query, float bar) {
  BestHit hit(bar);
  Scan(table, blocks, Score(query...), hit);
  return hit.best();
}

template <class Score, class... Query>
void Top(const BlockTable& table, std::span<const MaskedBlock> blocks,
         Query... query, TopHits& top) {
  Scan(table, blocks, Score(query...), top);
}

template <class Score, class... Query>
void BestOfEach(const BlockTable& table, std::span<const MaskedBlock> blocks,
                Query... query, std::span<Hit> best) {
  const Score score(query...);
  HWY_ALIGN float values[kLanes];
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    MaskedBlock masked = blocks[i];
    const Whole scores = score(table.Features(masked.block));
    Store(scores, values);
    // Only those that share the highest score are looked at one by one: which
    // lane raises the bar cannot be predicted, and every lane would be a
    // branch.
    const float highest = Highest(scores, masked.lanes);
    masked.lanes &= LanesReaching(scores, highest);
    BestHit hit(highest);
    hit.Offer(table, masked, values);
    best[i] = hit.best();
  }
}

}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MANYARMS_KERNELS_SCAN_INL_H_
