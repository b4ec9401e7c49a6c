#include "lsh/adaptive_solver.h"

#include <algorithm>
#include <cmath>

#include "no_new_threads.h"
#include "testing.h"

namespace manyarms::lsh {
namespace {

using testing::ExpectError;

constexpr Reduction kReductions[] = {Reduction::kSymmetric, Reduction::kPaper};

std::vector<double> UnitQuery(std::size_t dim, std::uint64_t index) {
  std::vector<double> query(dim);
  RandomStream(3, RandomStream::Role::kTheta, index).Gaussians(query);
  double square = 0;
  for (const double v : query) square += v * v;
  for (double& v : query) v /= std::sqrt(square);
  return query;
}

double Product(std::span<const float> p, std::span<const double> q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * q[i];
  return sum;
}

// A point of this length whose inner product with a unit query is `product`.
std::vector<float> PointAt(std::span<const double> query, double product,
                           double length, std::uint64_t seed) {
  std::vector<double> side = UnitQuery(query.size(), seed + 1'000'000);
  double along = 0;
  for (std::size_t i = 0; i < side.size(); ++i) along += side[i] * query[i];
  double square = 0;
  for (std::size_t i = 0; i < side.size(); ++i) {
    side[i] -= along * query[i];
    square += side[i] * side[i];
  }
  const double rest = std::sqrt((length * length - product * product) / square);
  std::vector<float> point(query.size());
  for (std::size_t i = 0; i < side.size(); ++i) {
    point[i] = static_cast<float>(product * query[i] + rest * side[i]);
  }
  return point;
}

// Adds points with 25 lengths from 0 to 5.
void AddUnequalPoints(PointTable& table, std::size_t count) {
  const auto rows = testing::GaussianRows(count, table.dim(), 1);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> point(
        rows.begin() + static_cast<std::ptrdiff_t>(i * table.dim()),
        rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * table.dim()));
    const double length = 5 * static_cast<double>(i % 25) / 24;
    const double factor = length / Length(point);
    for (float& v : point) v = static_cast<float>(factor * v);
    table.Add(point);
  }
}

void InsertAll(AdaptiveSolver& solver, const PointTable& table) {
  for (PointNumber n = 0; n < table.end(); ++n) {
    if (table.Contains(n)) solver.Insert(n);
  }
}

TEST(AdaptiveSolver, AnswersOnlyWithPointsThatPassTheCheck) {
  PointTable table(4);
  AddUnequalPoints(table, 300);
  for (const Reduction reduction : kReductions) {
    for (const std::size_t min_depth : {0U, 1U}) {
      for (const double slack : {0.0, 0.05, 0.4}) {
        const MipsProblem problem{.ratio = 0.6, .sought = 2, .slack = slack};
        AdaptiveSolver solver(table, problem,
                              {.reduction = reduction,
                               .copies = 2,
                               .points = 300,
                               .min_depth = min_depth},
                              1);
        InsertAll(solver, table);
        int answers = 0;
        for (std::uint64_t i = 0; i < 200; ++i) {
          const auto query = UnitQuery(4, i);
          const SolverAnswer answer = solver.Find(query);
          if (!answer.point) continue;
          ++answers;
          const auto point = table[*answer.point];
          const auto rounded = solver.Rounded(query);
          EXPECT_GE(InnerProduct(point, rounded), 0.6 * 2);
          // Definition 3.1; the slack is multiplied by the longest length, 5.
          EXPECT_GE(Product(point, query), 0.6 * 2 - slack * 5 - 1e-6);
        }
        EXPECT_GT(answers, 150) << "too few answers to test anything";
      }
    }
  }
}

