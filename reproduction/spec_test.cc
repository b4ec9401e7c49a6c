#include "reproduction/spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "in_a_folder.h"
#include "reproduction/setting.h"
#include "testing.h"

namespace manyarms::reproduction {
namespace {

using manyarms::testing::ExpectError;

// Calls visit(table, setting, algorithm) for every cell of the paper's tables.
template <class Visit>
void ForEachPaperCell(const Visit& visit) {
  for (const Table& table : PaperTables()) {
    for (const Setting& setting : table.settings) {
      for (const Algorithm& algorithm : setting.algorithms) {
        SCOPED_TRACE("Table " + table.id + ", " + setting.name + ", " +
                     algorithm.name);
        visit(table, setting, algorithm);
      }
    }
  }
}

TEST(PaperTables, AreTheFiveOfThePaperAndTheGrid) {
  std::multiset<std::string> ids;
  for (const Table& table : PaperTables()) {
    ids.insert(table.id);
    EXPECT_FALSE(table.title.empty());
    EXPECT_FALSE(table.settings.empty());
    EXPECT_EQ(table.is_movielens(), table.id == "3" || table.id == "grid");
  }
  EXPECT_EQ(ids, (std::multiset<std::string>{"1", "2", "3", "4", "5", "grid"}));
}

// The paper prints both seconds and speed-ups. Comparing them finds mistakes in
// copying either.
TEST(PaperTables, HaveSpeedUpsThatFollowFromTheirSeconds) {
  int checked = 0;
  ForEachPaperCell([&](const Table& /*table*/, const Setting& setting,
                       const Algorithm& algorithm) {
    if (algorithm.baseline.empty() || !algorithm.paper) return;
    const auto baseline = std::ranges::find(
        setting.algorithms, algorithm.baseline, &Algorithm::name);
    ASSERT_NE(baseline, setting.algorithms.end());
    ASSERT_TRUE(baseline->paper.has_value());
    const PaperFigures& paper = *algorithm.paper;
    const double seconds = baseline->paper->seconds;
    EXPECT_NEAR(paper.speedup * paper.seconds / seconds, 1, 0.01);
    EXPECT_NEAR(paper.run_speedup * paper.run_seconds / seconds, 1, 0.01);
    EXPECT_LT(paper.run_seconds, paper.seconds);
    ++checked;
  });
  // 4 in Table 1, 4 in Table 2, 4 in Table 3, 3 in Table 4, 6 in Table 5.
  EXPECT_EQ(checked, 21);
}

TEST(PaperTables, HaveBaselinesWithASpeedUpOfOne) {
  ForEachPaperCell([](const Table& /*table*/, const Setting& /*setting*/,
                      const Algorithm& algorithm) {
    if (!algorithm.baseline.empty() || !algorithm.paper) return;
    EXPECT_EQ(algorithm.paper->speedup, 1);
    EXPECT_EQ(algorithm.paper->run_speedup, 1);
    EXPECT_EQ(algorithm.paper->run_seconds, algorithm.paper->seconds);
  });
}

TEST(PaperTables, HaveBaselinesThatDifferInTheSearchOnly) {
  ForEachPaperCell([](const Table& /*table*/, const Setting& setting,
                      const Algorithm& algorithm) {
    if (algorithm.baseline.empty()) return;
    const auto baseline = std::ranges::find(
        setting.algorithms, algorithm.baseline, &Algorithm::name);
    ASSERT_NE(baseline, setting.algorithms.end());
    EXPECT_EQ(baseline->bandit.at("search"), "scan");
    Json bandit = algorithm.bandit;
    for (const char* field : {"search", "shortlist", "beam"}) {
      bandit.erase(field);
    }
    Json other = baseline->bandit;
    other.erase("search");
    EXPECT_EQ(bandit, other);
  });
}

TEST(PaperTables, AskForBanditsThatCanBeMade) {
  int made = 0;
  ForEachPaperCell([&](const Table& /*table*/, const Setting& setting,
                       const Algorithm& algorithm) {
    const Json& world = setting.world;
    // Table 3's constants may still have to be chosen.
    if (world.contains("features") && world["features"].empty()) return;
    EXPECT_NO_THROW(
        ParseBandit(algorithm.bandit, world.at("dim"), world.at("steps"), 1));
    ++made;
  });
  EXPECT_GT(made, 40);
}

constexpr const char* kText = R"json({
  "table": "7",
  "title": "A title",
  "about": "What it is about.",
  "world": {"kind": "synthetic", "dim": 4, "arms": 10},
  "bandit": {"exploration": 2, "accuracy": 0.01, "regularisation": 1,
             "beam": 64},
  "settings": [
    {
      "name": "first",
      "remarks": ["One thing.", "Another."],
      "algorithms": [
        {"name": "a", "policy": "elim", "search": "scan",
         "paper": {"regret": 10, "spread": 2, "seconds": 8}},
        {"name": "b", "baseline": "a", "policy": "elim", "search": "hnsw",
         "shortlist": 30,
         "paper": {"regret": 11, "spread": 3, "seconds": 4, "run_seconds": 2,
                   "speedup": 2, "run_speedup": 4}},
        {"name": "c", "policy": "ts", "search": "certified", "exploration": 3}
      ]
    },
    {
      "name": "second",
      "world": {"arms": 20},
      "bandit": {"regularisation": 5},
      "algorithms": [{"name": "a", "policy": "ts", "search": "scan"}]
    }
  ]
})json";

