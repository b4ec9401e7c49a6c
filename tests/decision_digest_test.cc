// Pairs of runs that must make the same decision at every step.

#include <cstdint>

#include "manyarms/research/experiment.h"
#include "testing.h"

namespace manyarms {
namespace {

// Arms are added and removed at every step. There are fewer seeds and steps
// under sanitizers, which make a scan ten times slower.
TEST(DecisionDigest, IsTheScansWithCertifiedSearch) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::uint64_t kSeeds = 2;
  constexpr std::uint64_t kSteps = 150;
#else
  constexpr std::uint64_t kSeeds = 20;
  constexpr std::uint64_t kSteps = 400;
#endif
  std::uint64_t scored_by_scan = 0;
  std::uint64_t scored = 0;
  for (const PolicyOptions& policy :
       {PolicyOptions{ThompsonOptions{}}, PolicyOptions{UcbOptions{}},
        PolicyOptions{EliminationOptions{}}}) {
    for (const std::size_t dim : {3U, 16U, 50U}) {
      for (std::uint64_t seed = 101; seed < 101 + kSeeds; ++seed) {
        RunSpec spec;
        spec.policy = policy;
        spec.environment = {.arms = 20000,
                            .dim = dim,
                            .add = 5,
                            .remove = 5,
                            .every = 1,
                            .seed = seed,
                            .theta_seed = seed};
        spec.steps = kSteps;
        spec.search = ScanOptions{};
        const RunResult scan = RunExperiment(spec);
        const bool background = seed % 2 == 1;
        spec.search = CertifiedOptions{.background = background};
        const RunResult certified = RunExperiment(spec);
        EXPECT_EQ(scan.decision_digest, certified.decision_digest)
            << PolicyName(policy) << ", " << dim << " features, seed " << seed;
        EXPECT_EQ(scan.regret, certified.regret);
        // In the background, the time at which a snapshot is ready varies, and
        // with it the number of arms scored.
        if (background) continue;
        scored_by_scan += scan.stats.arms_scored;
        scored += certified.stats.arms_scored;
      }
    }
  }
  EXPECT_LT(scored, scored_by_scan * 3 / 4);
}

TEST(DecisionDigest, IsTheScansWithLearnersAndContexts) {
  struct Shape {
    std::size_t learners;
    std::size_t context_dim;
    std::size_t distinct_contexts;
  };
  for (const PolicyOptions& policy :
       {PolicyOptions{ThompsonOptions{}}, PolicyOptions{UcbOptions{}}}) {
    for (const auto& [learners, context_dim, distinct_contexts] :
         {Shape{30, 0, 0}, Shape{0, 3, 0}, Shape{0, 3, 4}, Shape{30, 3, 0},
          Shape{5, 3, 2}}) {
      RunSpec spec;
      spec.policy = policy;
      spec.environment = {.arms = 20000,
                          .dim = 6,
                          .add = 3,
                          .remove = 3,
                          .every = 4,
                          .learners = learners,
                          .context_dim = context_dim,
                          .distinct_contexts = distinct_contexts};
      spec.steps = 200;
      spec.search = ScanOptions{};
      const RunResult scan = RunExperiment(spec);
      for (const bool background : {false, true}) {
        spec.search = CertifiedOptions{.background = background};
        const RunResult certified = RunExperiment(spec);
        EXPECT_EQ(scan.decision_digest, certified.decision_digest)
            << PolicyName(policy) << ", " << learners << " learners, "
            << distinct_contexts << " contexts of " << context_dim;
        EXPECT_EQ(scan.regret, certified.regret);
        EXPECT_LT(certified.stats.arms_scored, scan.stats.arms_scored);
      }
    }
  }
}

// With such a shortlist hnsw scores all arms without a query to its graphs. In
// the next test the shortlist has one arm less, and the graphs are queried.
TEST(DecisionDigest, IsTheScansWhenTheShortlistIsAsLongAsTheArmSet) {
  for (const PolicyOptions& policy : {PolicyOptions{ThompsonOptions{}},
                                      PolicyOptions{EliminationOptions{}}}) {
    for (const std::size_t remove : {0U, 2U}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        RunSpec spec;
        spec.policy = policy;
        spec.environment = {.arms = 400,
                            .dim = 8,
                            .add = 2,
                            .remove = remove,
                            .every = 5,
                            .seed = seed,
                            .theta_seed = seed};
        spec.steps = 1000;
        spec.search = ScanOptions{};
        const RunResult scan = RunExperiment(spec);
        spec.search = HnswOptions{.shortlist = 400 + 2 * 200};
        const RunResult hnsw = RunExperiment(spec);
        EXPECT_EQ(scan.decision_digest, hnsw.decision_digest)
            << PolicyName(policy) << " seed " << seed;
        EXPECT_EQ(scan.regret, hnsw.regret);
      }
    }
  }
}

TEST(DecisionDigest, IsTheScansWhenTheShortlistLeavesOutOneArm) {
  RunSpec spec;
  spec.search = ScanOptions{};
  spec.environment = {.arms = 400, .dim = 8, .add = 0};
  spec.steps = 1000;
  const RunResult scan = RunExperiment(spec);
  spec.search = HnswOptions{.shortlist = 399};
  const RunResult hnsw = RunExperiment(spec);
  EXPECT_EQ(scan.decision_digest, hnsw.decision_digest);
  EXPECT_NE(scan.stats.arms_scored, hnsw.stats.arms_scored);
}

// For one seed every policy meets the same arms and the same noise. Without
// exploration, ts and ucb are the same greedy policy.
TEST(DecisionDigest, IsTheSameForTwoPoliciesThatDecideAlike) {
  RunSpec spec;
  spec.environment.arms = 300;
  spec.steps = 500;
  spec.policy = ThompsonOptions{.exploration = 0.0};
  const RunResult ts = RunExperiment(spec);
  spec.policy = UcbOptions{.exploration = 0.0};
  const RunResult ucb = RunExperiment(spec);
  EXPECT_EQ(ts.decision_digest, ucb.decision_digest);
}

}  // namespace
}  // namespace manyarms
