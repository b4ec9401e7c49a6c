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

/// A filter tree over points of the unit sphere. It is a pure function of its
/// shape, its seed and the points in it: directions come from (seed, node),
/// leaves are sorted, and nodes without points do not exist. So the order in
/// which points were inserted and erased does not matter.
///
/// Inserting and erasing visit the same nodes: they take
/// LshPlan::insert_directions inner products and change each leaf that holds
/// the point. A new node also has to draw its directions.
///
/// Thread safety: any number of threads may call const methods while no thread
/// calls a non-const one.
class FilterTree {
 public:
  FilterTree(const TreeShape& shape, std::uint64_t seed);

  /// REQUIRES: the number is not in the tree; the point has shape().dim
  /// coordinates.
  void Insert(PointNumber number, std::span<const float> point);

  /// REQUIRES: the number was inserted with this point.
  void Erase(PointNumber number, std::span<const float> point);

  /// Calls visit(numbers) for each piece of each leaf that the query reaches,
  /// from left to right, until it returns false. Returns the number of inner
  /// products with directions.
  template <class Visit>
  std::uint64_t VisitLeaves(std::span<const float> query, float threshold,
                            const Visit& visit) const {
    std::uint64_t directions = 0;
    Walk(0, 0, query, threshold, visit, directions);
    return directions;
  }

  const TreeShape& shape() const { return shape_; }

  /// The sum of the numbers of points in all leaves. A point in several leaves
  /// counts several times.
  std::size_t entries() const { return entries_; }
  std::size_t bytes() const;

  /// Whether both trees have the same nodes with the same directions, and the
  /// same points in the same leaves.
  friend bool operator==(const FilterTree& one, const FilterTree& other);

 private:
  using Index = std::uint32_t;  // of an inner node or a leaf
  static constexpr Index kNone = ~Index{0};

  struct Inner {
    // Index of the node's random stream: 0 for the root, and
    // name * branching + c + 1 for child c.
    std::uint64_t name = 0;
    std::size_t children = 0;
    std::vector<Index> child;  // inner nodes, or leaves on the last level
    // Blocks of kLanes children; a block has coordinate j of lane l at
    // [j * kLanes + l].
    std::vector<float, LargeAllocator<float>> directions;
  };
  using Leaf = SortedNumbers;

  bool ChildrenAreLeaves(std::size_t level) const {
    return level + 1 == shape_.depth;
  }

  // Calls visit(c) for each child whose direction's inner product with the
  // vector is at least `threshold`, until it returns false.
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
    // inner_[at] is looked up in each round because a visit may reallocate
    // inner_.
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

// Returns false if the visitor returned false.
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