TEST(ParseTable, ReadsAllFields) {
  const Table table = ParseTable(kText);
  EXPECT_EQ(table.id, "7");
  EXPECT_EQ(table.title, "A title");
  EXPECT_EQ(table.about, "What it is about.");
  EXPECT_FALSE(table.is_movielens());
  ASSERT_EQ(table.settings.size(), 2U);
  const Setting& setting = table.settings[0];
  EXPECT_EQ(setting.name, "first");
  EXPECT_EQ(setting.remarks,
            (std::vector<std::string>{"One thing.", "Another."}));
  ASSERT_EQ(setting.algorithms.size(), 3U);
  const Algorithm& graph = setting.algorithms[1];
  EXPECT_EQ(graph.name, "b");
  EXPECT_EQ(graph.baseline, "a");
  ASSERT_TRUE(graph.paper.has_value());
  EXPECT_EQ(graph.paper->regret, 11);
  EXPECT_EQ(graph.paper->spread, 3);
  EXPECT_EQ(graph.paper->seconds, 4);
  EXPECT_EQ(graph.paper->run_seconds, 2);
  EXPECT_EQ(graph.paper->speedup, 2);
  EXPECT_EQ(graph.paper->run_speedup, 4);
  const Algorithm& scan = setting.algorithms[0];
  EXPECT_EQ(scan.baseline, "");
  EXPECT_EQ(scan.paper->run_seconds, 8);
  EXPECT_EQ(scan.paper->speedup, 1);
  EXPECT_FALSE(setting.algorithms[2].paper.has_value());
}

TEST(ParseTable, LetsInnerValuesOverrideOuterOnes) {
  const Table table = ParseTable(kText);
  EXPECT_EQ(table.settings[0].world,
            (Json{{"kind", "synthetic"}, {"dim", 4}, {"arms", 10}}));
  EXPECT_EQ(table.settings[1].world,
            (Json{{"kind", "synthetic"}, {"dim", 4}, {"arms", 20}}));
  EXPECT_EQ(table.settings[0].algorithms[2].bandit.at("exploration"), 3);
  EXPECT_EQ(table.settings[0].algorithms[1].bandit.at("exploration"), 2);
  EXPECT_EQ(table.settings[1].algorithms[0].bandit.at("regularisation"), 5);
}

// Otherwise identical runs would be done twice.
TEST(ParseTable, LeavesOutOptionsThatAnAlgorithmDoesNotUse) {
  const Setting setting = ParseTable(kText).settings[0];
  EXPECT_EQ(setting.algorithms[0].bandit, (Json{{"policy", "elim"},
                                                {"search", "scan"},
                                                {"exploration", 2},
                                                {"accuracy", 0.01},
                                                {"regularisation", 1}}));
  EXPECT_EQ(setting.algorithms[1].bandit, (Json{{"policy", "elim"},
                                                {"search", "hnsw"},
                                                {"shortlist", 30},
                                                {"beam", 64},
                                                {"exploration", 2},
                                                {"accuracy", 0.01},
                                                {"regularisation", 1}}));
  EXPECT_EQ(setting.algorithms[2].bandit, (Json{{"policy", "ts"},
                                                {"search", "certified"},
                                                {"exploration", 3},
                                                {"regularisation", 1}}));
}

