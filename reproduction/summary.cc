#include "reproduction/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reproduction/statistics.h"

namespace manyarms::reproduction {
namespace {

std::uint64_t SeedOf(const Json& row) { return row["settings"].at("seed"); }

// Identifies a run, whatever the algorithm.
std::pair<std::uint64_t, std::string> RunOf(const Json& row) {
  return {SeedOf(row), row["settings"].at("world").dump()};
}

// The world without the fields that differ between runs.
Json WithoutRun(Json world) {
  world.erase("theta_seed");
  world.erase("user");
  return world;
}

bool IsMovieLens(const Json& row) {
  return row["settings"].at("world").at("kind") == "movielens";
}

std::uint64_t ThetaSeedOf(const Json& row) {
  return row["settings"].at("world").at("theta_seed");
}

// The largest group of runs with the same true parameter.
std::vector<Json> LargestThetaGroup(const std::vector<Json>& rows) {
  std::map<std::uint64_t, std::vector<Json>> groups;
  for (const Json& row : rows) {
    if (!IsMovieLens(row)) groups[ThetaSeedOf(row)].push_back(row);
  }
  const auto largest = std::ranges::max_element(
      groups, {}, [](const auto& group) { return group.second.size(); });
  if (largest == groups.end() || largest->second.size() < 2) return {};
  return largest->second;
}

Cell MakeCell(const Algorithm& algorithm, std::vector<Json> rows) {
  std::ranges::sort(rows, {}, RunOf);
  Cell cell{algorithm, {}, LargestThetaGroup(rows)};
  std::ranges::copy_if(
      rows, std::back_inserter(cell.new_theta), [](const Json& row) {
        return IsMovieLens(row) || ThetaSeedOf(row) == SeedOf(row);
      });
  return cell;
}

double MedianOf(const std::vector<Json>& rows, bool with_setup) {
  std::vector<double> seconds;
  for (const Json& row : rows) {
    const Json& times = row.at("times");
    seconds.push_back(
        times.at("run_seconds").get<double>() +
        (with_setup ? times.at("setup_seconds").get<double>() : 0.0));
  }
  return seconds.empty() ? 0 : Median(seconds);
}

Verdict JudgeBaseline(const Cell& cell) {
  const std::vector<double> regrets = Regrets(cell.new_theta);
  const double paper = cell.algorithm.paper->regret;
  const double off = Mean(regrets) / paper - 1;
  const double margin = std::max(0.25, 2 * StandardError(regrets) / paper);
  return {std::abs(off) <= margin,
          fmt::format("{:+.0f} % off the paper's (margin {:.0f} %)", 100 * off,
                      100 * margin)};
}

// The regrets of both cells, for the runs that both have, in the same order.
std::pair<std::vector<double>, std::vector<double>> RegretsOfCommonRuns(
    const Cell& cell, const Cell& baseline) {
  std::map<std::pair<std::uint64_t, std::string>, double> theirs;
  for (const Json& row : baseline.new_theta) {
    theirs[RunOf(row)] = row.at("regret");
  }
  std::pair<std::vector<double>, std::vector<double>> common;
  for (const Json& row : cell.new_theta) {
    const auto found = theirs.find(RunOf(row));
    if (found == theirs.end()) continue;
    common.first.push_back(row.at("regret"));
    common.second.push_back(found->second);
  }
  return common;
}

Verdict JudgeGraph(const Cell& cell, const Cell& baseline) {
  const auto [ours, scan] = RegretsOfCommonRuns(cell, baseline);
  const double off = Mean(ours) / Mean(scan) - 1;
  const double margin =
      cell.algorithm.bandit.at("shortlist") <= 10 ? 0.15 : 0.05;
  std::vector<double> differences;
  differences.reserve(ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    differences.push_back(ours[i] - scan[i]);
  }
  return {
      std::abs(off) <= margin,
      fmt::format("{:+.1f} % off its baseline's (standard error {:.1f} %)",
                  100 * off, 100 * StandardError(differences) / Mean(scan))};
}

}  // namespace

const Cell* SettingSummary::BaselineOf(const Cell& cell) const {
  const auto found = std::ranges::find_if(cells, [&cell](const Cell& other) {
    return other.algorithm.name == cell.algorithm.baseline;
  });
  return found == cells.end() ? nullptr : &*found;
}

bool TableSummary::has_runs() const {
  return std::ranges::any_of(settings, [](const SettingSummary& setting) {
    return std::ranges::any_of(setting.cells, &Cell::has_runs);
  });
}

std::vector<TableSummary> Summarise(const std::vector<Table>& tables,
                                    const RowsBySettings& rows) {
  std::map<std::string, std::vector<Json>> by_algorithm;
  const auto key = [](const Json& world, const Json& bandit) {
    return world.dump() + bandit.dump();
  };
  for (const auto& [text, row] : rows) {
    const Json& settings = row["settings"];
    by_algorithm[key(WithoutRun(settings.at("world")), settings.at("bandit"))]
        .push_back(row);
  }
  std::vector<TableSummary> summaries;
  for (const Table& table : tables) {
    TableSummary summary{table, {}};
    for (const Setting& setting : table.settings) {
      SettingSummary& part = summary.settings.emplace_back();
      part.setting = setting;
      for (const Algorithm& algorithm : setting.algorithms) {
        part.cells.push_back(MakeCell(
            algorithm, by_algorithm[key(setting.world, algorithm.bandit)]));
      }
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

std::vector<double> Regrets(const std::vector<Json>& rows) {
  std::vector<double> regrets;
  regrets.reserve(rows.size());
  for (const Json& row : rows) regrets.push_back(row.at("regret"));
  return regrets;
}

double Seconds(const Cell& cell) { return MedianOf(cell.new_theta, true); }

double SecondsWithoutGraph(const Cell& cell) {
  return MedianOf(cell.new_theta, !cell.is_graph());
}

double SpeedUp(const Cell& cell, const Cell& baseline) {
  if (!cell.has_runs() || !baseline.has_runs()) return 0;
  return Seconds(baseline) / Seconds(cell);
}

double SpeedUpWithoutGraph(const Cell& cell, const Cell& baseline) {
  if (!cell.has_runs() || !baseline.has_runs()) return 0;
  return Seconds(baseline) / SecondsWithoutGraph(cell);
}

Agreement AgreementWith(const Cell& cell, const Cell& baseline) {
  std::map<std::pair<std::uint64_t, std::string>, Json> digests;
  for (const Json& row : baseline.new_theta) {
    digests[RunOf(row)] = row.at("decision_digest");
  }
  Agreement agreement;
  for (const Json& row : cell.new_theta) {
    const auto found = digests.find(RunOf(row));
    if (found == digests.end()) continue;
    ++agreement.of;
    agreement.equal += found->second == row.at("decision_digest") ? 1 : 0;
  }
  return agreement;
}

std::optional<Verdict> Judge(const Cell& cell, const SettingSummary& setting) {
  const bool enough = cell.new_theta.size() >= kRunsToJudge;
  if (cell.is_baseline()) {
    if (!cell.algorithm.paper || !enough) return std::nullopt;
    return JudgeBaseline(cell);
  }
  const Cell* baseline = setting.BaselineOf(cell);
  if (baseline == nullptr || !baseline->has_runs() || !cell.has_runs()) {
    return std::nullopt;
  }
  if (cell.is_certified()) {
    const Agreement agreement = AgreementWith(cell, *baseline);
    return Verdict{agreement.equal == agreement.of && agreement.of > 0,
                   fmt::format("the scan's decisions in {} of {} runs",
                               agreement.equal, agreement.of)};
  }
  if (!cell.is_graph() || !cell.algorithm.paper ||
      RegretsOfCommonRuns(cell, *baseline).first.size() < kRunsToJudge) {
    return std::nullopt;
  }
  return JudgeGraph(cell, *baseline);
}

}  // namespace manyarms::reproduction