TEST(AdaptiveSolver, FindsNothingIfNoPointQualifies) {
  constexpr std::size_t kDim = 5;
  const auto query = UnitQuery(kDim, 1);
  PointTable table(kDim);
  for (std::uint64_t i = 0; i < 60; ++i) {
    table.Add(PointAt(query, 0.399, 0.5 + static_cast<double>(i % 8), i));
  }
  for (const std::size_t threads : {1U, 3U}) {
    AdaptiveSolver solver(table, {.ratio = 0.5, .sought = 0.8},
                          {.copies = 4,
                           .success = 0.9,
                           .points = 60,
                           .min_depth = 1,
                           .threads = threads},
                          1);
    EXPECT_EQ(solver.Find(query).point, std::nullopt);  // it has no points yet
    InsertAll(solver, table);
    const SolverAnswer answer = solver.Find(query);
    EXPECT_EQ(answer.point, std::nullopt);
    EXPECT_EQ(answer.copies_asked, 4U);
    EXPECT_GT(answer.directions, 0U);
    // One of the four copies finds a point that just qualifies: all miss it
    // with probability 1e-4.
    const PointNumber good = table.Add(PointAt(query, 0.801, 1, 99));
    solver.Insert(good);
    EXPECT_EQ(solver.Find(query).point, good);
    solver.Erase(good);
    EXPECT_EQ(solver.Find(query).point, std::nullopt);
    table.Remove(good);
  }
}

// At depth 0 a solver is a scan: it finds a point if and only if one qualifies.
TEST(AdaptiveSolver, MissesNothingAtDepthZero) {
  PointTable table(4);
  AddUnequalPoints(table, 60);
  AdaptiveSolver solver(table, {.ratio = 1, .sought = 4},
                        {.points = 60, .min_depth = 0}, 1);
  InsertAll(solver, table);
  ASSERT_TRUE(solver.PlanFor(BandOf(5)).is_scan());
  int found = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto query = UnitQuery(4, i);
    const auto rounded = solver.Rounded(query);
    double best = 0;
    for (PointNumber n = 0; n < table.end(); ++n) {
      best = std::max(best, InnerProduct(table[n], rounded));
    }
    const bool exists = best >= 4;
    EXPECT_EQ(solver.Find(query).point.has_value(), exists);
    found += exists ? 1 : 0;
  }
  EXPECT_GT(found, 30);
  EXPECT_LT(found, 270);
}

// Instances of the worst case: one point just reaches the inner product at
// which it must be found, and all others are just below the one at which they
// would be accepted. Each instance has its own seed, so that they are
// independent.
struct Planted {
  Reduction reduction = Reduction::kSymmetric;
  std::size_t copies = 1;
  double length = 1;        // of all points
  std::size_t points = 12;  // number to plan for
};
double ShareFound(const Planted& planted, int instances) {
  constexpr std::size_t kDim = 6;
  constexpr double kSought = 0.65;
  constexpr double kRatio = 0.5;
  int found = 0;
  for (int i = 0; i < instances; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    const auto query = UnitQuery(kDim, seed);
    PointTable table(kDim);
    for (std::uint64_t j = 0; j < 8; ++j) {
      table.Add(PointAt(query, 0.999 * kRatio * kSought, planted.length,
                        100 * seed + j));
    }
    const PointNumber near =
        table.Add(PointAt(query, 1.00001 * kSought, planted.length, seed));
    AdaptiveSolver solver(table, {.ratio = kRatio, .sought = kSought},
                          {.reduction = planted.reduction,
                           .copies = planted.copies,
                           .success = 0.9,
                           .points = planted.points,
                           .min_depth = 1},
                          seed);
    InsertAll(solver, table);
    const SolverAnswer answer = solver.Find(query);
    if (!answer.point) continue;
    EXPECT_EQ(*answer.point, near);
    ++found;
  }
  return found / static_cast<double>(instances);
}

#ifdef __SANITIZE_ADDRESS__
constexpr int kInstances = 60;
#else
constexpr int kInstances = 200;
#endif

// By Chernoff's bound, a share of n instances is at most s, where p is
// expected, with probability at most exp(-n D(s, p)), where D is the relative
// entropy. Returns the s at which that is 1e-6 for p = 0.9: 0.77 for 200
// instances.
double LeastShare(int instances) {
  constexpr double kExpected = 0.9;
  double share = kExpected;
  const auto entropy = [&] {
    return share * std::log(share / kExpected) +
           (1 - share) * std::log((1 - share) / (1 - kExpected));
  };
  while (instances * entropy() < std::log(1e6)) share -= 1e-3;
  return share;
}

