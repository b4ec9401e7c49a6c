#include "lsh/filter_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "lsh/point_table.h"
#include "testing.h"

namespace manyarms::lsh {
namespace {

using Leaf = std::vector<PointNumber>;

std::vector<float> UnitVector(std::size_t dim, std::uint64_t index) {
  std::vector<float> v(dim);
  RandomStream(5, RandomStream::Role::kArm, index).Gaussians(v);
  const auto length = static_cast<float>(Length(v));
  for (float& value : v) value /= length;
  return v;
}

// The slow twin: it stores each leaf under the path down to it, tries all
// branching^depth paths, and draws directions anew each time.
class ObviousTree {
 public:
  ObviousTree(const TreeShape& shape, std::uint64_t seed)
      : shape_(shape), seed_(seed) {}

  void Insert(PointNumber number, std::span<const float> point) {
    for (const Way& way : Reached(point, shape_.point_threshold)) {
      leaves_[way].insert(number);
    }
  }
  void Erase(PointNumber number) {
    for (auto& [way, leaf] : leaves_) leaf.erase(number);
    std::erase_if(leaves_,
                  [](const auto& leaf) { return leaf.second.empty(); });
  }

  // The leaves with points that a query reaches, from left to right.
  std::vector<Leaf> Leaves(std::span<const float> query,
                           double threshold) const {
    const std::set<Way> ways = Reached(query, threshold);
    std::vector<Leaf> found;
    for (const auto& [way, leaf] : leaves_) {
      if (ways.contains(way)) found.emplace_back(leaf.begin(), leaf.end());
    }
    return found;
  }

  // The inner products of a query: one for each child of the root and of each
  // node that it reaches, if the node has points below.
  std::uint64_t Directions(std::span<const float> query,
                           double threshold) const {
    std::set<Way> nodes;
    if (shape_.depth > 0) nodes.insert(Way());
    for (const auto& [way, leaf] : leaves_) {
      for (std::size_t length = 1; length < shape_.depth; ++length) {
        const Way part(way.begin(),
                       way.begin() + static_cast<std::ptrdiff_t>(length));
        if (Passes(query, threshold, part)) nodes.insert(part);
      }
    }
    return nodes.size() * shape_.branching;
  }

  std::size_t entries() const {
    std::size_t sum = 0;
    for (const auto& [way, leaf] : leaves_) sum += leaf.size();
    return sum;
  }

 private:
  using Way = std::vector<std::size_t>;  // which child on each level

  bool Passes(std::span<const float> vector, double threshold,
              const Way& way) const {
    std::uint64_t name = 0;
    for (const std::size_t child : way) {
      std::vector<float> direction(shape_.dim);
      RandomStream random(seed_, RandomStream::Role::kFilter, name);
      for (std::size_t c = 0; c <= child; ++c) random.Gaussians(direction);
      if (InnerProduct(direction, vector) < threshold) return false;
      name = name * shape_.branching + child + 1;
    }
    return true;
  }

  std::set<Way> Reached(std::span<const float> vector, double threshold) const {
    std::set<Way> reached = {Way()};
    for (std::size_t level = 0; level < shape_.depth; ++level) {
      std::set<Way> below;
      for (const Way& way : reached) {
        for (std::size_t c = 0; c < shape_.branching; ++c) {
          Way longer = way;
          longer.push_back(c);
          if (Passes(vector, threshold, longer)) below.insert(longer);
        }
      }
      reached = below;
    }
    return reached;
  }

