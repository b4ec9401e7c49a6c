#include "lsh/filter_tree.h"

#include <algorithm>

#include "manyarms/random.h"

namespace manyarms::lsh {

FilterTree::FilterTree(const TreeShape& shape, std::uint64_t seed)
    : shape_(shape), seed_(seed) {
  // The root always exists; without points it has no children.
  if (shape_.depth == 0) {
    NewLeaf();
  } else {
    NewInner(0);
  }
}

FilterTree::Index FilterTree::NewInner(std::uint64_t name) {
  auto index = static_cast<Index>(inner_.size());
  if (free_inner_.empty()) {
    inner_.emplace_back();
  } else {
    index = free_inner_.back();
    free_inner_.pop_back();
  }
  Inner& node = inner_[index];
  node.name = name;
  node.child.assign(shape_.branching, kNone);
  const std::size_t blocks = (shape_.branching + kLanes - 1) / kLanes;
  node.directions.assign(blocks * shape_.dim * kLanes, 0.0F);
  std::vector<float> direction(shape_.dim);
  RandomStream random(seed_, RandomStream::Role::kFilter, name);
  for (std::size_t c = 0; c < shape_.branching; ++c) {
    random.Gaussians(direction);
    float* out =
        node.directions.data() + c / kLanes * shape_.dim * kLanes + c % kLanes;
    for (const float value : direction) {
      *out = value;
      out += kLanes;
    }
  }
  return index;
}

FilterTree::Index FilterTree::NewLeaf() {
  if (free_leaves_.empty()) {
    leaves_.emplace_back();
    return static_cast<Index>(leaves_.size() - 1);
  }
  const Index index = free_leaves_.back();
  free_leaves_.pop_back();
  return index;
}

void FilterTree::DropInner(Index at) {
  inner_[at] = Inner();
  free_inner_.push_back(at);
}

void FilterTree::DropLeaf(Index at) {
  leaves_[at] = Leaf();
  free_leaves_.push_back(at);
}

void FilterTree::Insert(PointNumber number, std::span<const float> point) {
  InsertBelow(0, 0, number, point);
}

void FilterTree::Erase(PointNumber number, std::span<const float> point) {
  EraseBelow(0, 0, number, point);
}

// Returns whether the point reached a leaf below this node.
bool FilterTree::InsertBelow(Index at, std::size_t level, PointNumber number,
                             std::span<const float> point) {
  if (level == shape_.depth) {
    leaves_[at].Insert(number);
    ++entries_;
    return true;
  }
  const auto threshold = static_cast<float>(shape_.point_threshold);
  bool arrived = false;
  ForEachChildReached(at, point, threshold, [&](std::size_t c) {
    Index child = inner_[at].child[c];
    const bool fresh = child == kNone;
    if (fresh) {
      child = ChildrenAreLeaves(level)
                  ? NewLeaf()
                  : NewInner(inner_[at].name * shape_.branching + c + 1);
    }
    const bool below = InsertBelow(child, level + 1, number, point);
    arrived |= below;
    if (fresh && below) {
      inner_[at].child[c] = child;
      ++inner_[at].children;
    } else if (fresh) {
      DropInner(child);
    }
    return true;
  });
  return arrived;
}

// Returns whether no points are left below this node.
bool FilterTree::EraseBelow(Index at, std::size_t level, PointNumber number,
                            std::span<const float> point) {
  if (level == shape_.depth) {
    leaves_[at].Erase(number);
    --entries_;
    return leaves_[at].empty();
  }
  const auto threshold = static_cast<float>(shape_.point_threshold);
  ForEachChildReached(at, point, threshold, [&](std::size_t c) {
    const Index child = inner_[at].child[c];
    // The point passes this child's filter but none on some level below, so
    // Insert made no node for it.
    if (child == kNone) return true;
    if (!EraseBelow(child, level + 1, number, point)) return true;
    inner_[at].child[c] = kNone;
    --inner_[at].children;
    ChildrenAreLeaves(level) ? DropLeaf(child) : DropInner(child);
    return true;
  });
  return inner_[at].children == 0;
}

std::size_t FilterTree::bytes() const {
  std::size_t sum =
      inner_.capacity() * sizeof(Inner) + leaves_.capacity() * sizeof(Leaf) +
      (free_inner_.capacity() + free_leaves_.capacity()) * sizeof(Index);
  for (const Inner& node : inner_) {
    sum += node.child.capacity() * sizeof(Index) +
           node.directions.capacity() * sizeof(float);
  }
  for (const Leaf& leaf : leaves_) sum += leaf.bytes();
  return sum;
}

bool FilterTree::SameBelow(Index at, const FilterTree& other, Index other_at,
                           std::size_t level) const {
  if (level == shape_.depth) return leaves_[at] == other.leaves_[other_at];
  const Inner& one = inner_[at];
  const Inner& two = other.inner_[other_at];
  if (one.name != two.name || one.children != two.children ||
      one.directions != two.directions) {
    return false;
  }
  for (std::size_t c = 0; c < shape_.branching; ++c) {
    const bool here = one.child[c] != kNone;
    if (here != (two.child[c] != kNone)) return false;
    if (here && !SameBelow(one.child[c], other, two.child[c], level + 1)) {
      return false;
    }
  }
  return true;
}

bool operator==(const FilterTree& one, const FilterTree& other) {
  return one.shape_ == other.shape_ && one.seed_ == other.seed_ &&
         one.entries_ == other.entries_ && one.SameBelow(0, other, 0, 0);
}

}  // namespace manyarms::lsh
