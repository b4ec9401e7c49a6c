#include "reproduction/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace manyarms::reproduction {
namespace {

std::vector<Table> Tables(const std::set<std::string>& ids) {
  std::vector<Table> tables = PaperTables();
  std::erase_if(tables,
                [&](const Table& table) { return !ids.contains(table.id); });
  EXPECT_EQ(tables.size(), ids.size());
  return tables;
}

Table Movies(const std::string& users) {
  Json json = Json::parse(R"json({
    "table": "m", "title": "", "about": "",
    "world": {"kind": "movielens", "dim": 4, "steps": 100, "arms": 10,
              "add": 1, "every": 10, "features": {"target": "stars"}},
    "bandit": {"exploration": 2, "regularisation": 1},
    "settings": [{"name": "TS", "algorithms": [
      {"name": "scan", "policy": "ts", "search": "scan"},
      {"name": "certified", "policy": "ts", "search": "certified"}]}]})json");
  json["world"]["users"] = users;
  return ParseTable(json.dump());
}

std::size_t Count(const std::vector<Table>& tables,
                  const PlanOptions& options) {
  return PlanRuns(tables, options).size();
}

// Table 1 has 8 + 6 algorithms. Each has 10 runs with new parameters and 10
// with a shared one; the first run of both is the same.
TEST(PlanRuns, PlansEveryRunOnce) {
  EXPECT_EQ(Count(Tables({"1"}), {}), 14U * 19U);
  const std::vector<Job> jobs = PlanRuns(Tables({"1", "2", "4", "5"}), {});
  std::set<std::string> settings;
  for (const Job& job : jobs) {
    EXPECT_TRUE(settings.insert(job.settings.dump()).second) << job.label;
  }
}

// Of Table 2's 8 algorithms, two baselines and two certified searches are also
// in Table 1.
TEST(PlanRuns, SharesRunsBetweenTables) {
  EXPECT_EQ(Count(Tables({"2"}), {}), 8U * 19U);
  EXPECT_EQ(Count(Tables({"1", "2"}), {}), (14U + 4U) * 19U);
}

TEST(PlanRuns, PlansTheRequestedNumberOfRuns) {
  EXPECT_EQ(Count(Tables({"1"}), {.runs = 4}), 14U * 7U);
  EXPECT_EQ(Count(Tables({"1"}), {.runs = 1}), 14U);
}

// A quick plan has 3 runs of the 8 algorithms with 5,000 arms and 1 of the 6
// with 100,000.
TEST(PlanRuns, PlansFewRunsIfQuick) {
  EXPECT_EQ(Count(Tables({"1"}), {.quick = true}), 3U * 8U + 6U);
  EXPECT_EQ(Count(Tables({"1"}), {.runs = 2, .quick = true}), 2U * 8U + 6U);
  // Table 2's graphs over 100,000 arms differ only in the shortlist and are
  // left out.
  EXPECT_EQ(Count(Tables({"1", "2"}), {.quick = true}), 3U * 8U + 6U);
  EXPECT_EQ(Count({Movies("test")}, {.quick = true}), 2U * 10U);
  EXPECT_EQ(Count({Movies("test")}, {.users = 3, .quick = true}), 2U * 3U);
}

TEST(PlanRuns, PlansAtMostOneRunForEachUser) {
  EXPECT_EQ(Count({Movies("test")}, {.users = 7}), 2U * 7U);
  EXPECT_EQ(Count({Movies("test")}, {.users = 1000}), 2U * 300U);
  EXPECT_EQ(Count({Movies("validation")}, {.users = 1000}), 2U * 100U);
  Table table = Movies("test");
  table.settings[0].world["split"] = {{"test", 6}, {"validation", 4}};
  EXPECT_EQ(Count({table}, {}), 2U * 6U);
  table.settings[0].world["users"] = "validation";
  EXPECT_EQ(Count({table}, {}), 2U * 4U);
}

