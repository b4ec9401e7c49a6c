#include <algorithm>
#include <cmath>
#include <limits>

#include "lsh/filter_tree.h"
#include "manyarms/research/filter_tree_plan.h"
#include "testing.h"

namespace manyarms {
namespace {

using lsh::FilterTree;
using lsh::PointNumber;
using testing::ExpectError;

constexpr double kAmpleMemory = 1e13;

// The (c, r)-problem of section 3 for K points of 16 features.
LshPlanRequest Problem(Reduction reduction, double ratio, double sought,
                       std::size_t points) {
  return {.points = points,
          .dim = SphereDim(reduction, 16),
          .near = SphereCosine(reduction, sought),
          .far = {SphereCosine(reduction, ratio * sought)},
          .max_bytes = kAmpleMemory};
}

// A unit vector, and another at this cosine with it.
std::pair<std::vector<float>, std::vector<float>> PairAt(double cosine,
                                                         std::size_t dim) {
  std::vector<float> one(dim, 0.0F);
  std::vector<float> other(dim, 0.0F);
  one[0] = 1;
  other[0] = static_cast<float>(cosine);
  other[1] = static_cast<float>(std::sqrt(1 - cosine * cosine));
  return {one, other};
}

// Averages over trees for one point and one query at a given cosine.
struct Measured {
  double met = 0;      // share of trees in which they have a leaf in common
  double reads = 0;    // leaves in common
  double entries = 0;  // leaves that hold the point
};

Measured Measure(const LshPlan& plan, double cosine, int trees) {
  const auto [point, query] = PairAt(cosine, plan.shape.dim);
  Measured sum;
  for (int seed = 1; seed <= trees; ++seed) {
    FilterTree tree(plan.shape, static_cast<std::uint64_t>(seed));
    tree.Insert(0, point);
    sum.entries += static_cast<double>(tree.entries());
    int leaves = 0;
    tree.VisitLeaves(query, static_cast<float>(plan.query_threshold),
                     [&](std::span<const PointNumber> leaf) {
                       leaves += static_cast<int>(leaf.size());
                       return true;
                     });
    sum.met += leaves > 0 ? 1 : 0;
    sum.reads += leaves;
  }
  sum.met /= trees;
  sum.reads /= trees;
  sum.entries /= trees;
  return sum;
}

// The average number of inner products on the way down with a threshold. The
// trees hold a point that reaches every leaf, so that they have all nodes.
double MeasureDirections(TreeShape shape, double threshold, int trees) {
  const auto [point, query] = PairAt(0, shape.dim);
  shape.point_threshold = -1e9;
  double sum = 0;
  for (int seed = 1; seed <= trees; ++seed) {
    FilterTree tree(shape, static_cast<std::uint64_t>(seed));
    tree.Insert(0, point);
    sum += static_cast<double>(
        tree.VisitLeaves(query, static_cast<float>(threshold),
                         [](std::span<const PointNumber>) { return true; }));
  }
  return sum / trees;
}

#ifdef __SANITIZE_ADDRESS__
constexpr int kTrees = 150;
#else
constexpr int kTrees = 1500;
#endif

// By Hoeffding's inequality a frequency over kTrees trees is off by more than
// this with probability at most 2 exp(-2 * 2.8^2) = 3e-7.
double Margin() { return 2.8 / std::sqrt(kTrees); }

// The trees of these plans are cheap enough to be built a thousand times.
std::vector<LshPlanRequest> SmallRequests() {
  const auto request = [](double near, double success, std::size_t depth) {
    return LshPlanRequest{.points = 500,
                          .dim = 3,
                          .near = near,
                          .far = {0.1},
                          .success = success,
                          .min_depth = depth,
                          .max_depth = depth};
  };
  return {request(0.9, 0.9, 1), request(0.5, 0.7, 1), request(0.8, 0.9, 2),
          request(0.95, 0.6, 3)};
}

TEST(PlanLsh, SucceedsAsOftenAsItPromises) {
  for (const LshPlanRequest& request : SmallRequests()) {
    const LshPlan plan = PlanLsh(request);
    ASSERT_EQ(plan.shape.depth, request.min_depth);
    SCOPED_TRACE(::testing::Message()
                 << plan.shape.depth << " levels of " << plan.shape.branching);
    EXPECT_NEAR(Measure(plan, request.near, kTrees).met, plan.success,
                Margin());
    EXPECT_NEAR(Measure(plan, request.far.front(), kTrees).met,
                plan.candidates / static_cast<double>(request.points),
                Margin());
  }
}

// The mean of n counts has a standard error of their standard deviation over
// sqrt(n), and is more than five standard errors off with probability 6e-7.
// Standard deviations here are at most 1.4 times the means (measured; the
// largest is that of reads on two levels), so the relative margin is
// 5 * 1.4 / sqrt(1500) = 0.18.
TEST(PlanQuery, ExpectsTheCountsThatAreMeasured) {
  const double share = 5 * 1.4 / std::sqrt(kTrees);
  for (const TreeShape& shape :
       {TreeShape{
            .dim = 3, .depth = 1, .branching = 20, .point_threshold = 0.8},
        TreeShape{.dim = 3, .depth = 2, .branching = 8, .point_threshold = 0.4},
        TreeShape{
            .dim = 3, .depth = 3, .branching = 4, .point_threshold = -0.3}}) {
    SCOPED_TRACE(shape.depth);
    constexpr double kFar = 0.4;
    constexpr double kPoints = 1000;
    const LshPlan plan = PlanQuery(
        shape,
        {.points = 1000, .dim = 3, .near = 0.8, .far = {kFar}, .success = 0.7});
    const Measured far = Measure(plan, kFar, kTrees);
    EXPECT_NEAR(far.reads * kPoints / plan.reads, 1, share);
    EXPECT_NEAR(far.met * kPoints / plan.candidates, 1, share);
    EXPECT_NEAR(far.entries / plan.entries, 1, share);
    EXPECT_NEAR(MeasureDirections(shape, plan.query_threshold, kTrees) /
                    plan.directions,
                1, share);
    EXPECT_NEAR(MeasureDirections(shape, shape.point_threshold, kTrees) /
                    plan.insert_directions,
                1, share);
    EXPECT_DOUBLE_EQ(plan.cost, plan.directions + plan.reads);
  }
}

TEST(PlanQuery, WeighsCountsByTheirCosts) {
  const TreeShape shape{
      .dim = 3, .depth = 2, .branching = 8, .point_threshold = 0.4};
  const LshPlan plan = PlanQuery(
      shape, {.costs = {.direction = 0.5, .read = 2, .candidate = 8}});
  EXPECT_DOUBLE_EQ(
      plan.cost, 0.5 * plan.directions + 2 * plan.reads + 8 * plan.candidates);
}

// Each far cosine stands for an equal share of the points.
TEST(PlanQuery, AveragesOverTheFarCosines) {
  const TreeShape shape{
      .dim = 3, .depth = 2, .branching = 8, .point_threshold = 0.4};
  const auto reads = [&](std::vector<double> far) {
    return PlanQuery(shape, {.far = std::move(far)}).reads;
  };
  EXPECT_NEAR(reads({0.1, 0.5, 0.5}), (reads({0.1}) + 2 * reads({0.5})) / 3,
              1e-9);
}

TEST(PlanQuery, KeepsThePromiseForOtherCosines) {
  const LshPlanRequest request =
      Problem(Reduction::kSymmetric, 0.5, 0.8, 10'000);
  const TreeShape shape = PlanLsh(request).shape;
  double last_cost = std::numeric_limits<double>::infinity();
  for (int i = 4; i <= 20; ++i) {
    LshPlanRequest other = request;
    other.near = i / 20.0;
    const LshPlan plan = PlanQuery(shape, other);
    EXPECT_EQ(plan.shape, shape);
    EXPECT_GE(plan.success, request.success - 1e-9) << other.near;
    // The threshold is no lower than needed, and nearer points cost less.
    EXPECT_LT(plan.success, request.success + 1e-3) << other.near;
    EXPECT_LE(plan.cost, last_cost) << other.near;
    last_cost = plan.cost;
  }
}

// If even a query that visits the whole tree finds a point too rarely, the plan
// is to visit the whole tree, and states its probability of success.
TEST(PlanQuery, VisitsTheWholeTreeIfNoThresholdSuffices) {
  const TreeShape shape{
      .dim = 3, .depth = 1, .branching = 2, .point_threshold = 1};
  const LshPlan plan = PlanQuery(shape, {.near = 0.5, .success = 0.9});
  EXPECT_EQ(plan.query_threshold, -std::numeric_limits<double>::infinity());
  const double pass = 0.15865525393145705;  // P(z >= 1)
  EXPECT_NEAR(plan.success, 1 - (1 - pass) * (1 - pass), 1e-12);
  EXPECT_DOUBLE_EQ(plan.directions, 2);
}

TEST(PlanQuery, IsAScanForASingleLeaf) {
  const LshPlan plan = PlanQuery({.dim = 17}, {.points = 77});
  EXPECT_TRUE(plan.is_scan());
  EXPECT_EQ(plan.cost, 77);
  EXPECT_EQ(plan.success, 1);
}

TEST(PlanLsh, NeverPromisesLessThanAsked) {
  for (const double success : {0.05, 0.5, 0.9, 0.999}) {
    for (const double near : {0.3, 0.8, 0.97}) {
      LshPlanRequest request{.points = 20'000, .near = near, .far = {near / 2}};
      request.success = success;
      request.min_depth = 1;
      request.max_depth = 2;
      const LshPlan plan = PlanLsh(request);
      EXPECT_GE(plan.success, success - 1e-9) << near;
      EXPECT_EQ(PlanQuery(plan.shape, request).query_threshold,
                plan.query_threshold);
    }
  }
}

TEST(PlanLsh, CostsNoLessForMorePoints) {
  for (const std::size_t min_depth : {0U, 1U}) {
    double last = 0;
    for (std::size_t points = 100; points < 1'000'000; points *= 4) {
      LshPlanRequest request = Problem(Reduction::kSymmetric, 0.5, 0.9, points);
      request.min_depth = min_depth;
      const double cost = PlanLsh(request).cost;
      EXPECT_GE(cost, last) << points;
      if (min_depth == 0) {
        EXPECT_LE(cost, static_cast<double>(points));
      }
      last = cost;
    }
  }
}

TEST(PlanLsh, PrefersAScanWithThePapersReduction) {
  for (const std::size_t points : {1'000U, 30'000U, 1'000'000U}) {
    const LshPlan plan = PlanLsh(Problem(Reduction::kPaper, 0.5, 0.8, points));
    EXPECT_TRUE(plan.is_scan());
    EXPECT_EQ(plan.cost, static_cast<double>(points));
    EXPECT_EQ(plan.success, 1);
  }
}

TEST(PlanLsh, CostsMuchLessThanAScanWithTheSymmetricReduction) {
  const auto gain = [](double sought, std::size_t points) {
    const LshPlan plan =
        PlanLsh(Problem(Reduction::kSymmetric, 0.5, sought, points));
    return static_cast<double>(points) / plan.cost;
  };
  EXPECT_GE(gain(0.8, 10'000), 1.6);
  EXPECT_GE(gain(0.95, 10'000), 2.6);
  EXPECT_GE(gain(0.8, 1'000'000), 5.9);
  EXPECT_GE(gain(0.95, 1'000'000), 17);
}

// The result is exact to 5 %, the precision of its bisection.
TEST(BreakEvenPoints, IsTheSizeFromWhichTreesAreCheaper) {
  for (const double sought : {0.8, 0.95}) {
    const auto points = BreakEvenPoints(
        Problem(Reduction::kSymmetric, 0.5, sought, 1), 1 << 20);
    ASSERT_TRUE(points.has_value());
    const auto is_scan = [&](double times) {
      return PlanLsh(Problem(Reduction::kSymmetric, 0.5, sought,
                             static_cast<std::size_t>(
                                 times * static_cast<double>(*points))))
          .is_scan();
    };
    for (const double times : {0.5, 0.94}) EXPECT_TRUE(is_scan(times));
    for (const double times : {1.0, 1.1, 4.0}) {
      EXPECT_FALSE(is_scan(times)) << times;
    }
  }
}

TEST(BreakEvenPoints, IsEmptyIfTreesAreNeverCheaper) {
  EXPECT_EQ(BreakEvenPoints(Problem(Reduction::kPaper, 0.5, 0.8, 1), 1'000'000),
            std::nullopt);
}

TEST(PlanLsh, StaysWithinTheMemoryLimit) {
  LshPlanRequest request = Problem(Reduction::kSymmetric, 0.5, 0.95, 100'000);
  const LshPlan free = PlanLsh(request);
  double last = free.cost;
  for (const double share : {3.0, 60.0}) {
    request.max_bytes = free.bytes / share;
    const LshPlan plan = PlanLsh(request);
    EXPECT_LE(plan.bytes, request.max_bytes);
    EXPECT_GE(plan.cost, last);
    last = plan.cost;
  }
  // A scan is planned whatever the memory limit.
  request.max_bytes = 1;
  EXPECT_TRUE(PlanLsh(request).is_scan());
  request.min_depth = 1;
  ExpectError(ErrorCode::kTooLarge, {"depth 1", "100000", "0.95", "1 bytes"},
              [&] { PlanLsh(request); });
}

// A tree may take more than planned because vectors have spare capacity, and
// less because the plan treats nodes as independent, while in few dimensions a
// long direction attracts many points and leaves other nodes empty.
TEST(PlanLsh, PredictsTheMemoryOfATree) {
  for (const std::size_t depth : {1U, 2U}) {
    constexpr std::size_t kPoints = 3000;
    constexpr std::size_t kDim = 8;
    const LshPlan plan = PlanLsh({.points = kPoints,
                                  .dim = kDim,
                                  .near = 0.95,
                                  .far = {0.2},
                                  .min_depth = depth,
                                  .max_depth = depth});
    FilterTree tree(plan.shape, 1);
    const auto rows = testing::GaussianRows(kPoints, kDim, 1);
    for (PointNumber n = 0; n < kPoints; ++n) {
      const auto row = std::span(rows).subspan(n * kDim, kDim);
      std::vector<float> point(row.begin(), row.end());
      double square = 0;
      for (const float v : point) square += static_cast<double>(v) * v;
      for (float& v : point) v /= static_cast<float>(std::sqrt(square));
      tree.Insert(n, point);
    }
    const double ratio = static_cast<double>(tree.bytes()) / plan.bytes;
    EXPECT_GT(ratio, 0.5);
    EXPECT_LT(ratio, 1.3);
  }
}

TEST(PlanLsh, ObeysTheLimitOnTheCostOfAnInsertion) {
  LshPlanRequest request = Problem(Reduction::kSymmetric, 0.5, 0.95, 100'000);
  const LshPlan free = PlanLsh(request);
  ASSERT_GT(free.insert_directions, 1000);
  request.max_insert_directions = 1000;
  const LshPlan limited = PlanLsh(request);
  EXPECT_FALSE(limited.is_scan());
  EXPECT_LE(limited.insert_directions, 1000);
  EXPECT_GT(limited.cost, free.cost);
}

TEST(PlanLsh, RefusesRequestsOutOfBounds) {
  const auto expect = [](const std::vector<std::string>& parts,
                         const LshPlanRequest& request) {
    ExpectError(ErrorCode::kInvalidArgument, parts, [&] { PlanLsh(request); });
  };
  expect({"points is 0", "1"}, {.points = 0});
  expect({"dimension is 0", "1"}, {.dim = 0});
  expect({"near is -0.1", "0"}, {.near = -0.1});
  expect({"near is 1.5", "1"}, {.near = 1.5});
  expect({"near is nan"}, {.near = std::nan("")});
  expect({"far is -2", "-1"}, {.far = {0.1, -2}});
  expect({"far cosines is 0", "1"}, {.far = {}});
  expect({"success is 0", "0.01"}, {.success = 0});
  expect({"success is 1", "0.999999"}, {.success = 1});
  expect({"max depth is 0", "1"}, {.max_depth = 0});
  expect({"max depth is 17", "16"}, {.max_depth = 17});
  expect({"min depth is 4", "3"}, {.min_depth = 4, .max_depth = 3});
}

// rho_q of Proposition 3.2 with c'^2 = (3 - cr) / (3 - r), computed by hand:
// for c = 0.5 and r = 0.8, c'^2 is 2.6/2.2 = 13/11 and rho_q is 4 * 13/11 /
// (24/11)^2 = 572/576.
TEST(PaperExponent, IsThePropositionsFormula) {
  EXPECT_DOUBLE_EQ(PaperExponent(0.5, 0.8), 572.0 / 576.0);
  // Here c'^2 is 2.5/2 and 3/2.
  EXPECT_DOUBLE_EQ(PaperExponent(0.5, 1), 5 / (2.25 * 2.25));
  EXPECT_DOUBLE_EQ(PaperExponent(0, 1), 6 / (2.5 * 2.5));
  for (const double sought : testing::Steps(0.1, 1, 0.1)) {
    EXPECT_DOUBLE_EQ(PaperExponent(1, sought), 1);
    double last = 1;
    for (int tenths = 9; tenths > 0; --tenths) {
      const double exponent = PaperExponent(0.1 * tenths, sought);
      EXPECT_LT(exponent, last);
      last = exponent;
    }
  }
}

TEST(AsymptoticExponent, IsNoWorseThanThePapersForItsCosines) {
  for (const double sought : testing::Steps(0.1, 1, 0.1)) {
    for (const double ratio : testing::Steps(0.05, 1, 0.1)) {
      const double near = SphereCosine(Reduction::kPaper, sought);
      const double far = SphereCosine(Reduction::kPaper, ratio * sought);
      EXPECT_LE(AsymptoticExponent(near, far),
                PaperExponent(ratio, sought) + 1e-12)
          << ratio << " " << sought;
    }
  }
}

// If all other points are orthogonal to the query, as random points nearly are,
// the optimal exponent with nearly linear space is (2 c^2 - 1) / c^4 at
// distance ratio c (Andoni et al. 2017), where c^2 = 2 / (2 - 2 near).
TEST(AsymptoticExponent, IsTheKnownOptimumForRandomPoints) {
  for (const double near : testing::Steps(0.05, 1, 0.1)) {
    const double square = 1 / (1 - near);
    EXPECT_NEAR(AsymptoticExponent(near, 0),
                (2 * square - 1) / (square * square), 1e-12)
        << near;
  }
}

// Whatever the cosines, in particular where what must be found is nearly the
// query itself. Of nearly equal cosines nothing can be told apart.
TEST(AsymptoticExponent, IsFromZeroToOne) {
  for (const double far : {-1.0, -0.5, 0.0, 0.25, 0.5, 0.9}) {
    double before = 1;
    for (const double away : {0.09, 1e-2, 1e-4, 1e-6, 1e-8, 1e-9}) {
      const double exponent = AsymptoticExponent(1 - away, far);
      EXPECT_GE(exponent, 0) << far << ' ' << away;
      EXPECT_LE(exponent, before) << far << ' ' << away;
      before = exponent;
    }
    EXPECT_NEAR(before, (1 + far) / (1 - far) * 2e-9, 1e-14);
  }
  for (const double near : {0.0, 0.5, 1 - 1e-4, 1 - 1e-9}) {
    EXPECT_NEAR(AsymptoticExponent(near, near), 1, 1e-6);
  }
}

TEST(AsymptoticExponent, IsFarBetterForTheSymmetricReduction) {
  for (const double sought : {0.5, 0.8, 0.95}) {
    EXPECT_LT(AsymptoticExponent(sought, sought / 2),
              AsymptoticExponent(SphereCosine(Reduction::kPaper, sought),
                                 SphereCosine(Reduction::kPaper, sought / 2)));
  }
}

}  // namespace
}  // namespace manyarms
