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

/// What came of an algorithm in a setting: the rows of its runs, in the order
/// of their seeds.
struct Cell {
  Algorithm algorithm;
  std::vector<Json> new_theta;
  std::vector<Json> one_theta;

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

  /// The cell that this one is held against; none for a baseline itself.
  const Cell* BaselineOf(const Cell& cell) const;
};

struct TableSummary {
  Table table;
  std::vector<SettingSummary> settings;

  bool has_runs() const;
};

/// Puts every row where it belongs. Rows that belong nowhere, for instance of
/// earlier settings, are left out.
std::vector<TableSummary> Summarise(const std::vector<Table>& tables,
                                    const RowsBySettings& rows);

std::vector<double> Regrets(const std::vector<Json>& rows);

/// Median seconds of a run, set-up included.
double Seconds(const Cell& cell);

/// The same without building the graph, as the paper brackets it. Whoever
/// builds nothing beforehand has the same twice.
double SecondsWithoutGraph(const Cell& cell);

/// Times the baseline's median, ours over ours; 0 without runs of both.
double SpeedUp(const Cell& cell, const Cell& baseline);
double SpeedUpWithoutGraph(const Cell& cell, const Cell& baseline);

/// In how many runs the decisions were the baseline's to the last one.
struct Agreement {
  std::size_t equal = 0;
  std::size_t of = 0;
};
Agreement AgreementWith(const Cell& cell, const Cell& baseline);

/// Whether a figure of ours is where it should be.
struct Verdict {
  bool holds = false;
  std::string text;
};

/// A baseline's regret against the paper's: within 25 % of it or two of our
/// standard errors, whichever is more. A graph's against its own baseline's:
/// within 5 %, with a shortlist of 10 within 15 %, over the runs that both
/// have, if the paper has such a graph. Certified search: the
/// scan's decisions. Nothing is asked of a cell that has nothing to be held
/// against, and of regrets nothing before kRunsToJudge runs.
inline constexpr std::size_t kRunsToJudge = 5;
std::optional<Verdict> Judge(const Cell& cell, const SettingSummary& setting);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_SUMMARY_H_
