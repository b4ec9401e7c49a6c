#ifndef MANYARMS_POLICY_HEAP_AUGMENTED_ARM_SET_H_
#define MANYARMS_POLICY_HEAP_AUGMENTED_ARM_SET_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "policy/indexed_heap.h"
#include "search/search.h"

namespace manyarms {

/// Algorithm 2, Psi_s: the arms of one stage, with a search for the most
/// uncertain one and a min-heap on an upper bound of each arm's reward.
class HeapAugmentedArmSet {
 public:
  using Entry = IndexedHeap<std::less<>>::Entry;

  /// REQUIRES: the index is empty and its scope is a set of its own.
  HeapAugmentedArmSet(std::unique_ptr<Index> index,
                      std::vector<std::uint32_t>& places)
      : index_(std::move(index)),
        finder_(index_->MakeFinder()),
        heap_(places) {}

  /// Lines 5 to 8, for several arms at once.
  void Add(std::span<const Entry> arms);

  /// Lines 9 to 14: removes every arm whose upper bound is below the threshold,
  /// and returns these arms.
  std::vector<Entry> Eliminate(float threshold);

  /// Lines 15 to 18: the arm that the finder finds most uncertain, if it is as
  /// uncertain as the index's task asks for.
  std::optional<Hit> Query(const manyarms::Query& query);

  void Remove(Slot slot);

  /// Empties the set and returns what was in it.
  std::vector<Slot> Drain();

  const IndexedHeap<std::less<>>& arms() const { return heap_; }
  bool empty() const { return heap_.empty(); }
  SearchStats stats() const { return finder_->stats(); }

 private:
  std::unique_ptr<Index> index_;
  std::unique_ptr<Finder> finder_;
  IndexedHeap<std::less<>> heap_;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_HEAP_AUGMENTED_ARM_SET_H_
