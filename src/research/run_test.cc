#include <nlohmann/json.hpp>

#include "manyarms/research/experiment.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

RunSpec Small() {
  RunSpec spec;
  spec.environment.arms = 200;
  spec.environment.dim = 4;
  spec.environment.remove = 1;
  spec.steps = 500;
  return spec;
}

TEST(RunExperiment, IsAFunctionOfItsSpec) {
  const RunResult one = RunExperiment(Small());
  const RunResult two = RunExperiment(Small());
  EXPECT_EQ(one.decision_digest, two.decision_digest);
  EXPECT_EQ(one.regret, two.regret);
  EXPECT_EQ(one.stats.arms_scored, two.stats.arms_scored);
  RunSpec other = Small();
  other.environment.seed = 2;
  EXPECT_NE(RunExperiment(other).decision_digest, one.decision_digest);
}

TEST(RunExperiment, SaysWhenMostArmsWereEliminated) {
  RunSpec spec = Small();
  spec.policy = EliminationOptions{};
  const RunResult result = RunExperiment(spec);
  EXPECT_GT(result.stats.eliminations, 100U);
  EXPECT_GT(result.mass_elimination_step, 1U);
  EXPECT_LE(result.mass_elimination_step, 500U);
  EXPECT_GT(result.mass_elimination_seconds, 0);
  EXPECT_LT(result.mass_elimination_seconds, result.run_seconds);
}

TEST(RunExperiment, CountsSnapshotsAndChecks) {
  RunSpec spec = Small();
  spec.environment.arms = 20000;
  spec.search = CertifiedOptions{.background = false, .check_every = 5};
  const RunResult result = RunExperiment(spec);
  EXPECT_GE(result.stats.snapshots, 1U);
  EXPECT_GT(result.stats.snapshot_seconds, 0);
  EXPECT_EQ(result.stats.checks, 100U);
  EXPECT_LT(result.stats.arms_scored, 500U * 20000U / 2);
}

TEST(RunExperiment, ReportsWhatHappened) {
  const RunResult result = RunExperiment(Small());
  EXPECT_GT(result.regret, 0);
  EXPECT_GT(result.run_seconds, 0);
  EXPECT_GT(result.setup_seconds, 0);
  EXPECT_LE(result.latency.p50, result.latency.p99);
  EXPECT_LE(result.latency.p99, result.latency.p999);
  EXPECT_LE(result.latency.p999, result.latency.max);
  EXPECT_GE(result.stats.arms_scored, 500U * 200U);
  EXPECT_GT(result.peak_rss_bytes, 1U << 20);
}

TEST(RunExperiment, TellsHowFarItHasGot) {
  double last = 0;
  int calls = 0;
  RunExperiment(Small(), [&](double done) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, 1);
    last = done;
    ++calls;
  });
  EXPECT_GT(calls, 1);
}

TEST(RunExperiment, RefusesWhatCannotBeRun) {
  RunSpec spec = Small();
  spec.steps = 0;
  ExpectError(ErrorCode::kInvalidArgument, {"steps is 0"},
              [&] { RunExperiment(spec); });
  spec = Small();
  spec.environment.arms = 4'000'000'000;
  spec.environment.dim = kMaxDim;
  spec.environment.add = 0;
  spec.environment.remove = 0;
  ExpectError(ErrorCode::kTooLarge, {"4000000000", "GB"},
              [&] { RunExperiment(spec); });
  spec = Small();
  spec.policy = UcbOptions{};
  spec.search = HnswOptions{};
  ExpectError(ErrorCode::kUnsupported, {"ucb"}, [&] { RunExperiment(spec); });
}

TEST(JsonRow, HoldsSpecAndResult) {
  RunSpec spec = Small();
  spec.policy = EliminationOptions{};
  spec.search = HnswOptions{.shortlist = 7};
  const auto row = nlohmann::json::parse(JsonRow(spec, RunExperiment(spec)));
  for (const char* field : {"policy",
                            "search",
                            "arms",
                            "dim",
                            "steps",
                            "add",
                            "remove",
                            "every",
                            "seed",
                            "exploration",
                            "regret",
                            "setup_seconds",
                            "run_seconds",
                            "arms_scored",
                            "decision_digest",
                            "latency_us",
                            "peak_rss_bytes",
                            "accuracy",
                            "regularisation",
                            "noise"}) {
    EXPECT_TRUE(row.contains(field)) << field;
  }
  EXPECT_EQ(row["policy"], "elim");
  EXPECT_EQ(row["shortlist"], 7);
  EXPECT_EQ(row["exploration"], 2.0);
  EXPECT_EQ(row["decision_digest"].get<std::string>().size(), 16U);
  for (const char* field : {"p50", "p99", "p999", "max", "mean"}) {
    EXPECT_TRUE(row["latency_us"].contains(field));
  }
  spec.policy = ThompsonOptions{TheoryRadius{.horizon = 500}};
  EXPECT_EQ(
      nlohmann::json::parse(JsonRow(spec, RunExperiment(spec)))["exploration"],
      "theory");
}

}  // namespace
}  // namespace manyarms
