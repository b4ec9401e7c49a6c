#include "reproduction/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "in_a_folder.h"
#include "no_new_threads.h"
#include "testing.h"

namespace manyarms::reproduction {
namespace {

using manyarms::testing::ExpectError;

Job SmallJob(const std::string& policy, const std::string& search,
             std::uint64_t seed) {
  Json bandit = {{"policy", policy},
                 {"search", search},
                 {"exploration", 2},
                 {"regularisation", 1}};
  if (policy == "elim") bandit["accuracy"] = 0.01;
  if (search == "hnsw") {
    bandit["shortlist"] = 5;
    bandit["beam"] = 16;
  }
  return {policy + ", " + search + ", run " + std::to_string(seed),
          {{"world",
            {{"kind", "synthetic"},
             {"arms", 50},
             {"dim", 4},
             {"steps", 100},
             {"add", 1},
             {"remove", 0},
             {"every", 10},
             {"noise", 1},
             {"theta_seed", seed}}},
           {"bandit", bandit},
           {"seed", seed}}};
}

std::vector<Job> SmallJobs() {
  std::vector<Job> jobs;
  for (const char* policy : {"ts", "elim"}) {
    for (const char* search : {"scan", "certified", "hnsw"}) {
      for (const std::uint64_t seed : {1U, 2U}) {
        jobs.push_back(SmallJob(policy, search, seed));
      }
    }
  }
  return jobs;
}

class Observer : public RunObserver {
 public:
  void Update(double done, std::size_t finished) override {
    EXPECT_GE(done, last_done_ - 1e-9);
    EXPECT_LE(done, 1 + 1e-9);
    EXPECT_GE(finished, last_finished_);
    last_done_ = done;
    last_finished_ = finished;
  }
  void Failed(const Job& job, const std::string& reason) override {
    failures_.push_back(job.label + ": " + reason);
  }

  double last_done() const { return last_done_; }
  std::size_t last_finished() const { return last_finished_; }
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  double last_done_ = 0;
  std::size_t last_finished_ = 0;
  std::vector<std::string> failures_;
};

class RunJobsTest : public manyarms::testing::InAFolder {
 protected:
  RunOutcome Run(const std::vector<Job>& jobs, unsigned threads,
                 const std::string& name = "rows.jsonl") {
    RowFile rows(folder_ / name);
    return RunJobs(jobs, Worlds(), threads, rows, observer_, stop_);
  }
  RowsBySettings Rows(const std::string& name = "rows.jsonl") const {
    const ReadRows read = ReadRowFile(folder_ / name);
    EXPECT_TRUE(read.complaints.empty());
    return read.rows;
  }