TEST(AdaptiveSolver, FindsThePlantedPointAsOftenAsPlanned) {
  const double share = ShareFound({}, kInstances);
  EXPECT_GE(share, LeastShare(kInstances));
  // A scan would always find it.
  EXPECT_LT(share, 1);
}

TEST(AdaptiveSolver, FindsThePlantedPointWithThePapersReduction) {
  EXPECT_GE(ShareFound({.reduction = Reduction::kPaper}, kInstances / 2),
            LeastShare(kInstances / 2));
}

// The scale of this band makes the cosine far smaller. The tree is planned for
// 1000 points so that it is large enough to tell such cosines apart.
TEST(AdaptiveSolver, FindsAPlantedLongPoint) {
  EXPECT_GE(ShareFound({.length = 5.6, .points = 1000}, kInstances / 4),
            LeastShare(kInstances / 4));
}

// All three copies miss the point with probability 1e-3, so four or more of 100
// instances fail with probability 4e-6.
TEST(AdaptiveSolver, RarelyMissesThePlantedPointWithThreeCopies) {
  const int instances = kInstances / 2;
  EXPECT_GE(ShareFound({.copies = 3}, instances), 1 - 3.0 / instances);
}

TEST(AdaptiveSolver, RoundsQueriesToTheGrid) {
  for (const std::size_t dim : {1U, 3U, 16U}) {
    const PointTable table(dim);
    for (const double slack : {0.5, 0.1, 0.003}) {
      const AdaptiveSolver solver(table, {.slack = slack}, {}, 1);
      const double step = slack / static_cast<double>(dim);
      for (std::uint64_t i = 0; i < 50; ++i) {
        const auto query = UnitQuery(dim, i);
        const auto rounded = solver.Rounded(query);
        ASSERT_EQ(rounded.size(), dim);
        double square = 0;
        for (std::size_t j = 0; j < dim; ++j) {
          const double steps = rounded[j] / step;
          // The margin suits floats of 24 bits and at most 5,000 steps.
          EXPECT_NEAR(steps, std::round(steps), 1e-3);
          EXPECT_LE(std::abs(rounded[j] - query[j]), 0.5 * step + 1e-7);
          square += (rounded[j] - query[j]) * (rounded[j] - query[j]);
        }
        EXPECT_LE(std::sqrt(square), slack);
      }
    }
  }
}

TEST(AdaptiveSolver, DoesNotRoundQueriesWithoutSlack) {
  const PointTable table(5);
  const AdaptiveSolver solver(table, {.slack = 0}, {}, 1);
  const auto query = UnitQuery(5, 1);
  const auto rounded = solver.Rounded(query);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(rounded[j], static_cast<float>(query[j]));
  }
}

TEST(AdaptiveSolver, AnswersQueriesThatRoundToTheSameGridPointAlike) {
  PointTable table(3);
  AddUnequalPoints(table, 200);
  AdaptiveSolver solver(table, {.ratio = 0.7, .sought = 3, .slack = 0.6},
                        {.copies = 2, .points = 200, .min_depth = 1}, 1);
  InsertAll(solver, table);
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto query = UnitQuery(3, i);
    const auto rounded = solver.Rounded(query);
    const std::vector<double> on_grid(rounded.begin(), rounded.end());
    EXPECT_EQ(solver.Find(query).point, solver.Find(on_grid).point);
  }
}

