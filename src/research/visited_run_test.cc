// Runs with learners and contexts.

#include <map>
#include <nlohmann/json.hpp>

#include "manyarms/research/experiment.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

RunSpec Small() {
  RunSpec spec;
  spec.environment = {.arms = 300,
                      .dim = 4,
                      .remove = 1,
                      .seed = 3,
                      .theta_seed = 3,
                      .learners = 12,
                      .context_dim = 2};
  spec.steps = 400;
  return spec;
}

// Every learner as a bandit of its own, which the environment's arms are added
// to and removed from.
class LoneBandits {
 public:
  explicit LoneBandits(const RunSpec& spec)
      : spec_(spec),
        world_(MakeSynthetic(spec.environment)),
        options_({.dim = spec.environment.dim,
                  .context_dim = spec.environment.context_dim,
                  .seed = spec.environment.seed}) {
    for (std::uint64_t learner = 0; learner < spec.environment.learners;
         ++learner) {
      BanditOptions options = options_.LoneOptions(learner);
      options.search = ScanOptions{};
      bandits_.emplace(learner, options);
    }
    for (ArmId arm = 0; arm < spec.environment.arms; ++arm) Add(arm);
  }

  double Regret() {
    double regret = 0;
    for (std::uint64_t step = 1; step <= spec_.steps; ++step) {
      const Change change = world_->Advance(step);
      for (auto& [learner, bandit] : bandits_) bandit.Remove(change.removed);
      for (const ArmId arm : change.added) Add(arm);
      const Visit visit = world_->VisitAt(step);
      Bandit& bandit = bandits_.at(visit.learner);
      const Decision decision = bandit.Choose({}, visit.context);
      bandit.Learn(decision, world_->Reward(decision.arm, step));
      regret += world_->Regret(decision.arm);
      arms.push_back(decision.arm);
    }
    return regret;
  }

  std::vector<ArmId> arms;

 private:
  void Add(ArmId arm) {
    std::vector<float> row(spec_.environment.dim);
    world_->Features(arm, row);
    for (auto& [learner, bandit] : bandits_) bandit.Add(arm, row);
  }

  RunSpec spec_;
  std::unique_ptr<Environment> world_;
  Population options_;
  std::map<std::uint64_t, Bandit> bandits_;
};

std::uint64_t DigestOf(const std::vector<ArmId>& arms) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (const ArmId arm : arms) {
    for (int byte = 0; byte < 8; ++byte) {
      digest = (digest ^ (arm >> 8 * byte & 0xff)) * 0x100000001b3U;
    }
  }
  return digest;
}

TEST(RunWithLearners, DecidesAsThatManyBandits) {
  for (const std::size_t context_dim : {0U, 2U}) {
    RunSpec spec = Small();
    spec.environment.context_dim = context_dim;
    const RunResult run = RunExperiment(spec);
    LoneBandits lone(spec);
    EXPECT_NEAR(run.regret, lone.Regret(), 1e-9);
    EXPECT_EQ(run.decision_digest, DigestOf(lone.arms));
  }
}

TEST(RunWithLearners, CountsThem) {
  const RunResult result = RunExperiment(Small());
  EXPECT_EQ(result.stats.learners, 12U);
  EXPECT_GT(result.stats.learner_bytes, 12U * 4 * 16 * 17);
  EXPECT_GT(result.regret, 0);
}

// One bandit that learns from all learners as if they were one has nothing to
// unlearn if they are alike.
TEST(RunWithLearners, MayBeThatOfOneBanditForAll) {
  RunSpec spec = Small();
  spec.environment.own_share = 0;
  const auto world = MakeSynthetic(spec.environment);
  const BanditOptions pooled = {.dim = 4, .context_dim = 2, .seed = 3};
  const RunResult result = RunExperiment(pooled, *world, spec.steps);
  EXPECT_EQ(result.stats.learners, 0U);
  EXPECT_LT(result.regret, RunExperiment(spec).regret);
}

TEST(RunWithContexts, LearnsThem) {
  RunSpec spec = Small();
  spec.environment.learners = 0;
  spec.steps = 2000;
  const RunResult result = RunExperiment(spec);
  const double early = result.curve[19].regret;
  const double late = result.regret - result.curve[179].regret;
  EXPECT_LT(late, early / 4);
}

TEST(RunWithLearners, HasTheirFieldsInItsRow) {
  RunSpec spec = Small();
  spec.environment.distinct_contexts = 5;
  spec.order_budget = 12345;
  const auto row = nlohmann::json::parse(JsonRow(spec, RunExperiment(spec)));
  EXPECT_EQ(row["learners"], 12);
  EXPECT_EQ(row["own_share"], 0.5);
  EXPECT_EQ(row["zipf"], 1.0);
  EXPECT_EQ(row["order_budget"], 12345);
  EXPECT_EQ(row["context_dim"], 2);
  EXPECT_EQ(row["context_constants"], true);
  EXPECT_EQ(row["distinct_contexts"], 5);
  EXPECT_EQ(row["learners_came"], 12);
  for (const char* field : {"learner_bytes", "finders", "finder_bytes"}) {
    EXPECT_TRUE(row.contains(field)) << field;
  }
  const RunSpec plain{.environment = {.arms = 20}, .steps = 5};
  const auto without =
      nlohmann::json::parse(JsonRow(plain, RunExperiment(plain)));
  for (const char* field : {"learners", "zipf", "order_budget", "context_dim",
                            "learners_came", "finders"}) {
    EXPECT_FALSE(without.contains(field)) << field;
  }
}

TEST(RunWithLearners, IsRefusedWhereItCannotBe) {
  RunSpec spec = Small();
  spec.policy = EliminationOptions{};
  ExpectError(ErrorCode::kUnsupported, {"population", "elim"},
              [&] { RunExperiment(spec); });
  spec.environment.learners = 0;
  ExpectError(ErrorCode::kUnsupported, {"elim"}, [&] { RunExperiment(spec); });
  spec = Small();
  spec.negative_rewards = true;
  ExpectError(ErrorCode::kUnsupported, {"context"},
              [&] { RunExperiment(spec); });
  spec = Small();
  spec.order_budget = 0;
  ExpectError(ErrorCode::kInvalidArgument, {"order budget is 0"},
              [&] { RunExperiment(spec); });
  spec.environment.learners = 0;
  ExpectError(ErrorCode::kInvalidArgument,
              {"order_budget is 0", "learners is 0"},
              [&] { RunExperiment(spec); });
  spec = Small();
  spec.environment.learners = 1'000'000'000;
  spec.environment.zipf = 0;
  spec.steps = 1'000'000'000;
  ExpectError(ErrorCode::kTooLarge, {"1000000000 learners", "GB"},
              [&] { RunExperiment(spec); });
}

}  // namespace
}  // namespace manyarms