  Observer observer_;
  std::atomic<bool> stop_ = false;
};

TEST_F(RunJobsTest, AddsARowForEachJob) {
  const std::vector<Job> jobs = SmallJobs();
  const RunOutcome outcome = Run(jobs, 2);
  EXPECT_EQ(outcome.finished, 12U);
  EXPECT_EQ(outcome.failed, 0U);
  EXPECT_FALSE(outcome.stopped);
  EXPECT_NEAR(observer_.last_done(), 1, 1e-9);
  EXPECT_EQ(observer_.last_finished(), 12U);
  const RowsBySettings rows = Rows();
  EXPECT_EQ(rows.size(), 12U);
  for (const Job& job : jobs) {
    const auto found = rows.find(job.settings.dump());
    ASSERT_NE(found, rows.end()) << job.label;
    EXPECT_EQ(found->second.at("settings"), job.settings);
    EXPECT_GT(found->second.at("regret"), 0);
    EXPECT_EQ(found->second.at("curve").at("step").back(), 100);
    EXPECT_EQ(found->second.at("origin").at("threads"), 2);
  }
}

TEST_F(RunJobsTest, GivesTheSameRowsWithAnyNumberOfThreads) {
  const std::vector<Job> jobs = SmallJobs();
  const auto rows_from = [&](unsigned threads) {
    const std::string name = std::to_string(threads) + ".jsonl";
    observer_ = Observer();
    Run(jobs, threads, name);
    RowsBySettings rows = Rows(name);
    for (auto& [key, row] : rows) {
      EXPECT_EQ(row.erase("times"), 1U);
      EXPECT_EQ(row.erase("origin"), 1U);
    }
    return rows;
  };
  const RowsBySettings one = rows_from(1);
  EXPECT_EQ(one.size(), 12U);
  EXPECT_EQ(rows_from(3), one);
  const testing::NoNewThreads no_new_threads;
  EXPECT_EQ(rows_from(2), one);
}

// Without this, the test above could pass with rows that are all alike.
TEST_F(RunJobsTest, FollowsTheSettings) {
  Run(SmallJobs(), 1);
  const RowsBySettings rows = Rows();
  const auto digest = [&](const char* policy, const char* search,
                          std::uint64_t seed) {
    return rows.at(SmallJob(policy, search, seed).settings.dump())
        .at("decision_digest");
  };
  EXPECT_EQ(digest("ts", "scan", 1), digest("ts", "certified", 1));
  EXPECT_EQ(digest("elim", "scan", 1), digest("elim", "certified", 1));
  EXPECT_NE(digest("ts", "scan", 1), digest("elim", "scan", 1));
  EXPECT_NE(digest("ts", "scan", 1), digest("ts", "scan", 2));
}

TEST_F(RunJobsTest, ReportsJobsThatFailAndGoesOn) {
  Job broken = SmallJob("ts", "scan", 2);
  broken.settings["world"]["arms"] = 0;
  const std::vector<Job> jobs = {
      SmallJob("guess", "scan", 1), SmallJob("ts", "scan", 1), broken,
      SmallJob("ts", "oracle", 1), SmallJob("ts", "certified", 1)};
  const RunOutcome outcome = Run(jobs, 1);
  EXPECT_EQ(outcome.finished, 2U);
  EXPECT_EQ(outcome.failed, 3U);
  EXPECT_FALSE(outcome.stopped);
  const std::vector<std::string>& failures = observer_.failures();
  ASSERT_EQ(failures.size(), 3U);
  EXPECT_EQ(failures[0],
            "guess, scan, run 1: policy is \"guess\", which is not known");
  EXPECT_TRUE(failures[1].starts_with("ts, scan, run 2: arms is 0"));
  EXPECT_EQ(failures[2],
            "ts, oracle, run 1: search is \"oracle\", which is not known");
  EXPECT_EQ(Rows().size(), 2U);
}

TEST_F(RunJobsTest, ReportsAJobWithAMissingFieldAndGoesOn) {
  Job broken = SmallJob("ts", "scan", 2);
  broken.settings["world"].erase("steps");
  const RunOutcome outcome = Run({broken, SmallJob("ts", "scan", 1)}, 1);
  EXPECT_EQ(outcome.finished, 1U);
  EXPECT_EQ(outcome.failed, 1U);
  EXPECT_EQ(observer_.failures().size(), 1U);
}

TEST_F(RunJobsTest, DoesNothingOnceStopped) {
  stop_ = true;
  for (const unsigned threads : {1U, 3U}) {
    const RunOutcome outcome = Run(SmallJobs(), threads);
    EXPECT_EQ(outcome.finished, 0U);
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_TRUE(outcome.stopped);
  }
  EXPECT_TRUE(Rows().empty());
}

class StopsAfterTwoRows : public Observer {
 public:
  explicit StopsAfterTwoRows(std::atomic<bool>& stop) : stop_(stop) {}
  void Update(double done, std::size_t finished) override {
    Observer::Update(done, finished);
    if (finished >= 2) stop_ = true;
  }

 private:
  std::atomic<bool>& stop_;
};

TEST_F(RunJobsTest, KeepsFinishedRunsWhenStopped) {
  StopsAfterTwoRows observer(stop_);
  RowFile rows(folder_ / "rows.jsonl");
  const RunOutcome outcome =
      RunJobs(SmallJobs(), Worlds(), 1, rows, observer, stop_);
  EXPECT_EQ(outcome.finished, 2U);
  EXPECT_TRUE(outcome.stopped);
  EXPECT_TRUE(observer.failures().empty());
  EXPECT_EQ(Rows().size(), 2U);
}

TEST_F(RunJobsTest, EndsWhenRowsCannotBeWritten) {
  for (const unsigned threads : {1U, 3U}) {
    RowFile full("/dev/full");
    ExpectError(ErrorCode::kIo, {"/dev/full"}, [&] {
      RunJobs(SmallJobs(), Worlds(), threads, full, observer_, stop_);
    });
    // No job failed.
    EXPECT_TRUE(observer_.failures().empty());
    observer_ = Observer();
  }
}

TEST_F(RunJobsTest, AcceptsNoJobs) {
  const RunOutcome outcome = Run({}, 2);
  EXPECT_EQ(outcome.finished, 0U);
  EXPECT_FALSE(outcome.stopped);
}

}  // namespace
}  // namespace manyarms::reproduction