// d ln(K d / (epsilon delta)) = 4 ln(4000 / 0.005) = 54.37 and
// log10(K (2d / epsilon)^d / delta) = log10(1000 * 80^4 / 0.05) = 11.91.
TEST(Copies, FollowTheirFormulas) {
  EXPECT_EQ(PaperCopies(4, 1000, 0.1, 0.05), 55U);
  EXPECT_EQ(NeededCopies(4, 1000, 0.1, 0.05), 12U);
  EXPECT_EQ(PaperCopies(16, 100'000, 0.01, 0.05), 351U);
  // There is always at least one.
  EXPECT_EQ(PaperCopies(1, 1, 1, 1), 1U);
  EXPECT_EQ(NeededCopies(1, 1, 1, 1), 1U);
}

TEST(Copies, AreAtLeastAsManyByThePapersFormulaAsItsProofNeeds) {
  for (const std::size_t dim : {1U, 2U, 3U, 16U, 136U}) {
    for (const std::size_t points : {1U, 10U, 1000U, 1'000'000U}) {
      for (const double slack : {0.9, 0.1, 1e-6}) {
        for (const double failure : {0.9, 0.05, 1e-9}) {
          EXPECT_GE(PaperCopies(dim, points, slack, failure),
                    NeededCopies(dim, points, slack, failure));
        }
      }
    }
  }
}

TEST(AdaptiveSolver, GivesTheSameAnswersWithAnyNumberOfThreads) {
  // With 5000 points a copy takes longer than a thread takes to start.
  PointTable table(4);
  AddUnequalPoints(table, 5000);
  const auto make = [&](std::size_t threads) {
    AdaptiveSolver solver(table, {.ratio = 0.95, .sought = 5, .slack = 0.05},
                          {.copies = 7,
                           .success = 0.3,
                           .points = 5000,
                           .min_depth = 1,
                           .threads = threads},
                          1);
    InsertAll(solver, table);
    return solver;
  };
  AdaptiveSolver one = make(1);
  AdaptiveSolver two = make(2);
  AdaptiveSolver four = make(4);
  AdaptiveSolver lonely = make(4);
  int answers = 0;
  int late = 0;
  for (std::uint64_t i = 0; i < 150; ++i) {
    const auto query = UnitQuery(4, i);
    const SolverAnswer expected = one.Find(query);
    for (AdaptiveSolver* solver : {&two, &four}) {
      const SolverAnswer answer = solver->Find(query);
      ASSERT_EQ(answer.point, expected.point) << i;
      EXPECT_GE(answer.copies_asked, expected.copies_asked);
      EXPECT_LE(answer.copies_asked, 7U);
    }
    {
      const testing::NoNewThreads no_new_threads;
      const SolverAnswer answer = lonely.Find(query);
      ASSERT_EQ(answer.point, expected.point) << i;
      EXPECT_EQ(answer.copies_asked, expected.copies_asked);
    }
    answers += expected.point ? 1 : 0;
    late += expected.point && expected.copies_asked > 1 ? 1 : 0;
  }
  // Some queries had no answer, some one from the first copy, and some one from
  // a later copy.
  EXPECT_GT(answers, 30);
  EXPECT_LT(answers, 140);
  EXPECT_GT(late, 10);
}

TEST(AdaptiveSolver, EqualsAFreshOneAfterInsertionsAndErasures) {
  for (const Reduction reduction : kReductions) {
    PointTable table(3);
    AddUnequalPoints(table, 120);
    const MipsProblem problem{.ratio = 0.5, .sought = 1.1};
    const SolverOptions options{
        .reduction = reduction, .copies = 3, .points = 100, .min_depth = 1};
    AdaptiveSolver solver(table, problem, options, 5);
    EXPECT_TRUE(solver == AdaptiveSolver(table, problem, options, 5));
    InsertAll(solver, table);
    for (PointNumber n = 0; n < 120; n += 3) {
      solver.Erase(n);
      table.Remove(n);
    }
    // One new point is longer than all others; both get the numbers of removed
    // points.
    solver.Insert(table.Add(std::vector<float>{300, 0, 1}));
    solver.Insert(table.Add(std::vector<float>{0, -2, 1}));
    AdaptiveSolver fresh(table, problem, options, 5);
    for (auto n = static_cast<PointNumber>(table.end()); n-- > 0;) {
      if (table.Contains(n)) fresh.Insert(n);
    }
    EXPECT_TRUE(solver == fresh);
    const PointNumber last = 1;
    fresh.Erase(last);
    EXPECT_EQ(solver == fresh, Length(table[last]) < 1)
        << "operator== does not see that a point is missing";
    for (PointNumber n = 0; n < table.end(); ++n) {
      if (table.Contains(n)) solver.Erase(n);
    }
    EXPECT_TRUE(solver == AdaptiveSolver(table, problem, options, 5));
    EXPECT_EQ(solver.bytes(), 0U);
  }
}

TEST(AdaptiveSolver, FindsAPointMuchLongerThanAllOthers) {
  PointTable table(4);
  AddUnequalPoints(table, 100);
  AdaptiveSolver solver(table, {.ratio = 0.9, .sought = 1000},
                        {.copies = 5, .points = 100, .min_depth = 1}, 1);
  InsertAll(solver, table);
  EXPECT_EQ(solver.bytes(), 0U) << "points that cannot qualify are kept";
  const auto query = UnitQuery(4, 1);
  EXPECT_EQ(solver.Find(query).point, std::nullopt);
  const PointNumber longest = table.Add(PointAt(query, 1100, 1200, 1));
  solver.Insert(longest);
  EXPECT_EQ(solver.Find(query).point, longest);
  solver.Clear();
  EXPECT_EQ(solver.Find(query).point, std::nullopt);
}

TEST(AdaptiveSolver, RefusesOptionsOutOfBounds) {
  const PointTable table(3);
  const auto expect = [&](const std::vector<std::string>& parts,
                          const MipsProblem& problem,
                          const SolverOptions& options) {
    ExpectError(ErrorCode::kInvalidArgument, parts, [&] {
      const AdaptiveSolver solver(table, problem, options, 1);
    });
  };
  expect({"ratio is 1.5", "1"}, {.ratio = 1.5}, {});
  expect({"ratio is -1", "0"}, {.ratio = -1}, {});
  expect({"sought is 0", "1e-30"}, {.sought = 0}, {});
  expect({"sought is nan"}, {.sought = std::nan("")}, {});
  expect({"slack is -0.5", "0"}, {.slack = -0.5}, {});
  expect({"copies is 0", "1"}, {}, {.copies = 0});
  expect({"threads is 0", "1"}, {}, {.threads = 0});
  expect({"threads is 5000", "1024"}, {}, {.threads = 5000});
}

TEST(AdaptiveSolver, KeepsAllCopiesTogetherWithinTheMemoryLimit) {
  PointTable table(8);
  const auto rows = testing::GaussianRows(2000, 8, 1);
  for (std::size_t i = 0; i < 2000; ++i) {
    std::vector<float> point(
        rows.begin() + static_cast<std::ptrdiff_t>(i * 8),
        rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * 8));
    const double length = Length(point);
    for (float& v : point) v = static_cast<float>(v / length);
    table.Add(point);
  }
  const auto bytes = [&](double max_bytes) {
    AdaptiveSolver solver(
        table, {.ratio = 0.5, .sought = 0.9},
        {.copies = 5, .points = 2000, .min_depth = 1, .max_bytes = max_bytes},
        1);
    InsertAll(solver, table);
    EXPECT_LE(solver.PlanFor(0).bytes, max_bytes / 5);
    return static_cast<double>(solver.bytes());
  };
  const double free = bytes(1e9);
  const double limited = bytes(free / 3);
  EXPECT_LT(limited, free / 3 * 1.2);

  AdaptiveSolver solver(
      table, {.ratio = 0.5, .sought = 0.9},
      {.copies = 5, .points = 2000, .min_depth = 1, .max_bytes = 100}, 1);
  ExpectError(ErrorCode::kTooLarge, {"20 bytes"}, [&] { solver.Insert(0); });
  // The solver is unchanged.
  EXPECT_EQ(solver.bytes(), 0U);
  EXPECT_EQ(solver.Find(UnitQuery(8, 1)).point, std::nullopt);
}

}  // namespace
}  // namespace manyarms::lsh
