#include "reproduction/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "manyarms/error.h"
#include "reproduction/experiments.h"

namespace manyarms::reproduction {
namespace {

Json Merged(Json base, const Json& patch) {
  base.merge_patch(patch);
  return base;
}

PaperFigures ParsePaper(const Json& json) {
  PaperFigures paper;
  paper.regret = json.at("regret");
  paper.spread = json.at("spread");
  paper.seconds = json.at("seconds");
  paper.run_seconds = json.value("run_seconds", paper.seconds);
  paper.speedup = json.value("speedup", 1.0);
  paper.run_speedup = json.value("run_speedup", paper.speedup);
  return paper;
}

Algorithm ParseAlgorithm(Json json, const Json& defaults) {
  Algorithm algorithm;
  algorithm.name = json.at("name");
  algorithm.baseline = json.value("baseline", "");
  if (json.contains("paper")) algorithm.paper = ParsePaper(json["paper"]);
  for (const char* key : {"name", "baseline", "paper"}) json.erase(key);
  algorithm.bandit = Merged(defaults, json);
  // A run's settings must hold only what affects its result, because a row is
  // found again by them.
  if (algorithm.bandit.at("policy") != "elim") {
    algorithm.bandit.erase("accuracy");
  }
  if (algorithm.bandit.at("search") != "hnsw") algorithm.bandit.erase("beam");
  return algorithm;
}

void CheckBaselines(const Setting& setting) {
  for (const Algorithm& algorithm : setting.algorithms) {
    const bool known =
        algorithm.baseline.empty() ||
        std::ranges::any_of(setting.algorithms, [&](const Algorithm& other) {
          return other.name == algorithm.baseline;
        });
    if (!known) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format(
              "the baseline of {} is {}, which setting {} does not have",
              algorithm.name, algorithm.baseline, setting.name));
    }
  }
}

void ParseSetting(const Json& part, const Json& world, const Json& bandit,
                  Table& table) {
  Setting setting{part.at("name"),
                  Merged(world, part.value("world", Json::object())),
                  {},
                  part.value("remarks", std::vector<std::string>())};
  const Json defaults = Merged(bandit, part.value("bandit", Json::object()));
  for (const Json& algorithm : part.at("algorithms")) {
    setting.algorithms.push_back(ParseAlgorithm(algorithm, defaults));
  }
  setting.world.at("kind");  // throws if it is missing
  CheckBaselines(setting);
  table.settings.push_back(std::move(setting));
}

// Adds one setting, or one for each combination of the values in `vary`.
void ParseSettings(const Json& part, Json world, Json bandit, const Json& vary,
                   Table& table) {
  if (vary.empty()) {
    ParseSetting(part, world, bandit, table);
    return;
  }
  for (const Json& features : vary.at("features")) {
    world["features"] = features;
    for (const Json& exploration : vary.at("exploration")) {
      bandit["exploration"] = exploration;
      ParseSetting(part, world, bandit, table);
    }
  }
}

}  // namespace

bool Table::is_movielens() const {
  return std::ranges::any_of(settings, [](const Setting& setting) {
    return setting.world.at("kind") == "movielens";
  });
}

Table ParseTable(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    const Json world = json.value("world", Json::object());
    const Json bandit = json.value("bandit", Json::object());
    Table table{json.at("table"), json.at("title"), json.at("about"), {}};
    for (const Json& part : json.at("settings")) {
      ParseSettings(part, world, bandit, json.value("vary", Json::object()),
                    table);
    }
    return table;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("not a description of a table: {}", error.what()));
  }
}

std::vector<Table> PaperTables() {
  std::vector<Table> tables;
  tables.reserve(kExperiments.size());
  for (const std::string_view text : kExperiments) {
    tables.push_back(ParseTable(text));
  }
  return tables;
}

std::vector<Table> ReadTables(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (files.empty()) {
    throw Error(
        ErrorCode::kIo,
        fmt::format("there are no tables (*.json) in {}", folder.string()));
  }
  std::ranges::sort(files);
  std::vector<Table> tables;
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    try {
      tables.push_back(ParseTable(text.str()));
    } catch (const Error& cause) {
      throw Error(cause.code(),
                  fmt::format("{}: {}", file.string(), cause.what()));
    }
  }
  return tables;
}

}  // namespace manyarms::reproduction
