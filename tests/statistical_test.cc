// Regret in the paper's setting. Seeds are fixed, so these tests do not fail by
// chance. The comments on margins say how probably another seed would pass.

#include <cmath>
#include <numeric>
#include <vector>

#include "manyarms/research/experiment.h"
#include "testing.h"

namespace manyarms {
namespace {

// Under a sanitizer, which slows a scan tenfold, runs are short: they look for
// errors of memory there, not at regret.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kShortened = true;
#else
constexpr bool kShortened = false;
#endif

RunSpec PaperSpec(const PolicyOptions& policy, const SearchOptions& search,
                  std::size_t arms, std::uint64_t seed) {
  RunSpec spec;
  spec.policy = policy;
  spec.search = search;
  spec.environment.arms = arms;
  spec.environment.seed = seed;
  spec.environment.theta_seed = seed;
  if (kShortened) {
    spec.environment.arms = arms / 20;
    spec.steps = 1000;
  }
  return spec;
}

// Tests that run in one process share the scan's runs.
double ScanRegret(const PolicyOptions& policy, std::size_t arms,
                  std::uint64_t seed) {
  struct Run {
    PolicyOptions policy;
    std::size_t arms;
    std::uint64_t seed;
    double regret;
  };
  static std::vector<Run> done;
  for (const Run& run : done) {
    if (run.policy == policy && run.arms == arms && run.seed == seed) {
      return run.regret;
    }
  }
  const RunSpec spec = PaperSpec(policy, ScanOptions{}, arms, seed);
  done.push_back({policy, arms, seed, RunExperiment(spec).regret});
  return done.back().regret;
}

double MeanRegret(const PolicyOptions& policy, const SearchOptions& search,
                  std::size_t arms, std::uint64_t runs) {
  double sum = 0;
  if (kShortened) runs = 1;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    sum += std::holds_alternative<ScanOptions>(search)
               ? ScanRegret(policy, arms, seed)
               : RunExperiment(PaperSpec(policy, search, arms, seed)).regret;
  }
  return sum / static_cast<double>(runs);
}

void ExpectWithin(double value, double low, double high) {
  if (kShortened) return;
  EXPECT_GT(value, low);
  EXPECT_LT(value, high);
}

// Each run has its own theta*, which makes the spread large. Measured by
// `manyarms simulate --runs 100`: 583 with a standard deviation of 163 (ts) and
// 3,727 with 752 (elim) from 3,000 arms; 636 with 198 (60 runs) and 4,583 with
// 831 from 98,000. A mean of ten has a standard error of 52, 238, 63 and 263.
// The bands are these means with four standard errors to either side, so that
// ten other seeds would leave them once in 16,000 times. (The engine's
// requirement, set before these figures were known, is narrower: 500 to 680,
// 3,300 to 4,800, 500 to 720 and 4,000 to 5,700. It is for the long-run means,
// which lie within.) A policy that explores half as much or twice as much is
// outside: from 3,000 arms `--exploration 1` and `4` gave 316 and 1,657 (ts),
// 1,130 and 15,107 (elim); from 98,000 arms 246 and 1,482, 1,392 and 19,410.
TEST(PaperRegret, ThompsonFromThreeThousandArms) {
  const double regret = MeanRegret(ThompsonOptions{}, ScanOptions{}, 3000, 10);
  ExpectWithin(regret, 583 - 4 * 52, 583 + 4 * 52);
}

TEST(PaperRegret, ThompsonFromNinetyEightThousandArms) {
  const double regret = MeanRegret(ThompsonOptions{}, ScanOptions{}, 98000, 10);
  ExpectWithin(regret, 636 - 4 * 63, 636 + 4 * 63);
}

TEST(PaperRegret, EliminationFromThreeThousandArms) {
  const double regret =
      MeanRegret(EliminationOptions{}, ScanOptions{}, 3000, 10);
  ExpectWithin(regret, 3727 - 4 * 238, 3727 + 4 * 238);
}

TEST(PaperRegret, EliminationFromNinetyEightThousandArms) {
  const double regret =
      MeanRegret(EliminationOptions{}, ScanOptions{}, 98000, 10);
  ExpectWithin(regret, 4583 - 4 * 263, 4583 + 4 * 263);
}

// A search and the scan meet the same arms, noise and draws; what is left is
// how far two runs drift apart once a decision differs. Measured from 3,000
// arms with seeds 1 to 20, the ratio of the mean regrets, and the standard
// error that it has for ten pairs of runs:
//             both graphs    raw graph      forced trees
//   ts        1.023 (0.021)  1.041 (0.043)  1.009 (0.016)
//   elim      0.984 (0.018)  0.990 (0.015)  1.003 (0.009)
// From 98,000 arms the ratio of one pair has a standard deviation of 0.04 (ts
// with both graphs, five seeds: 1.00, 0.91, 0.97, 0.94, 1.00; elim, three:
// 0.99, 1.01, 0.93), and the mean of two pairs has a standard error of 0.028.
//
// The requirement is 10 % either way. Where that is less than four standard
// errors from what was measured, four standard errors are allowed: with other
// seeds a search that is as good as this one would fail once in 16,000 times.
// ts with the Euclidean graph alone is far outside (BENCHMARKS.md).
struct Ratio {
  double low;
  double high;
};

void ExpectRegretLikeTheScans(const PolicyOptions& policy,
                              const SearchOptions& search, std::size_t arms,
                              std::uint64_t runs, const Ratio& ratio) {
  const double scan = MeanRegret(policy, ScanOptions{}, arms, runs);
  const double other = MeanRegret(policy, search, arms, runs);
  SCOPED_TRACE(::testing::Message() << "scan " << scan << ", " << other << " ("
                                    << SearchName(search) << ")");
  ExpectWithin(other / scan, ratio.low, ratio.high);
}

constexpr Ratio kTenPercent{0.9, 1.1};
constexpr Ratio kTwoPairs{0.964 - 4 * 0.028, 1 + 4 * 0.028};
constexpr Ratio kOnePair{0.977 - 4 * 0.04, 1 + 4 * 0.04};

constexpr HnswOptions kBothGraphs{};
constexpr HnswOptions kRawGraph{.metric = HnswOptions::Metric::kInnerProduct};

TEST(PaperRegret, ThompsonWithGraphsFromThreeThousandArms) {
  ExpectRegretLikeTheScans(ThompsonOptions{}, kBothGraphs, 3000, 10,
                           {0.9, 1.023 + 4 * 0.021});
}

TEST(PaperRegret, EliminationWithGraphsFromThreeThousandArms) {
  ExpectRegretLikeTheScans(EliminationOptions{}, kBothGraphs, 3000, 10,
                           kTenPercent);
}

TEST(PaperRegret, ThompsonWithGraphsFromNinetyEightThousandArms) {
  ExpectRegretLikeTheScans(ThompsonOptions{}, kBothGraphs, 98000, 2, kTwoPairs);
}

// Only one pair is run, because building graphs takes two minutes.
TEST(PaperRegret, EliminationWithGraphsFromNinetyEightThousandArms) {
  ExpectRegretLikeTheScans(EliminationOptions{}, kBothGraphs, 98000, 1,
                           kOnePair);
}

// The single graph that `manyarms reproduce` uses.
TEST(PaperRegret, ThompsonWithARawGraphFromThreeThousandArms) {
  ExpectRegretLikeTheScans(ThompsonOptions{}, kRawGraph, 3000, 10,
                           {1.041 - 4 * 0.043, 1.041 + 4 * 0.043});
}

TEST(PaperRegret, EliminationWithARawGraphFromThreeThousandArms) {
  ExpectRegretLikeTheScans(EliminationOptions{}, kRawGraph, 3000, 10,
                           kTenPercent);
}

// With few arms the default would scan, so trees are forced.
constexpr LshOptions kForcedTrees{.min_depth = 1};

TEST(PaperRegret, ThompsonWithFilterTreesFromThreeThousandArms) {
  ExpectRegretLikeTheScans(ThompsonOptions{}, kForcedTrees, 3000, 10,
                           kTenPercent);
}

TEST(PaperRegret, EliminationWithFilterTreesFromThreeThousandArms) {
  ExpectRegretLikeTheScans(EliminationOptions{}, kForcedTrees, 3000, 10,
                           kTenPercent);
}

// By default trees are built during the run, and are used for most of it.
TEST(PaperRegret, ThompsonWithFilterTreesFromNinetyEightThousandArms) {
  ExpectRegretLikeTheScans(ThompsonOptions{}, LshOptions{}, 98000, 2,
                           kTwoPairs);
}

// The theory's radius of about 13 costs more than ten times the regret of the
// constant 2 that the paper's figures point to. docs/reproduction.md has 8,941
// with a standard deviation of 1,234 over ten runs: a mean of two has a
// standard error of 873, and the band is four of them to either side.
TEST(PaperRegret, TheorysRadiusIsFarTooLargeInPractice) {
  const double theory = MeanRegret(
      ThompsonOptions{TheoryRadius{.horizon = 20000}}, ScanOptions{}, 3000, 2);
  ExpectWithin(theory, 8941 - 4 * 873, 8941 + 4 * 873);
}

}  // namespace
}  // namespace manyarms
