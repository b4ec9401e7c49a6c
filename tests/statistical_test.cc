// Regret in the paper's setting. Seeds are fixed, so these tests do not
// flicker; the margins say how sure one may be that another seed would pass as
// well.

#include <cmath>
#include <numeric>
#include <vector>

#include "manyarms/research/experiment.h"
#include "testing.h"

namespace manyarms {
namespace {

// Under a sanitizer, which slows a scan tenfold, the same runs are made short:
// there they look for errors of memory, not for regret.
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

// theta* is drawn anew for each run, which makes the spread large. Measured by
// `manyarms simulate --runs 100`: 583 with a standard deviation of 163 (ts) and
// 3,727 with 752 (elim) from 3,000 arms; 636 with 198 (60 runs) and 4,583 with
// 831 from 98,000. A mean of ten has a standard error of 51, 238, 63 and 263.
// The bands are the engine's requirement, set before these figures were known,
// and lie 1.3 to 4.5 standard errors from the means: ten other seeds could
// leave them. A policy that explores half as much or twice as much is far
// outside: from 3,000 arms `--exploration 1` and `4` gave 316 and 1,657 (ts),
// 1,130 and 15,107 (elim); from 98,000 arms 246 and 1,482, 1,392 and 19,410.
TEST(PaperRegret, ThompsonFromThreeThousandArms) {
  const double regret = MeanRegret(ThompsonOptions{}, ScanOptions{}, 3000, 10);
  ExpectWithin(regret, 500, 680);
}

TEST(PaperRegret, ThompsonFromNinetyEightThousandArms) {
  const double regret = MeanRegret(ThompsonOptions{}, ScanOptions{}, 98000, 10);
  ExpectWithin(regret, 500, 720);
}

TEST(PaperRegret, EliminationFromThreeThousandArms) {
  const double regret =
      MeanRegret(EliminationOptions{}, ScanOptions{}, 3000, 10);
  ExpectWithin(regret, 3300, 4800);
}

TEST(PaperRegret, EliminationFromNinetyEightThousandArms) {
  const double regret =
      MeanRegret(EliminationOptions{}, ScanOptions{}, 98000, 10);
  ExpectWithin(regret, 4000, 5700);
}

// Graph and scan meet the same arms, noise and draws; what is left is how far
// two runs drift apart once a decision differs. Measured on pairs of runs from
// 98,000 arms: the ratio of their regrets has a standard deviation of 0.04 (ts,
// five seeds: 1.00, 0.91, 0.97, 0.94, 1.00; elim, three: 0.99, 1.01, 0.93). The
// requirement's 10 % are thus two standard errors from the mean of two pairs
// (ts), and of the one pair that two minutes of building allow for (elim):
// other seeds could fail, a graph that keeps missing the best arm does by far
// (ts with the Euclidean graph alone: BENCHMARKS.md). From 3,000 arms most
// pairs are equal to the digit, and there are ten of them.
void ExpectGraphWithinTenPercent(const PolicyOptions& policy,
                                 HnswOptions::Metric metric, std::size_t arms,
                                 std::uint64_t runs) {
  const double scan = MeanRegret(policy, ScanOptions{}, arms, runs);
  const double graph =
      MeanRegret(policy, HnswOptions{.metric = metric}, arms, runs);
  SCOPED_TRACE(::testing::Message() << "scan " << scan << ", hnsw " << graph);
  ExpectWithin(graph / scan, 0.9, 1.1);
}

constexpr auto kDefault = HnswOptions{}.metric;
constexpr auto kRaw = HnswOptions::Metric::kInnerProduct;

TEST(PaperRegret, ThompsonWithGraphsFromThreeThousandArms) {
  ExpectGraphWithinTenPercent(ThompsonOptions{}, kDefault, 3000, 10);
}

TEST(PaperRegret, EliminationWithGraphsFromThreeThousandArms) {
  ExpectGraphWithinTenPercent(EliminationOptions{}, kDefault, 3000, 10);
}

TEST(PaperRegret, ThompsonWithGraphsFromNinetyEightThousandArms) {
  ExpectGraphWithinTenPercent(ThompsonOptions{}, kDefault, 98000, 2);
}

TEST(PaperRegret, EliminationWithGraphsFromNinetyEightThousandArms) {
  ExpectGraphWithinTenPercent(EliminationOptions{}, kDefault, 98000, 1);
}

// The single graph that `manyarms reproduce` uses.
TEST(PaperRegret, ThompsonWithARawGraphFromThreeThousandArms) {
  ExpectGraphWithinTenPercent(ThompsonOptions{}, kRaw, 3000, 10);
}

TEST(PaperRegret, EliminationWithARawGraphFromThreeThousandArms) {
  ExpectGraphWithinTenPercent(EliminationOptions{}, kRaw, 3000, 10);
}

// Pairs of runs that meet the same arms, noise and draws; see above for what is
// left between two runs. With so few arms the default would scan: trees are
// forced.
void ExpectTreesWithinTenPercent(const PolicyOptions& policy,
                                 const LshOptions& options, std::size_t arms,
                                 std::uint64_t seeds) {
  const double scan = MeanRegret(policy, ScanOptions{}, arms, seeds);
  const double trees = MeanRegret(policy, options, arms, seeds);
  SCOPED_TRACE(::testing::Message() << "scan " << scan << ", lsh " << trees);
  ExpectWithin(trees / scan, 0.9, 1.1);
}

TEST(PaperRegret, ThompsonWithFilterTreesFromThreeThousandArms) {
  ExpectTreesWithinTenPercent(ThompsonOptions{}, {.min_depth = 1}, 3000, 10);
}

TEST(PaperRegret, EliminationWithFilterTreesFromThreeThousandArms) {
  ExpectTreesWithinTenPercent(EliminationOptions{}, {.min_depth = 1}, 3000, 10);
}

// By default trees are built on the way, and are asked for most of the run.
TEST(PaperRegret, ThompsonWithFilterTreesFromNinetyEightThousandArms) {
  ExpectTreesWithinTenPercent(ThompsonOptions{}, {}, 98000, 2);
}

// The theory's radius of about 13 costs more than ten times the regret of the
// constant 2 that the paper's figures point to.
TEST(PaperRegret, TheorysRadiusIsFarTooLargeInPractice) {
  const double theory = MeanRegret(
      ThompsonOptions{TheoryRadius{.horizon = 20000}}, ScanOptions{}, 3000, 2);
  ExpectWithin(theory, 6000, 11000);
}

}  // namespace
}  // namespace manyarms
