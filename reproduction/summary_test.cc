#include "reproduction/summary.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace manyarms::reproduction {
namespace {

// Two settings of a synthetic world; the paper's regret is 100.
Table Synthetic() {
  return ParseTable(R"json({
    "table": "7", "title": "", "about": "",
    "world": {"kind": "synthetic", "dim": 4, "steps": 100, "add": 1,
              "remove": 0, "every": 10, "noise": 1},
    "bandit": {"exploration": 2, "regularisation": 1, "policy": "ts",
               "beam": 8},
    "settings": [
      {"name": "few", "world": {"arms": 50}, "algorithms": [
        {"name": "scan", "search": "scan",
         "paper": {"regret": 100, "spread": 10, "seconds": 8}},
        {"name": "graph 10", "baseline": "scan", "search": "hnsw",
         "shortlist": 10,
         "paper": {"regret": 101, "spread": 10, "seconds": 4}},
        {"name": "graph 30", "baseline": "scan", "search": "hnsw",
         "shortlist": 30,
         "paper": {"regret": 101, "spread": 10, "seconds": 4}},
        {"name": "certified", "baseline": "scan", "search": "certified"},
        {"name": "scan, theory", "search": "scan", "exploration": "theory"}]},
      {"name": "many", "world": {"arms": 90}, "algorithms": [
        {"name": "scan", "search": "scan"}]}]})json");
}

Table Movies() {
  return ParseTable(R"json({
    "table": "m", "title": "", "about": "",
    "world": {"kind": "movielens", "dim": 4, "steps": 100, "arms": 10,
              "users": "test", "add": 1, "every": 10, "features": {}},
    "bandit": {"exploration": 2, "regularisation": 1, "policy": "ts"},
    "settings": [{"name": "TS", "algorithms": [
      {"name": "scan", "search": "scan"},
      {"name": "certified", "baseline": "scan", "search": "certified"}]}]
    })json");
}

struct Made {
  double regret = 100;
  double setup_seconds = 0;
  double run_seconds = 1;
  std::string digest = "0";
};

// Makes rows with invented results.
class RowMaker {
 public:
  void Add(const Json& settings, const Made& made) {
    rows_[settings.dump()] = {{"settings", settings},
                              {"regret", made.regret},
                              {"decision_digest", made.digest},
                              {"times",
                               {{"setup_seconds", made.setup_seconds},
                                {"run_seconds", made.run_seconds}}}};
  }

  // Adds a run for each of `made`, in the order of seeds.
  void AddRuns(const Setting& setting, std::size_t algorithm,
               const std::vector<Made>& made, Theta theta = Theta::kNew) {
    const auto runs = RunsOf(setting, setting.algorithms[algorithm], theta,
                             {.runs = made.size(), .users = made.size()});
    for (std::size_t i = 0; i < made.size(); ++i) Add(runs[i], made[i]);
  }

  const RowsBySettings& rows() const { return rows_; }

 private:
  RowsBySettings rows_;
};

std::vector<Made> Regretting(const std::vector<double>& regrets) {
  std::vector<Made> made;
  made.reserve(regrets.size());
  for (const double regret : regrets) made.push_back({.regret = regret});
  return made;
}

SettingSummary FirstSetting(const RowMaker& maker) {
  return Summarise({Synthetic()}, maker.rows())[0].settings[0];
}

TEST(Summarise, PutsRowsIntoTheirCellsInTheOrderOfSeeds) {
  const Table table = Synthetic();
  RowMaker maker;
  // Twelve runs are needed to see that seeds are not sorted as texts.
  std::vector<double> regrets(12);
  std::iota(regrets.begin(), regrets.end(), 100);
  maker.AddRuns(table.settings[0], 0, Regretting(regrets));
  maker.AddRuns(table.settings[0], 1, Regretting({7}));
  maker.AddRuns(table.settings[1], 0, Regretting({8, 9}));
  const std::vector<TableSummary> summaries =
      Summarise({table, Movies()}, maker.rows());
  ASSERT_EQ(summaries.size(), 2U);
  ASSERT_EQ(summaries[0].settings.size(), 2U);
  const std::vector<Cell>& few = summaries[0].settings[0].cells;
  ASSERT_EQ(few.size(), 5U);
  EXPECT_EQ(few[0].algorithm.name, "scan");
  EXPECT_EQ(Regrets(few[0].new_theta), regrets);
  EXPECT_EQ(Regrets(few[1].new_theta), std::vector<double>{7});
  EXPECT_FALSE(few[2].has_runs());
  EXPECT_FALSE(few[4].has_runs());
  EXPECT_EQ(Regrets(summaries[0].settings[1].cells[0].new_theta),
            (std::vector<double>{8, 9}));
  EXPECT_TRUE(summaries[0].has_runs());
  EXPECT_FALSE(summaries[1].has_runs());
}