  const TreeShape shape_;
  const std::uint64_t seed_;
  std::map<Way, std::set<PointNumber>> leaves_;
};

std::vector<Leaf> Leaves(const FilterTree& tree, std::span<const float> query,
                         float threshold) {
  std::vector<Leaf> found;
  tree.VisitLeaves(query, threshold, [&](std::span<const PointNumber> leaf) {
    if (!leaf.empty()) found.emplace_back(leaf.begin(), leaf.end());
    return true;
  });
  return found;
}

std::uint64_t Directions(const FilterTree& tree, std::span<const float> query,
                         float threshold) {
  return tree.VisitLeaves(query, threshold,
                          [](std::span<const PointNumber>) { return true; });
}

// Shapes with depths 0 to 3, thresholds of both signs, and branchings just
// below, at and above a block of 16 and a group of 64 directions.
const std::vector<TreeShape>& Shapes() {
  static const std::vector<TreeShape> shapes = {
      {.dim = 3, .depth = 0, .branching = 5, .point_threshold = 0.5},
      {.dim = 1, .depth = 1, .branching = 1, .point_threshold = -0.3},
      {.dim = 5, .depth = 1, .branching = 15, .point_threshold = 0.7},
      {.dim = 4, .depth = 1, .branching = 16, .point_threshold = 1.0},
      {.dim = 7, .depth = 1, .branching = 17, .point_threshold = -0.5},
      {.dim = 6, .depth = 1, .branching = 63, .point_threshold = 1.2},
      {.dim = 6, .depth = 1, .branching = 64, .point_threshold = 1.2},
      {.dim = 3, .depth = 1, .branching = 65, .point_threshold = 0.9},
      {.dim = 17, .depth = 1, .branching = 131, .point_threshold = 1.5},
      {.dim = 4, .depth = 2, .branching = 3, .point_threshold = -0.4},
      {.dim = 5, .depth = 2, .branching = 19, .point_threshold = 1.1},
      {.dim = 3, .depth = 3, .branching = 2, .point_threshold = -1.0},
      {.dim = 3, .depth = 3, .branching = 7, .point_threshold = 0.4},
      // With this threshold many points stop half-way, and some reach no leaf.
      {.dim = 4, .depth = 3, .branching = 5, .point_threshold = 1.1},
  };
  return shapes;
}

std::string Text(const TreeShape& shape) {
  return ::testing::PrintToString(shape.depth) + " levels of " +
         ::testing::PrintToString(shape.branching);
}

TEST(FilterTree, AgreesWithASlowTwinAfterInsertionsAndErasures) {
  for (const TreeShape& shape : Shapes()) {
    SCOPED_TRACE(Text(shape));
    constexpr std::uint64_t kSeed = 9;
    FilterTree tree(shape, kSeed);
    ObviousTree obvious(shape, kSeed);
    const auto expect_equal = [&] {
      ASSERT_EQ(tree.entries(), obvious.entries());
      for (std::uint64_t i = 0; i < 4; ++i) {
        const auto query = UnitVector(shape.dim, 1000 + i);
        for (const float threshold : {-0.6F, 0.2F, 1.1F}) {
          ASSERT_EQ(Leaves(tree, query, threshold),
                    obvious.Leaves(query, threshold));
          ASSERT_EQ(Directions(tree, query, threshold),
                    obvious.Directions(query, threshold));
        }
      }
    };
    for (PointNumber n = 0; n < 24; ++n) {
      tree.Insert(n * 7 % 24, UnitVector(shape.dim, n * 7 % 24));
      obvious.Insert(n * 7 % 24, UnitVector(shape.dim, n * 7 % 24));
    }
    expect_equal();
    for (PointNumber n = 0; n < 24; n += 2) {
      tree.Erase(n, UnitVector(shape.dim, n));
      obvious.Erase(n);
    }
    expect_equal();
    for (PointNumber n = 100; n < 106; ++n) {
      tree.Insert(n, UnitVector(shape.dim, n));
      obvious.Insert(n, UnitVector(shape.dim, n));
    }
    expect_equal();
  }
}

FilterTree Built(const TreeShape& shape, std::uint64_t seed,
                 const std::vector<PointNumber>& numbers) {
  FilterTree tree(shape, seed);
  for (const PointNumber n : numbers) tree.Insert(n, UnitVector(shape.dim, n));
  return tree;
}

RC_GTEST_PROP(FilterTree, EqualsATreeBuiltFromTheRemainingPoints,
              (std::uint64_t seed)) {
  const TreeShape shape = *rc::gen::elementOf(Shapes());
  const auto operations = *rc::gen::container<std::vector<PointNumber>>(
      rc::gen::inRange<PointNumber>(0, 30));
  FilterTree tree(shape, seed);
  std::set<PointNumber> left;
  // An operation inserts a point if the tree does not have it, and erases it
  // if it does.
  for (const PointNumber n : operations) {
    const auto point = UnitVector(shape.dim, n);
    if (left.insert(n).second) {
      tree.Insert(n, point);
    } else {
      tree.Erase(n, point);
      left.erase(n);
    }
  }
  const std::vector<PointNumber> other_order(left.rbegin(), left.rend());
  RC_ASSERT(tree == Built(shape, seed, other_order));
}

TEST(FilterTree, HoldsAnErasedPointInNoLeaf) {
  for (const TreeShape& shape : Shapes()) {
    FilterTree tree = Built(shape, 2, {1, 2, 3, 4, 5, 6, 7, 8});
    tree.Erase(5, UnitVector(shape.dim, 5));
    // With this threshold the query reaches all leaves.
    for (const Leaf& leaf : Leaves(tree, UnitVector(shape.dim, 5), -1e9F)) {
      EXPECT_EQ(std::ranges::count(leaf, 5U), 0) << Text(shape);
    }
  }
}

TEST(FilterTree, IsEmptyAfterAllPointsAreErased) {
  for (const TreeShape& shape : Shapes()) {
    FilterTree tree = Built(shape, 2, {1, 2, 3, 4, 5, 6, 7, 8});
    for (const PointNumber n : {3U, 1U, 8U, 2U, 7U, 4U, 5U, 6U}) {
      tree.Erase(n, UnitVector(shape.dim, n));
    }
    EXPECT_EQ(tree.entries(), 0U);
    EXPECT_TRUE(tree == FilterTree(shape, 2)) << Text(shape);
    const auto query = UnitVector(shape.dim, 1);
    EXPECT_TRUE(Leaves(tree, query, -1e9F).empty());
    // Only the root is left.
    EXPECT_EQ(Directions(tree, query, -1e9F),
              shape.depth == 0 ? 0 : shape.branching);
  }
}

// The tests above rely on this.
TEST(FilterTree, DiffersFromTreesWithOtherPointsShapesOrSeeds) {
  const TreeShape shape{
      .dim = 4, .depth = 2, .branching = 6, .point_threshold = 0.1};
  const FilterTree tree = Built(shape, 3, {1, 2, 3});
  EXPECT_TRUE(tree == Built(shape, 3, {3, 1, 2}));
  EXPECT_FALSE(tree == Built(shape, 3, {1, 2}));
  EXPECT_FALSE(tree == Built(shape, 3, {1, 2, 4}));
  EXPECT_FALSE(tree == Built(shape, 4, {1, 2, 3}));
  for (const TreeShape& other :
       {TreeShape{.dim = 5, .depth = 2, .branching = 6, .point_threshold = 0.1},
        TreeShape{.dim = 4, .depth = 1, .branching = 6, .point_threshold = 0.1},
        TreeShape{.dim = 4, .depth = 2, .branching = 7, .point_threshold = 0.1},
        TreeShape{
            .dim = 4, .depth = 2, .branching = 6, .point_threshold = 0.2}}) {
    EXPECT_FALSE(tree == Built(other, 3, {1, 2, 3}));
  }
  // The number of entries is the same, but one point has another number.
  FilterTree renamed = Built(shape, 3, {1, 2});
  renamed.Insert(9, UnitVector(shape.dim, 3));
  ASSERT_EQ(renamed.entries(), tree.entries());
  EXPECT_FALSE(tree == renamed);
  // The number of entries is the same, but two points have swapped numbers.
  FilterTree swapped = Built(shape, 3, {1});
  swapped.Insert(2, UnitVector(shape.dim, 3));
  swapped.Insert(3, UnitVector(shape.dim, 2));
  ASSERT_EQ(swapped.entries(), tree.entries());
  EXPECT_FALSE(tree == swapped);
}

TEST(FilterTree, StopsWhenTheVisitorReturnsFalse) {
  for (const TreeShape& shape : Shapes()) {
    if (shape.depth == 0) continue;
    const FilterTree tree = Built(shape, 7, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    const auto query = UnitVector(shape.dim, 3);
    const std::size_t leaves = Leaves(tree, query, -1e9F).size();
    const std::uint64_t all = Directions(tree, query, -1e9F);
    for (std::size_t most = 1; most <= leaves; ++most) {
      std::size_t visits = 0;
      const std::uint64_t directions = tree.VisitLeaves(
          query, -1e9F,
          [&](std::span<const PointNumber>) { return ++visits < most; });
      EXPECT_EQ(visits, most);
      EXPECT_LE(directions, all);
    }
  }
}

TEST(FilterTree, FreesTheMemoryOfErasedPoints) {
  const TreeShape shape{
      .dim = 8, .depth = 2, .branching = 20, .point_threshold = 1.0};
  FilterTree tree(shape, 1);
  const auto fill = [&] {
    for (PointNumber n = 0; n < 500; ++n) tree.Insert(n, UnitVector(8, n));
  };
  const std::size_t empty = tree.bytes();
  fill();
  const std::size_t full = tree.bytes();
  EXPECT_GT(full, empty + tree.entries() * sizeof(PointNumber));
  for (int round = 0; round < 5; ++round) {
    for (PointNumber n = 0; n < 500; ++n) tree.Erase(n, UnitVector(8, n));
    EXPECT_LT(tree.bytes(), full / 2);
    fill();
  }
  // Only the lists of free nodes have been added.
  EXPECT_LT(tree.bytes(), full + full / 4);
}

// Most points stop half-way here: Insert makes nodes for them and must drop
// these again.
TEST(FilterTree, KeepsNoNodesOfPointsThatReachNoLeaf) {
  const TreeShape shape{
      .dim = 4, .depth = 3, .branching = 5, .point_threshold = 1.1};
  FilterTree tree(shape, 1);
  const auto come_and_go = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (PointNumber n = 0; n < 50; ++n) tree.Insert(n, UnitVector(4, n));
      for (PointNumber n = 0; n < 50; ++n) tree.Erase(n, UnitVector(4, n));
    }
  };
  come_and_go(2);
  const std::size_t before = tree.bytes();
  come_and_go(20);
  EXPECT_EQ(tree.bytes(), before);
}

// Inserts 10,000 points, then inserts or erases points 100,000 times.
void TestManyChanges(const TreeShape& shape) {
#ifdef __SANITIZE_ADDRESS__
  constexpr int kOperations = 10'000;
  constexpr PointNumber kPoints = 1'000;
#else
  constexpr int kOperations = 100'000;
  constexpr PointNumber kPoints = 10'000;
#endif
  std::vector<std::vector<float>> points;
  points.reserve(std::size_t{2} * kPoints);
  for (PointNumber n = 0; n < 2 * kPoints; ++n) {
    points.push_back(UnitVector(shape.dim, n));
  }
  FilterTree tree(shape, 11);
  std::vector<bool> there(std::size_t{2} * kPoints);
  for (PointNumber n = 0; n < kPoints; ++n) {
    tree.Insert(n, points[n]);
    there[n] = true;
  }
  RandomStream random(12, RandomStream::Role::kChurn, 0);
  for (int i = 0; i < kOperations; ++i) {
    const auto n =
        static_cast<PointNumber>(random.Below(std::uint64_t{2} * kPoints));
    there[n] ? tree.Erase(n, points[n]) : tree.Insert(n, points[n]);
    there[n] = !there[n];
  }
  FilterTree fresh(shape, 11);
  for (PointNumber n = 2 * kPoints; n-- > 0;) {
    if (there[n]) fresh.Insert(n, points[n]);
  }
  EXPECT_TRUE(tree == fresh);
  EXPECT_GT(tree.entries(), kPoints / 2);
}

TEST(FilterTree, EqualsAFreshTreeAfterManyChangesOnOneLevel) {
  TestManyChanges(
      {.dim = 8, .depth = 1, .branching = 100, .point_threshold = 1.5});
}

TEST(FilterTree, EqualsAFreshTreeAfterManyChangesOnTwoLevels) {
  TestManyChanges(
      {.dim = 8, .depth = 2, .branching = 33, .point_threshold = 1.3});
}

}  // namespace
}  // namespace manyarms::lsh