TEST(ParseTable, MakesASettingOfEachCombination) {
  Json json = Json::parse(kText);
  json["vary"] = {{"features", {{{"target", "x"}}, {{"target", "y"}}}},
                  {"exploration", {1, 2, 3}}};
  const Table table = ParseTable(json.dump());
  ASSERT_EQ(table.settings.size(), 12U);
  std::set<std::string> combinations;
  for (const Setting& setting : table.settings) {
    combinations.insert(setting.name + setting.world.at("features").dump() +
                        setting.algorithms[0].bandit.at("exploration").dump());
  }
  EXPECT_EQ(combinations.size(), 12U);
}

TEST(ParseTable, RefusesOtherJson) {
  for (const char* bad : {"", "{", "[]", "3", "null", "{}"}) {
    ExpectError(ErrorCode::kInvalidArgument, {"not a description of a table"},
                [&] { ParseTable(bad); });
  }
}

TEST(ParseTable, RefusesATableWithAMissingField) {
  const auto expect_refusal = [](const char* pointer) {
    SCOPED_TRACE(pointer);
    const Json::json_pointer where(pointer);
    Json json = Json::parse(kText);
    json[where.parent_pointer()].erase(where.back());
    ExpectError(ErrorCode::kInvalidArgument, {where.back()},
                [&] { ParseTable(json.dump()); });
  };
  for (const char* pointer :
       {"/table", "/title", "/about", "/settings", "/world/kind",
        "/settings/0/name", "/settings/0/algorithms",
        "/settings/0/algorithms/0/name", "/settings/0/algorithms/0/policy",
        "/settings/0/algorithms/0/search",
        "/settings/0/algorithms/0/paper/regret",
        "/settings/0/algorithms/0/paper/spread",
        "/settings/0/algorithms/0/paper/seconds"}) {
    expect_refusal(pointer);
  }
}

TEST(ParseTable, RefusesFieldsOfTheWrongType) {
  const auto expect_refusal = [](const char* pointer, const Json& value) {
    SCOPED_TRACE(pointer);
    Json json = Json::parse(kText);
    json[Json::json_pointer(pointer)] = value;
    ExpectError(ErrorCode::kInvalidArgument, {"not a description of a table"},
                [&] { ParseTable(json.dump()); });
  };
  expect_refusal("/table", 7);
  expect_refusal("/settings", "none");
  expect_refusal("/settings/0/algorithms/0/paper/regret", "much");
  expect_refusal("/settings/0/algorithms/0/name", 1);
}

TEST(ParseTable, RefusesAnUnknownBaseline) {
  Json json = Json::parse(kText);
  json["settings"][0]["algorithms"][1]["baseline"] = "somebody";
  ExpectError(ErrorCode::kInvalidArgument,
              {"baseline of b is somebody", "setting first"},
              [&] { ParseTable(json.dump()); });
}

class TableFolder : public manyarms::testing::InAFolder {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
};

TEST_F(TableFolder, IsReadInTheOrderOfItsFileNames) {
  Json json = Json::parse(kText);
  json["table"] = "last";
  Write("z.json", json.dump());
  json["table"] = "first";
  Write("a.json", json.dump());
  Write("notes.txt", "not a table");
  const std::vector<Table> tables = ReadTables(folder_);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].id, "first");
  EXPECT_EQ(tables[1].id, "last");
}

TEST_F(TableFolder, HasErrorsThatNameTheFile) {
  Write("good.json", kText);
  Write("wrong.json", "{\"table\": ");
  ExpectError(
      ErrorCode::kInvalidArgument,
      {(folder_ / "wrong.json").string(), "not a description of a table"},
      [&] { ReadTables(folder_); });
}

TEST_F(TableFolder, MustHaveTables) {
  Write("notes.txt", "not a table");
  ExpectError(ErrorCode::kIo, {"no tables", folder_.string()},
              [&] { ReadTables(folder_); });
  ExpectError(ErrorCode::kIo, {"no tables", "missing"},
              [&] { ReadTables(folder_ / "missing"); });
}

}  // namespace
}  // namespace manyarms::reproduction
