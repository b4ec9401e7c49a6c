#include "kernels/top_hits.h"

#include <algorithm>

namespace manyarms::kernels {
namespace {

bool IsBetter(const TopHits::Entry& one, const TopHits::Entry& other) {
  if (one.hit.score != other.hit.score) {
    return one.hit.score > other.hit.score;
  }
  return one.id < other.id;
}

}  // namespace

void TopHits::Offer(const Hit& hit, ArmId id) {
  if (!(hit.score >= bar())) return;  // lower, or NaN
  const Entry entry{hit, id};
  if (full()) {
    if (!IsBetter(entry, heap_.front())) return;
    std::ranges::pop_heap(heap_, IsBetter);
    heap_.back() = entry;
  } else {
    heap_.push_back(entry);
  }
  std::ranges::push_heap(heap_, IsBetter);
}

void TopHits::Offer(const BlockTable& table, const MaskedBlock& masked,
                    const float* scores) {
  ForEachLane(masked.lanes, [&](std::uint32_t lane) {
    if (!(scores[lane] >= bar())) return;
    const Slot slot = masked.block * kLanes + lane;
    Offer({slot, scores[lane]}, table.Id(slot));
  });
}

std::vector<Hit> TopHits::Sorted() const {
  std::vector<Entry> entries = heap_;
  std::ranges::sort(entries, IsBetter);
  std::vector<Hit> hits;
  hits.reserve(entries.size());
  for (const Entry& entry : entries) hits.push_back(entry.hit);
  return hits;
}

}  // namespace manyarms::kernels
