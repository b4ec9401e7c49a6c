#ifndef MANYARMS_LSH_FILTER_TREE_H_
#define MANYARMS_LSH_FILTER_TREE_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_allocator.h"
#include "kernels/blocks.h"
#include "kernels/kernels.h"
#include "lsh/sorted_numbers.h"
#include "manyarms/research/filter_tree_plan.h"

namespace manyarms::lsh {

/// A filter tree over points of the unit sphere. What it consists of is a pure
/// function of shape, seed and the points that are in it: directions come from
/// (seed, node), leaves are sorted, and nodes without points are not there. So
/// it does not matter in which order points came and went.
///
/// Inserting and erasing take the same walk: LshPlan::insert_directions inner
/// products, and a change of each leaf's list that the point is in; a node that
/// is not there yet costs drawing its directions.
///
/// Thread safety: const methods may be called at the same time.
class FilterTree {
 public:
  FilterTree(const TreeShape& shape, std::uint64_t seed);

  /// REQUIRES: the number is not in the tree; the point has shape().dim
  /// coordinates.
  void Insert(PointNumber number, std::span<const float> point);

  /// REQUIRES: the number is in the tree, and this is its point.
  void Erase(PointNumber number, std::span<const float> point);

  /// Calls visit(numbers) for each leaf that the query reaches, from left to
  /// right and piece by piece, until it returns false. Returns the inner
  /// products with directions that this took.
  template <class Visit>
  std::uint64_t VisitLeaves(std::span<const float> query, float threshold,
                            const Visit& visit) const {
    std::uint64_t directions = 0;
    Walk(0, 0, query, threshold, visit, directions);
    return directions;
  }

  const TreeShape& shape() const { return shape_; }

  /// Points in leaves, each as often as it is in one.
  std::size_t entries() const { return entries_; }
  std::size_t bytes() const;

  /// Whether both consist of the same nodes with the same directions and the
  /// same points in the same leaves.
  friend bool operator==(const FilterTree& one, const FilterTree& other);

 private:
  using Index = std::uint32_t;  // of an inner node or a leaf
  static constexpr Index kNone = ~Index{0};

  struct Inner {
    std::uint64_t name = 0;  // the root's is 0, that of a child below
    std::size_t children = 0;
    std::vector<Index> child;  // inner nodes, or leaves on the last level
    // In blocks of kLanes children; coordinate j of lane l at [j * kLanes + l].
    std::vector<float, LargeAllocator<float>> directions;
  };
  using Leaf = SortedNumbers;

  bool ChildrenAreLeaves(std::size_t level) const {
    return level + 1 == shape_.depth;
  }

  // Calls visit(c) for the children whose direction has an inner product of at
  // least `threshold` with the vector, until it returns false.
  template <class Visit>
  bool ForEachChildReached(Index at, std::span<const float> vector,
                           float threshold, const Visit& visit) const;

  Index NewInner(std::uint64_t name);
  Index NewLeaf();
  void DropInner(Index at);
  void DropLeaf(Index at);
  bool InsertBelow(Index at, std::size_t level, PointNumber number,
                   std::span<const float> point);
  bool EraseBelow(Index at, std::size_t level, PointNumber number,
                  std::span<const float> point);
  template <class Visit>
  bool Walk(Index at, std::size_t level, std::span<const float> query,
            float threshold, const Visit& visit,
            std::uint64_t& directions) const;
  bool SameBelow(Index at, const FilterTree& other, Index other_at,
                 std::size_t level) const;

  const TreeShape shape_;
  const std::uint64_t seed_;
  std::vector<Inner> inner_;
  std::vector<Leaf> leaves_;
  std::vector<Index> free_inner_;
  std::vector<Index> free_leaves_;
  std::size_t entries_ = 0;
};

template <class Visit>
bool FilterTree::ForEachChildReached(Index at, std::span<const float> vector,
                                     float threshold,
                                     const Visit& visit) const {
  constexpr std::size_t kGroup = kernels::kDirectionGroup;
  for (std::size_t first = 0; first < shape_.branching; first += kGroup) {
    const std::size_t count = std::min(kGroup, shape_.branching - first);
    // Looked up anew each time: visits may move the nodes.
    std::uint64_t reached = kernels::DirectionsReached(
        inner_[at].directions.data() + first * shape_.dim, count, vector,
        threshold);
    for (; reached != 0; reached &= reached - 1) {
      if (!visit(first + static_cast<std::size_t>(std::countr_zero(reached)))) {
        return false;
      }
    }
  }
  return true;
}

// Returns false when the visitor wants no more.
template <class Visit>
bool FilterTree::Walk(Index at, std::size_t level, std::span<const float> query,
                      float threshold, const Visit& visit,
                      std::uint64_t& directions) const {
  if (level == shape_.depth) return leaves_[at].VisitPieces(visit);
  directions += shape_.branching;
  return ForEachChildReached(at, query, threshold, [&](std::size_t c) {
    const Index child = inner_[at].child[c];
    return child == kNone ||
           Walk(child, level + 1, query, threshold, visit, directions);
  });
}

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_FILTER_TREE_H_
