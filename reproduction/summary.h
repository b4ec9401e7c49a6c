#ifndef MANYARMS_REPRODUCTION_SUMMARY_H_
#define MANYARMS_REPRODUCTION_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reproduction/plan.h"
#include "reproduction/rows.h"
#include "reproduction/spec.h"

namespace manyarms::reproduction {

/// The results of an algorithm in a setting: the rows of its runs, in the order
/// of their seeds.
struct Cell {
  Algorithm algorithm;
  std::vector<Json> new_theta;  ///< runs with a new parameter each
  std::vector<Json> one_theta;  ///< runs that share one parameter

  bool has_runs() const { return !new_theta.empty(); }
  bool is_graph() const { return algorithm.bandit.at("search") == "hnsw"; }
  bool is_certified() const {
    return algorithm.bandit.at("search") == "certified";
  }
  bool is_baseline() const { return algorithm.baseline.empty(); }
};

struct SettingSummary {
  Setting setting;
  std::vector<Cell> cells;

  /// The cell to compare this one with; null for a baseline.
  const Cell* BaselineOf(const Cell& cell) const;
};

struct TableSummary {
  Table table;
  std::vector<SettingSummary> settings;

  bool has_runs() const;
};

/// Sorts rows into the cells of the tables. Rows that belong to no cell, for
/// instance because a table has changed, are left out.
std::vector<TableSummary> Summarise(const std::vector<Table>& tables,
                                    const RowsBySettings& rows);

std::vector<double> Regrets(const std::vector<Json>& rows);

/// The median seconds of a run, including set-up.
double Seconds(const Cell& cell);

/// The same without the time to build the graph, which the paper prints in
/// brackets. For other searches it equals Seconds.
double SecondsWithoutGraph(const Cell& cell);

/// The baseline's median seconds over the cell's; 0 unless both have runs.
double SpeedUp(const Cell& cell, const Cell& baseline);
double SpeedUpWithoutGraph(const Cell& cell, const Cell& baseline);

/// The number of runs whose decisions all equal the baseline's.
struct Agreement {
  std::size_t equal = 0;
  std::size_t of = 0;
};
Agreement AgreementWith(const Cell& cell, const Cell& baseline);

/// Whether one of our figures agrees with the one it is compared with.
struct Verdict {
  bool holds = false;
  std::string text;
};

/// Regrets are judged only from this many runs on.
inline constexpr std::size_t kRunsToJudge = 5;

/// Judges a cell by what it is compared with:
/// - A baseline's regret must be within 25 % of the paper's, or within two of
///   our standard errors if that is more.
/// - A graph's regret must be within 5 % of its baseline's, or 15 % with a
///   shortlist of 10, over the runs that both have. Graphs that the paper does
///   not have are not judged.
/// - Certified search must make the scan's decisions.
/// Returns nothing if there is nothing to compare with, or too few runs.
std::optional<Verdict> Judge(const Cell& cell, const SettingSummary& setting);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_SUMMARY_H_
