#include "reproduction/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reproduction/figures.h"
#include "reproduction/grid.h"
#include "reproduction/statistics.h"
#include "reproduction/text.h"
#include "reproduction/theory.h"

namespace manyarms::reproduction {
namespace {

bool HasTheoryExploration(const Cell& cell) {
  return cell.algorithm.bandit.at("exploration") == "theory";
}

// Does not break in the middle of a line.
std::string WithSpread(double mean, double spread) {
  return fmt::format("{}\u00a0±\u00a0{}", Grouped(mean), Grouped(spread));
}

std::string RegretText(const std::vector<Json>& rows) {
  if (rows.empty()) return "–";
  const std::vector<double> regrets = Regrets(rows);
  if (regrets.size() == 1) return Grouped(regrets.front());
  return fmt::format("{} (s.e.\u00a0{})",
                     WithSpread(Mean(regrets), Deviation(regrets)),
                     Grouped(StandardError(regrets)));
}

// With a new parameter for each, and with one for all.
std::string RunsText(const Cell& cell) {
  std::string text = std::to_string(cell.new_theta.size());
  if (!cell.one_theta.empty()) {
    text += fmt::format("\u00a0+\u00a0{}", cell.one_theta.size());
  }
  return text;
}

// The second in brackets, where it is another.
std::string WithBracket(double all, double without) {
  if (all <= 0) return "–";
  return all == without
             ? Significant(all)
             : fmt::format("{} ({})", Significant(all), Significant(without));
}

std::string ArmsScored(const Cell& cell) {
  if (!cell.has_runs()) return "–";
  std::vector<double> scored;
  scored.reserve(cell.new_theta.size());
  for (const Json& row : cell.new_theta) {
    scored.push_back(row.at("arms_scored").get<double>() /
                     row["settings"].at("world").at("steps").get<double>());
  }
  return Significant(Mean(scored));
}

std::string VerdictText(const Cell& cell, const SettingSummary& setting) {
  const auto verdict = Judge(cell, setting);
  if (!verdict) return "";
  return (verdict->holds ? "✓ " : "✗ ") + verdict->text;
}

TextTable SettingTable(const SettingSummary& setting) {
  const bool movielens = setting.setting.world.at("kind") == "movielens";
  TextTable table;
  table.header = {"algorithm",
                  "runs",
                  movielens ? "regret" : "regret, new θ*",
                  "regret, one θ*",
                  "regret, paper",
                  "seconds",
                  "seconds, paper",
                  "× our scan",
                  "× its scan, paper",
                  "× the paper’s time",
                  "arms scored a step",
                  "check"};
  for (const Cell& cell : setting.cells) {
    const Cell* baseline = setting.BaselineOf(cell);
    const auto& paper = cell.algorithm.paper;
    const bool both = paper && cell.has_runs();
    table.rows.push_back(
        {cell.algorithm.name, RunsText(cell), RegretText(cell.new_theta),
         RegretText(cell.one_theta),
         paper ? WithSpread(paper->regret, paper->spread) : "",
         WithBracket(Seconds(cell), SecondsWithoutGraph(cell)),
         paper ? WithBracket(paper->seconds, paper->run_seconds) : "",
         baseline != nullptr ? WithBracket(SpeedUp(cell, *baseline),
                                           SpeedUpWithoutGraph(cell, *baseline))
                             : (cell.algorithm.paper ? "1" : ""),
         paper ? WithBracket(paper->speedup, paper->run_speedup) : "",
         both ? WithBracket(paper->seconds / Seconds(cell),
                            paper->run_seconds / SecondsWithoutGraph(cell))
              : "",
         ArmsScored(cell), VerdictText(cell, setting)});
  }
  if (movielens) {
    for (auto& row : table.rows) row.erase(row.begin() + 3);
    table.header.erase(table.header.begin() + 3);
  }
  return table;
}

// Cells of one policy, but those with the exploration of the theory.
std::vector<const Cell*> CellsOf(const SettingSummary& setting,
                                 const std::string& policy) {
  std::vector<const Cell*> cells;
  for (const Cell& cell : setting.cells) {
    if (!HasTheoryExploration(cell) &&
        cell.algorithm.bandit.at("policy") == policy) {
      cells.push_back(&cell);
    }
  }
  return cells;
}

std::vector<Figure> SettingFigures(const SettingSummary& setting,
                                   const std::string& prefix) {
  const std::string& name = setting.setting.name;
  std::vector<Figure> figures;
  for (const auto& [policy, title] : {std::pair("elim", "elimination"),
                                      std::pair("ts", "Thompson sampling")}) {
    const std::vector<const Cell*> cells = CellsOf(setting, policy);
    figures.push_back(RegretFigure(
        fmt::format("{}-regret-{}", prefix, policy),
        fmt::format("{}: cumulative regret of {}, mean and standard deviation "
                    "over runs",
                    name, title),
        cells));
    figures.push_back(StepTimeFigure(
        fmt::format("{}-step-time-{}", prefix, policy),
        fmt::format("{}: time per step of {} as learning goes on, median over "
                    "runs",
                    name, title),
        cells));
    figures.push_back(ChoiceTimeFigure(
        fmt::format("{}-choice-time-{}", prefix, policy),
        fmt::format("{}: the share of the choices of {} that take longer than "
                    "a given time",
                    name, title),
        cells));
  }
  std::erase_if(figures,
                [](const Figure& figure) { return figure.script.empty(); });
  return figures;
}

// Elimination that had to start over: the intervals had failed.
std::vector<std::string> RecoveryRemarks(const SettingSummary& setting) {
  std::vector<std::string> remarks;
  for (const Cell& cell : setting.cells) {
    const auto with = std::ranges::count_if(
        cell.new_theta, [](const Json& row) { return row["recoveries"] > 0; });
    if (with == 0) continue;
    remarks.push_back(fmt::format(
        "{}: in {} of {} runs all arms were eliminated at some time and had to "
        "be brought back.",
        cell.algorithm.name, with, cell.new_theta.size()));
  }
  return remarks;
}

Section TableSection(const TableSummary& summary) {
  Section section{
      "table-" + summary.table.id,
      fmt::format("Table {}: {}", summary.table.id, summary.table.title),
      summary.table.about,
      {}};
  std::size_t number = 0;
  for (const SettingSummary& setting : summary.settings) {
    Block block{setting.setting.name, SettingTable(setting), {}, {}};
    block.remarks = DataRemarks(setting);
    const std::vector<std::string> recoveries = RecoveryRemarks(setting);
    block.remarks.insert(block.remarks.end(), recoveries.begin(),
                         recoveries.end());
    block.remarks.insert(block.remarks.end(), setting.setting.remarks.begin(),
                         setting.setting.remarks.end());
    block.figures = SettingFigures(
        setting, fmt::format("table{}-{}", summary.table.id, ++number));
    section.blocks.push_back(std::move(block));
  }
  Figure speed_up = SpeedUpFigure(
      fmt::format("table{}-speed-up", summary.table.id),
      fmt::format("Table {}: times faster than the scan, ours than our scan, "
                  "the paper’s than the paper’s",
                  summary.table.id),
      summary);
  if (!speed_up.script.empty()) {
    section.blocks.back().figures.push_back(std::move(speed_up));
  }
  return section;
}

// How many cells are where they should be, and which are not.
Section GlanceSection(const std::vector<TableSummary>& summaries,
                      const std::vector<std::string>& left_out) {
  TextTable table{{"table", "setting", "algorithm", "check"}, {}};
  std::size_t held = 0;
  std::size_t judged = 0;
  std::size_t missing = 0;
  for (const TableSummary& summary : summaries) {
    for (const SettingSummary& setting : summary.settings) {
      for (const Cell& cell : setting.cells) {
        missing += cell.has_runs() ? 0 : 1;
        const auto verdict = Judge(cell, setting);
        if (!verdict) continue;
        ++judged;
        held += verdict->holds ? 1 : 0;
        if (!verdict->holds) {
          table.rows.push_back({summary.table.id, setting.setting.name,
                                cell.algorithm.name, verdict->text});
        }
      }
    }
  }
  std::string about = fmt::format(
      "{} of {} cells pass their check. The regret of a baseline, with a new "
      "θ* "
      "for each run, must be within 25 % of the paper’s, or within two "
      "standard errors if that is more. The regret of a graph must be within "
      "5 % of its own baseline’s (15 % with a shortlist of 10). Certified "
      "search must make the same decisions as the scan. Regrets of fewer than "
      "{} runs are not checked.",
      held, judged, kRunsToJudge);
  if (missing > 0) {
    about += fmt::format(" {} cells have not been run.", missing);
  }
  if (!left_out.empty()) {
    about += fmt::format(" Not run at all: Table {}.",
                         fmt::join(left_out, ", Table "));
  }
  if (!table.rows.empty()) about += " These do not pass:";
  Section section{"glance", "At a glance", about, {}};
  if (!table.rows.empty()) section.blocks.push_back({"", table, {}, {}});
  return section;
}

TheoremSetting TheoremSettingOf(const Json& world, const Cell& cell) {
  TheoremSetting setting;
  setting.dim = world.at("dim");
  setting.steps = world.at("steps");
  setting.accuracy = cell.algorithm.bandit.value("accuracy", setting.accuracy);
  return setting;
}

std::string BoundText(const TheoremSetting& setting, const Cell& cell) {
  if (cell.algorithm.bandit.at("policy") != "elim") {
    return Grouped(ThompsonBound(setting));
  }
  return fmt::format("{} (as printed, without a √2: {})",
                     Grouped(EliminationBound(setting)),
                     Grouped(EliminationBoundAsPrinted(setting)));
}

// The bounds of all settings that the theorems speak of, and, where a table
// has it, the regret with their own exploration.
Section TheorySection(const std::vector<TableSummary>& summaries) {
  Section section{
      "theory",
      "Theory beside practice",
      "These are the regret bounds of Theorem 5.2 (elimination) and Theorem "
      "6.1 "
      "(Thompson sampling) in their formal versions, which hold with "
      "probability 95 %, beside the measured regret. The bounds are for arms "
      "and parameters of length at most 1; in the paper’s experiments, and in "
      "these, lengths are about 4. The proofs need an exploration six times as "
      "large as the one that gives the paper’s figures. The bounds allow for a "
      "search that is off by η = 0.01, which a scan is not. MovieLens is not "
      "linear, so no bound holds there.",
      {}};
  TextTable table{{"table", "setting", "algorithm", "regret", "bound"}, {}};
  std::vector<Figure> figures;
  for (const TableSummary& summary : summaries) {
    for (const SettingSummary& part : summary.settings) {
      const Json& world = part.setting.world;
      if (world.at("kind") != "synthetic") continue;
      for (const Cell& cell : part.cells) {
        if (!cell.is_baseline() || !cell.has_runs()) continue;
        table.rows.push_back({summary.table.id, part.setting.name,
                              cell.algorithm.name, RegretText(cell.new_theta),
                              BoundText(TheoremSettingOf(world, cell), cell)});
        if (!HasTheoryExploration(cell)) continue;
        figures.push_back(
            RegretFigure(fmt::format("theory-regret-{}", figures.size() + 1),
                         fmt::format("{}: cumulative regret of {}",
                                     part.setting.name, cell.algorithm.name),
                         {&cell}));
      }
    }
  }
  if (table.rows.empty()) return section;
  section.blocks.push_back({"", table, {}, std::move(figures)});
  return section;
}

constexpr const char* kOnRegret =
    "Regret is given as mean ± standard deviation over runs, with the standard "
    "error of the mean in brackets. “New θ*” means that the true parameter is "
    "drawn anew for each run, “one θ*” that all runs have the same; arms and "
    "noise are drawn anew in both. “10 + 10” runs are 10 of each kind.";
constexpr const char* kOnSeconds =
    "Seconds are the median over runs (in the paper, the mean) and include "
    "adding the first arms. For a graph this is what builds it, and the time "
    "without it is in brackets.";
constexpr const char* kOnSpeedUps =
    "There are two speed-ups, which are never mixed. “× our scan” is the time "
    "of our scan divided by the time of the row; “× its scan, paper” is the "
    "same for the paper’s times. “× the paper’s time” says how many times "
    "faster this program is than the paper’s, whatever machine that ran on.";
constexpr const char* kOnGraphs =
    "A graph uses the raw inner product, has 16 links a node, and is searched "
    "with a beam of at least 64; the paper states none of this. Such a graph "
    "returns arms in the order of their exact scores, so that a shorter list "
    "from the same beam gives the same decision: shortlists of 10 and 30 are "
    "the same search here. The beam makes the difference; Table 4 has a row "
    "with a beam as narrow as its shortlist.";
constexpr const char* kOnCertified =
    "Certified search is exact and not in the paper.";

Section ReadingSection() {
  return {"reading",
          "How to read this",
          "",
          {{"",
            {},
            {kOnRegret, kOnSeconds, kOnSpeedUps, kOnGraphs, kOnCertified},
            {}}}};
}

std::vector<std::string> OriginLines(const RowsBySettings& rows) {
  std::set<std::string> machines;
  std::set<std::string> programs;
  for (const auto& [key, row] : rows) {
    const Json& origin = row.at("origin");
    machines.insert(fmt::format(
        "{}, {} cores, {:.0f} GB, {}; {} run{} at a time",
        origin.at("cpu").get<std::string>(), origin.at("cores").get<int>(),
        origin.at("memory_bytes").get<double>() / 1e9,
        origin.at("system").get<std::string>(), origin.at("threads").get<int>(),
        origin.at("threads").get<int>() == 1 ? "" : "s"));
    programs.insert(fmt::format("manyarms {}, commit {}, compiler {}",
                                origin.at("version").get<std::string>(),
                                origin.at("commit").get<std::string>(),
                                origin.at("compiler").get<std::string>()));
  }
  std::vector<std::string> lines = {
      fmt::format("{} runs.", Grouped(static_cast<double>(rows.size())))};
  lines.insert(lines.end(), machines.begin(), machines.end());
  lines.insert(lines.end(), programs.begin(), programs.end());
  return lines;
}

}  // namespace

Report MakeReport(const std::vector<TableSummary>& summaries,
                  const RowsBySettings& rows) {
  Report report{
      "Linear bandit algorithms with sublinear time complexity, reproduced",
      OriginLines(rows),
      {}};
  std::vector<TableSummary> tables;
  std::vector<TableSummary> grids;
  std::vector<std::string> left_out;
  for (const TableSummary& summary : summaries) {
    const bool is_grid = summary.table.id == "grid";
    if (summary.has_runs()) {
      (is_grid ? grids : tables).push_back(summary);
    } else if (!is_grid) {
      left_out.push_back(summary.table.id);
    }
  }
  report.sections.push_back(GlanceSection(tables, left_out));
  for (const TableSummary& summary : tables) {
    report.sections.push_back(TableSection(summary));
  }
  for (const TableSummary& grid : grids) {
    report.sections.push_back(GridSection(grid));
  }
  Section theory = TheorySection(tables);
  if (!theory.blocks.empty()) report.sections.push_back(std::move(theory));
  report.sections.push_back(ReadingSection());
  return report;
}

}  // namespace manyarms::reproduction