TEST(PlanRuns, GivesEachRunItsCompleteSettings) {
  const Table table = Tables({"1"})[0];
  const std::vector<Job> jobs = PlanRuns({table}, {.seed = 5});
  for (const Job& job : jobs) {
    ASSERT_EQ(job.settings.size(), 3U);
    Json world = job.settings.at("world");
    const std::uint64_t seed = job.settings.at("seed");
    const std::uint64_t theta_seed = world.at("theta_seed");
    EXPECT_GE(seed, 5U);
    EXPECT_LT(seed, 15U);
    EXPECT_TRUE(theta_seed == seed || theta_seed == 5) << job.label;
    world.erase("theta_seed");
    const bool known =
        std::ranges::any_of(table.settings, [&](const Setting& setting) {
          return setting.world == world &&
                 std::ranges::any_of(
                     setting.algorithms, [&](const Algorithm& algorithm) {
                       return algorithm.bandit == job.settings.at("bandit");
                     });
        });
    EXPECT_TRUE(known) << job.label;
  }
}

TEST(PlanRuns, PutsRunsWithNewParametersFirst) {
  const std::vector<Job> jobs = PlanRuns(Tables({"1", "2"}), {.runs = 3});
  const auto is_new = [](const Job& job) {
    return job.settings.at("world").at("theta_seed") == job.settings.at("seed");
  };
  // There are 14 + 4 algorithms with 3 runs each; then 2 of each with a shared
  // parameter, because the first run is the same.
  constexpr std::size_t kNew = 54;
  ASSERT_EQ(jobs.size(), kNew + 36);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(is_new(jobs[i]), i < kNew) << jobs[i].label;
  }
  EXPECT_EQ(jobs[kNew].label,
            "Table 1, K = 5,000, Linear Elim, run 2 with one θ*");
}

TEST(PlanRuns, LetsTheAlgorithmsTakeTurns) {
  const std::vector<Job> jobs = PlanRuns(Tables({"1"}), {.runs = 3});
  ASSERT_EQ(jobs.size(), 14U * 5U);
  EXPECT_EQ(jobs[0].label, "Table 1, K = 5,000, Linear Elim, run 1");
  EXPECT_EQ(jobs[1].label, "Table 1, K = 5,000, Sub-Elim, shortlist 30, run 1");
  EXPECT_EQ(jobs[7].label,
            "Table 1, K = 5,000, Linear TS, theory's exploration, run 1");
  EXPECT_EQ(jobs[8].label, "Table 1, K = 5,000, Linear Elim, run 2");
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(jobs[i].settings.at("seed"), 1 + i / 8);
  }
}

TEST(RunsOf, DrawsTheParameterAnewOrSharesIt) {
  const Setting setting = Tables({"1"})[0].settings[0];
  const Algorithm& algorithm = setting.algorithms[0];
  const PlanOptions options = {.runs = 3, .seed = 7};
  const auto fresh = RunsOf(setting, algorithm, Theta::kNew, options);
  const auto shared = RunsOf(setting, algorithm, Theta::kOne, options);
  ASSERT_EQ(fresh.size(), 3U);
  ASSERT_EQ(shared.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(fresh[i].at("seed"), 7 + i);
    EXPECT_EQ(shared[i].at("seed"), 7 + i);
    EXPECT_EQ(fresh[i].at("world").at("theta_seed"), 7 + i);
    EXPECT_EQ(shared[i].at("world").at("theta_seed"), 7);
  }
  EXPECT_EQ(fresh[0], shared[0]);
}

TEST(RunsOf, GivesEachUserARun) {
  const Setting setting = Movies("test").settings[0];
  const Algorithm& algorithm = setting.algorithms[0];
  const auto runs =
      RunsOf(setting, algorithm, Theta::kNew, {.users = 4, .seed = 2});
  ASSERT_EQ(runs.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(runs[i].at("world").at("user"), i);
    EXPECT_EQ(runs[i].at("seed"), 2 + i);
    EXPECT_FALSE(runs[i].at("world").contains("theta_seed"));
  }
  EXPECT_TRUE(RunsOf(setting, algorithm, Theta::kOne, {}).empty());
}

TEST(RunsOf, HasNoRunsWithASharedParameterIfQuick) {
  const Setting setting = Tables({"1"})[0].settings[0];
  EXPECT_TRUE(
      RunsOf(setting, setting.algorithms[0], Theta::kOne, {.quick = true})
          .empty());
}

}  // namespace
}  // namespace manyarms::reproduction