// The first run of both groups is the same.
TEST(Summarise, SeparatesNewParametersFromASharedOne) {
  const Setting setting = Synthetic().settings[0];
  RowMaker maker;
  maker.AddRuns(setting, 0, Regretting({1, 2, 3, 4}));
  maker.AddRuns(setting, 0, Regretting({1, 20, 30}), Theta::kOne);
  maker.AddRuns(setting, 1, Regretting({5, 6}));
  const SettingSummary summary = FirstSetting(maker);
  EXPECT_EQ(Regrets(summary.cells[0].new_theta),
            (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(Regrets(summary.cells[0].one_theta),
            (std::vector<double>{1, 20, 30}));
  EXPECT_EQ(Regrets(summary.cells[1].new_theta), (std::vector<double>{5, 6}));
  EXPECT_TRUE(summary.cells[1].one_theta.empty());
}

TEST(Summarise, CountsUsersAsNewParameters) {
  const Table table = Movies();
  RowMaker maker;
  maker.AddRuns(table.settings[0], 0, Regretting({1, 2, 3}));
  const Cell cell = Summarise({table}, maker.rows())[0].settings[0].cells[0];
  EXPECT_EQ(Regrets(cell.new_theta), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(cell.one_theta.empty());
}

TEST(Summarise, LeavesOutRowsOfOtherSettings) {
  const Setting setting = Synthetic().settings[0];
  RowMaker maker;
  maker.AddRuns(setting, 0, Regretting({1}));
  Setting other = setting;
  other.world["noise"] = 2;
  maker.AddRuns(other, 0, Regretting({2}));
  other = setting;
  other.algorithms[0].bandit["exploration"] = 2.5;
  maker.AddRuns(other, 0, Regretting({3}));
  other = setting;
  other.world["more"] = "than is known";
  maker.AddRuns(other, 0, Regretting({4}));
  ASSERT_EQ(maker.rows().size(), 4U);
  const SettingSummary summary = FirstSetting(maker);
  EXPECT_EQ(Regrets(summary.cells[0].new_theta), std::vector<double>{1});
  for (std::size_t i = 1; i < 5; ++i) EXPECT_FALSE(summary.cells[i].has_runs());
}

TEST(SettingSummary, FindsTheBaseline) {
  const SettingSummary summary = FirstSetting({});
  EXPECT_EQ(summary.BaselineOf(summary.cells[1]), &summary.cells[0]);
  EXPECT_EQ(summary.BaselineOf(summary.cells[0]), nullptr);
}

// Runs of 3, 31 and 6 seconds, or 3, 30 and 4 without set-up.
std::vector<Made> ThreeTimes() {
  return {{.run_seconds = 3},
          {.setup_seconds = 1, .run_seconds = 30},
          {.setup_seconds = 2, .run_seconds = 4}};
}

TEST(Seconds, AreMediansWithAndWithoutBuildingTheGraph) {
  const Setting setting = Synthetic().settings[0];
  RowMaker maker;
  for (const std::size_t i : {0U, 1U, 3U}) {
    maker.AddRuns(setting, i, ThreeTimes());
  }
  const SettingSummary summary = FirstSetting(maker);
  const Cell& scan = summary.cells[0];
  EXPECT_EQ(Seconds(scan), 6);
  EXPECT_EQ(SecondsWithoutGraph(scan), 6);
  const Cell& graph = summary.cells[1];
  EXPECT_EQ(Seconds(graph), 6);
  EXPECT_EQ(SecondsWithoutGraph(graph), 4);
  // Certified search builds nothing beforehand.
  EXPECT_EQ(SecondsWithoutGraph(summary.cells[3]), 6);
}

TEST(Seconds, AreThoseOfNewParametersOnly) {
  const Setting setting = Synthetic().settings[0];
  RowMaker maker;
  const Made slow = {.run_seconds = 1000};
  maker.AddRuns(setting, 0, {slow, slow, slow}, Theta::kOne);
  maker.AddRuns(setting, 0, ThreeTimes());
  EXPECT_EQ(Seconds(FirstSetting(maker).cells[0]), 6);
}

TEST(SpeedUp, IsTheBaselinesTimeOverOurs) {
  const Setting setting = Synthetic().settings[0];
  RowMaker maker;
  maker.AddRuns(setting, 0, {{.setup_seconds = 4, .run_seconds = 20}});
  maker.AddRuns(setting, 1, {{.setup_seconds = 6, .run_seconds = 2}});
  const SettingSummary summary = FirstSetting(maker);
  EXPECT_EQ(SpeedUp(summary.cells[1], summary.cells[0]), 3);
  EXPECT_EQ(SpeedUpWithoutGraph(summary.cells[1], summary.cells[0]), 12);
  EXPECT_EQ(SpeedUp(summary.cells[2], summary.cells[0]), 0);
  EXPECT_EQ(SpeedUpWithoutGraph(summary.cells[2], summary.cells[0]), 0);
  EXPECT_EQ(SpeedUp(summary.cells[1], summary.cells[2]), 0);
}

TEST(AgreementWith, ComparesOnlyRunsOfTheSameSeed) {
  const Setting setting = Synthetic().settings[0];
  RowMaker maker;
  maker.AddRuns(setting, 0,
                {{.digest = "a"}, {.digest = "b"}, {.digest = "c"}});
  maker.AddRuns(
      setting, 3,
      {{.digest = "a"}, {.digest = "c"}, {.digest = "c"}, {.digest = "d"}});
  const SettingSummary summary = FirstSetting(maker);
  const Agreement agreement = AgreementWith(summary.cells[3], summary.cells[0]);
  EXPECT_EQ(agreement.equal, 2U);
  EXPECT_EQ(agreement.of, 3U);
}

// A user's seed depends on the seed of the first run, so rows from two
// reproductions can have the same seed for different users.
TEST(AgreementWith, ComparesOnlyRunsOfTheSameUser) {
  const Table table = Movies();
  const Setting& setting = table.settings[0];
  RowMaker maker;
  for (const std::size_t algorithm : {0U, 1U}) {
    for (const std::uint64_t seed : {1U, 2U}) {
      for (const Json& run : RunsOf(setting, setting.algorithms[algorithm],
                                    Theta::kNew, {.users = 3, .seed = seed})) {
        // Decisions depend on the user and the seed, not on the search.
        maker.Add(run, {.digest = run.at("world").at("user").dump() +
                                  run.at("seed").dump()});
      }
    }
  }
  const SettingSummary summary =
      Summarise({table}, maker.rows())[0].settings[0];
  const Agreement agreement = AgreementWith(summary.cells[1], summary.cells[0]);
  EXPECT_EQ(agreement.equal, 6U);
  EXPECT_EQ(agreement.of, 6U);
}

// The verdict on an algorithm with the regrets `ours`, if the scan has `scan`.
std::optional<Verdict> Judged(std::size_t algorithm,
                              const std::vector<double>& scan,
                              const std::vector<double>& ours = {}) {
  const Setting setting = Synthetic().settings[0];
  RowMaker maker;
  maker.AddRuns(setting, 0, Regretting(scan));
  if (algorithm != 0) maker.AddRuns(setting, algorithm, Regretting(ours));
  const SettingSummary summary = FirstSetting(maker);
  return Judge(summary.cells[algorithm], summary);
}

// Just enough runs, all with this regret.
std::vector<double> Always(double regret) {
  std::vector<double> regrets(kRunsToJudge, regret);
  return regrets;
}

Verdict JudgedBaseline(const std::vector<double>& regrets) {
  return Judged(0, regrets).value_or(Verdict{false, "not judged"});
}

TEST(Judge, ComparesABaselineWithThePaper) {
  // The paper's regret is 100.
  EXPECT_TRUE(JudgedBaseline(Always(124)).holds);
  EXPECT_TRUE(JudgedBaseline(Always(76)).holds);
  EXPECT_FALSE(JudgedBaseline(Always(126)).holds);
  EXPECT_FALSE(JudgedBaseline(Always(74)).holds);
  EXPECT_EQ(JudgedBaseline(Always(126)).text,
            "+26 % off the paper's (margin 25 %)");
  EXPECT_EQ(JudgedBaseline(Always(90)).text,
            "-10 % off the paper's (margin 25 %)");
}

// Three regrets of 140 - 10 a and two of 140 + 15 a have mean 140 and a sum of
// squared differences of 750 a^2, so the standard error is
// sqrt(750/4/5) a = 6.12 a.
std::vector<double> About140(double a) {
  return {140 - 10 * a, 140 + 15 * a, 140 - 10 * a, 140 + 15 * a, 140 - 10 * a};
}

TEST(Judge, AllowsABaselineTwoStandardErrors) {
  const Verdict wide = JudgedBaseline(About140(4));
  EXPECT_TRUE(wide.holds);
  EXPECT_EQ(wide.text, "+40 % off the paper's (margin 49 %)");
  const Verdict narrow = JudgedBaseline(About140(3));
  EXPECT_FALSE(narrow.holds);
  EXPECT_EQ(narrow.text, "+40 % off the paper's (margin 37 %)");
}

TEST(Judge, ComparesAGraphWithItsBaseline) {
  const auto judged = [](std::size_t algorithm, double ours) {
    return Judged(algorithm, Always(1000), Always(ours))
        .value_or(Verdict{false, "not judged"});
  };
  const std::size_t graph_10 = 1;
  const std::size_t graph_30 = 2;
  EXPECT_TRUE(judged(graph_30, 1049).holds);
  EXPECT_TRUE(judged(graph_30, 951).holds);
  EXPECT_FALSE(judged(graph_30, 1051).holds);
  EXPECT_FALSE(judged(graph_30, 949).holds);
  EXPECT_TRUE(judged(graph_10, 1149).holds);
  EXPECT_TRUE(judged(graph_10, 851).holds);
  EXPECT_FALSE(judged(graph_10, 1151).holds);
  EXPECT_FALSE(judged(graph_10, 849).holds);
  EXPECT_EQ(judged(graph_30, 1051).text,
            "+5.1 % off its baseline's (standard error 0.0 %)");
}

// The differences are 5, 30, 5, 30 and 5, with mean 15 and standard error 6.12.
// They are divided by the scan's mean regret, 1000.
TEST(Judge, StatesTheStandardErrorOfAGraphsDifference) {
  const auto verdict =
      Judged(2, {800, 900, 1000, 1100, 1200}, {805, 930, 1005, 1130, 1205});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->text, "+1.5 % off its baseline's (standard error 0.6 %)");
}

TEST(Judge, NeedsEnoughRunsToJudgeRegrets) {
  const std::vector<double> few(kRunsToJudge - 1, 100);
  EXPECT_TRUE(Judged(0, Always(100)).has_value());
  EXPECT_FALSE(Judged(0, few).has_value());
  EXPECT_TRUE(Judged(2, Always(100), Always(100)).has_value());
  EXPECT_FALSE(Judged(2, Always(100), few).has_value());
  EXPECT_FALSE(Judged(2, few, Always(100)).has_value());
}

TEST(Judge, ComparesCertifiedSearchWithTheScansDecisions) {
  const Setting setting = Synthetic().settings[0];
  const auto judged = [&](const std::vector<Made>& certified) {
    RowMaker maker;
    maker.AddRuns(setting, 0, {{.digest = "a"}, {.digest = "b"}});
    maker.AddRuns(setting, 3, certified);
    const SettingSummary summary = FirstSetting(maker);
    return Judge(summary.cells[3], summary)
        .value_or(Verdict{false, "not judged"});
  };
  const Verdict same = judged({{.digest = "a"}, {.digest = "b"}});
  EXPECT_TRUE(same.holds);
  EXPECT_EQ(same.text, "the scan's decisions in 2 of 2 runs");
  const Verdict other = judged({{.digest = "a"}, {.digest = "a"}});
  EXPECT_FALSE(other.holds);
  EXPECT_EQ(other.text, "the scan's decisions in 1 of 2 runs");
}

TEST(Judge, NeedsACommonRunToAcceptCertifiedSearch) {
  const Setting setting = Synthetic().settings[0];
  RowMaker maker;
  maker.AddRuns(setting, 0, {{.digest = "a"}});
  maker.Add(RunsOf(setting, setting.algorithms[3], Theta::kNew, {.seed = 9})[0],
            {.digest = "a"});
  const SettingSummary summary = FirstSetting(maker);
  const auto verdict = Judge(summary.cells[3], summary);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_FALSE(verdict->holds);
}

TEST(Judge, IsEmptyIfThereIsNothingToCompareWith) {
  const Setting setting = Synthetic().settings[0];
  RowMaker maker;
  for (const std::size_t i : {1U, 3U, 4U}) {
    maker.AddRuns(setting, i, Regretting(Always(100)));
  }
  const SettingSummary summary = FirstSetting(maker);
  // These are a baseline without runs, two cells that are compared with it, and
  // a baseline that is not in the paper.
  for (const std::size_t i : {0U, 1U, 3U, 4U}) {
    EXPECT_FALSE(Judge(summary.cells[i], summary).has_value()) << i;
  }
}

}  // namespace
}  // namespace manyarms::reproduction
