// The load test, the demo and exported logs, with a service as it is run.

#include <gtest/gtest.h>

#include <mutex>
#include <sstream>

#include "becomes.h"
#include "in_a_folder.h"
#include "manyarms/choice_reader.h"
#include "manyarms/evaluation_log.h"
#include "service/api/service.h"
#include "service/engine/log_export.h"
#include "service/load/demo.h"
#include "service/load/run_load.h"
#include "testing.h"

namespace manyarms::load {
namespace {

using testing::Becomes;

class RealService : public testing::InAFolder {
 protected:
  RealService() {
    service::ServiceOptions options;
    options.store.place = Place();
    options.server.port = 0;
    options.server.threads = 2;
    service_.emplace(options);
  }

  std::string Place() const { return (folder_ / "store.db").string(); }

  LoadOptions Options() const {
    LoadOptions options;
    options.drive.endpoint.port = service_->port();
    options.drive.connections = 8;
    options.drive.choices = 400;
    options.world = {.arms = 300, .dim = 4, .learners = 20};
    return options;
  }

  std::optional<service::Service> service_;
};

TEST_F(RealService, AnswersALoadTestWithoutErrors) {
  const LoadReport report = RunLoadTest(Options());
  EXPECT_TRUE(report.tally.errors.empty()) << report.tally.first_error;
  EXPECT_EQ(report.tally.choose.count(), 400U);
  EXPECT_EQ(report.tally.reward.count(), 400U);
  EXPECT_TRUE(service_->engine().Bandits().empty());
}

TEST_F(RealService, AnswersBatchesForArmsWithNumbers) {
  LoadOptions options = Options();
  options.drive.batch = 20;
  options.drive.numbered = true;
  options.world.clicks = true;
  options.settings = R"({"aggregation":"sum"})";
  const LoadReport report = RunLoadTest(options);
  EXPECT_TRUE(report.tally.errors.empty()) << report.tally.first_error;
  EXPECT_EQ(report.tally.choose.count(), 20U);
}

TEST_F(RealService, KeepsABanditThatIsUsedAgain) {
  LoadOptions options = Options();
  options.keep = true;
  RunLoadTest(options);
  testing::ExpectError(ErrorCode::kDuplicateId, {"load-test"},
                       [&] { RunLoadTest(options); });
  options.reuse = true;
  options.drive.visits = 2;
  const LoadReport report = RunLoadTest(options);
  EXPECT_TRUE(report.tally.errors.empty()) << report.tally.first_error;
  EXPECT_EQ(service_->engine().At("load-test")->stats().choices, 800U);
}

TEST_F(RealService, ExportsWhatALoadTestHasDone) {
  LoadOptions options = Options();
  options.keep = true;
  options.world.arms = 5;
  options.settings = R"({"explore_uniform":0.4})";
  RunLoadTest(options);
  std::ostringstream out;
  const service::ExportedEvents counts =
      service::ExportLog({.place = Place(), .bandit = "load-test"}, out);
  EXPECT_EQ(counts.decisions, 400U);
  EXPECT_EQ(counts.rewards, 400U);
  EXPECT_EQ(counts.arm_changes, 5U);
  std::istringstream in(out.str());
  const EvaluationLog log = ReadEvaluationLog(in);
  EXPECT_EQ(log.choices, 400U);
  EXPECT_GT(log.uniform, 100U);
  EXPECT_EQ(log.without_reward, 0U);
  const ReplayResult replayed =
      Replay(log, {}, {.policy = PopulationOptions{.dim = 4}});
  EXPECT_EQ(replayed.offered, log.uniform);
}

// What a demo says goes wrong.
class Complaints {
 public:
  void Add(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    all_ += text + '\n';
  }
  std::string All() {
    const std::scoped_lock lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::string all_;
};

TEST_F(RealService, ShowsADemoThatGoesOnAfterwards) {
  Complaints complaints;
  const DemoOptions options = {
      .port = service_->port(),
      .choices_per_second = 1000,
      .log = [&](const std::string& text) { complaints.Add(text); }};
  const auto bandit = [this] { return service_->engine().At("demo"); };
  {
    const Demo demo(options);
    EXPECT_EQ(bandit()->arms(), Demo::kArms);
    EXPECT_TRUE(Becomes([&] { return bandit()->stats().choices >= 200; }));
  }
  const Demo again(options);
  EXPECT_EQ(bandit()->arms(), Demo::kArms);
  EXPECT_TRUE(Becomes([&] { return bandit()->stats().rewards > 0; }));
  EXPECT_EQ(complaints.All(), "");
}

}  // namespace
}  // namespace manyarms::load
