#include "reproduction/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "manyarms/research/experiment.h"
#include "reproduction/statistics.h"

namespace manyarms::reproduction {
namespace {

// Colours are from the palette of Okabe and Ito, which colour-blind people can
// tell apart.
struct Look {
  const char* colour;
  int dashes;
  int mark;
};

Look LookOf(const Cell& cell) {
  if (cell.is_certified()) return {"#009E73", 3, 2};
  if (!cell.is_graph()) return {"#000000", 1, 1};
  if (!cell.algorithm.paper) return {"#D55E00", 6, 10};
  const int shortlist = cell.algorithm.bandit.at("shortlist");
  if (shortlist <= 10) return {"#E69F00", 2, 4};
  if (shortlist <= 30) return {"#0072B2", 4, 6};
  return {"#CC79A7", 5, 8};
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

std::vector<double> CurveOf(const Json& row, const char* part,
                            const char* field) {
  return row.at(part).at(field).get<std::vector<double>>();
}

// Applies the statistic to each point of the curve, over all runs; `curve_of`
// returns a run's curve.
template <class CurveOfRun, class Statistic>
std::vector<double> Across(const std::vector<Json>& rows,
                           const CurveOfRun& curve_of,
                           const Statistic& statistic) {
  std::vector<std::vector<double>> points;  // by point, then by run
  for (const Json& row : rows) {
    const std::vector<double> curve = curve_of(row);
    points.resize(std::max(points.size(), curve.size()));
    for (std::size_t i = 0; i < curve.size(); ++i) {
      points[i].push_back(curve[i]);
    }
  }
  std::vector<double> result;
  result.reserve(points.size());
  for (const auto& values : points) result.push_back(statistic(values));
  return result;
}

// A cell's line, y over x. `low` and `high` are the edges of a band around it;
// they are empty if there is none.
struct Curve {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;
  std::vector<double> high;
};

std::string DataBlock(std::size_t index, const Curve& curve) {
  std::string text = fmt::format("$data{} << EOD\n", index);
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    text += fmt::format("{:.6g} {:.6g}", curve.x[i], curve.y[i]);
    if (!curve.low.empty()) {
      text += fmt::format(" {:.6g} {:.6g}", curve.low[i], curve.high[i]);
    }
    text += '\n';
  }
  return text + "EOD\n";
}

std::string Joined(const std::vector<std::string>& parts) {
  return fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
}

// Draws a line for each cell that has runs, and all bands behind the lines.
Figure LineFigure(const std::string& name, const std::string& caption,
                  const std::string& axes,
                  const std::vector<const Cell*>& cells,
                  Curve (*curve_of)(const std::vector<Json>& rows)) {
  std::string script = kPreamble + axes;
  std::vector<std::string> bands;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = *cells[i];
    if (!cell.has_runs()) continue;
    const Curve curve = curve_of(cell.new_theta);
    const Look look = LookOf(cell);
    script += DataBlock(i, curve);
    if (!curve.low.empty()) {
      bands.push_back(fmt::format(
          "$data{} using 1:3:4 with filledcurves fs transparent solid 0.12 "
          "noborder lc rgb '{}' notitle",
          i, look.colour));
    }
    lines.push_back(fmt::format(
        "$data{} using 1:2 with linespoints lw 2 lc rgb '{}' dt {} pt {} ps "
        "0.7 pi {} title {}",
        i, look.colour, look.dashes, look.mark,
        std::max<std::size_t>(curve.x.size() / 8, 1),
        Quoted(cell.algorithm.name)));
  }
  if (lines.empty()) return {name, caption, "", ""};
  bands.insert(bands.end(), lines.begin(), lines.end());
  return {name, caption, script + Joined(bands), ""};
}

Curve RegretCurve(const std::vector<Json>& rows) {
  const auto regret = [](const Json& row) {
    return CurveOf(row, "curve", "regret");
  };
  Curve curve{CurveOf(rows.front(), "curve", "step"),
              Across(rows, regret, Mean),
              {},
              {}};
  const std::vector<double> deviation = Across(rows, regret, Deviation);
  for (std::size_t i = 0; i < curve.y.size(); ++i) {
    curve.low.push_back(std::max(curve.y[i] - deviation[i], 0.0));
    curve.high.push_back(curve.y[i] + deviation[i]);
  }
  return curve;
}

// Microseconds per step between consecutive points of the curve.
std::vector<double> StepTimes(const Json& row) {
  const std::vector<double> steps = CurveOf(row, "curve", "step");
  const std::vector<double> seconds = CurveOf(row, "times", "curve_seconds");
  std::vector<double> times;
  double last_step = 0;
  double last_seconds = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // Rounding of the curve may give 0, which a logarithmic axis cannot show.
    times.push_back(std::max(
        1e6 * (seconds[i] - last_seconds) / (steps[i] - last_step), 0.01));
    last_step = steps[i];
    last_seconds = seconds[i];
  }
  return times;
}

Curve StepTimeCurve(const std::vector<Json>& rows) {
  return {CurveOf(rows.front(), "curve", "step"),
          Across(rows, StepTimes, Median),
          {},
          {}};
}

// The share of all runs' choices that took longer than each bucket's start.
Curve ChoiceTimeCurve(const std::vector<Json>& rows) {
  std::vector<double> counts(LatencyHistogram().counts.size());
  for (const Json& row : rows) {
    const std::vector<double> run = CurveOf(row, "times", "latency_counts");
    for (std::size_t k = 0; k < run.size() && k < counts.size(); ++k) {
      counts[k] += run[k];
    }
  }
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  Curve curve;
  double above = total;
  for (std::size_t k = 0; k < counts.size() && above > 0; ++k) {
    const double decades = static_cast<double>(k) /
                           static_cast<double>(LatencyHistogram::kPerDecade);
    curve.x.push_back(1e6 * LatencyHistogram::kFirstSeconds *
                      std::pow(10, decades));
    curve.y.push_back(above / total);
    above -= counts[k];
  }
  return curve;
}

}  // namespace

Figure RegretFigure(const std::string& name, const std::string& caption,
                    const std::vector<const Cell*>& cells) {
  return LineFigure(name, caption,
                    "set xlabel 'steps'\nset ylabel 'cumulative regret'\n"
                    "set yrange [0:*]\nset format x '%.0s%c'\n",
                    cells, RegretCurve);
}

Figure StepTimeFigure(const std::string& name, const std::string& caption,
                      const std::vector<const Cell*>& cells) {
  return LineFigure(name, caption,
                    "set xlabel 'steps'\nset ylabel 'time per step, µs'\n"
                    "set logscale y\nset format x '%.0s%c'\n",
                    cells, StepTimeCurve);
}

Figure ChoiceTimeFigure(const std::string& name, const std::string& caption,
                        const std::vector<const Cell*>& cells) {
  return LineFigure(
      name, caption,
      "set xlabel 'µs'\nset ylabel 'share of choices that take longer'\n"
      "set logscale xy\nset format y '10^{%L}'\nset yrange [*:1]\n",
      cells, ChoiceTimeCurve);
}

Figure SpeedUpFigure(const std::string& name, const std::string& caption,
                     const TableSummary& table) {
  std::string data = "$data0 << EOD\n";
  std::size_t count = 0;
  const auto field = [](double value) {
    return value > 0 ? fmt::format("{:.6g}", value) : std::string("NaN");
  };
  for (const SettingSummary& setting : table.settings) {
    for (const Cell& cell : setting.cells) {
      const Cell* baseline = setting.BaselineOf(cell);
      if (baseline == nullptr || !cell.has_runs()) continue;
      const auto& paper = cell.algorithm.paper;
      data += fmt::format("\"{}, {}\" {} {} {} {} {}\n", setting.setting.name,
                          cell.algorithm.name, count++,
                          field(SpeedUp(cell, *baseline)),
                          field(SpeedUpWithoutGraph(cell, *baseline)),
                          field(paper ? paper->speedup : 0),
                          field(paper ? paper->run_speedup : 0));
    }
  }
  if (count == 0) return {name, caption, "", ""};
  std::string script = kPreamble;
  script += data + "EOD\n";
  // Each name has its own line at the left.
  script += fmt::format(
      "set logscale x\nset xlabel 'times faster than its own scan'\n"
      "set yrange [{}:-0.5]\nset lmargin at screen 0.46\n"
      "set format x '%g'\nset arrow from 1, graph 0 to 1, graph 1 nohead "
      "lc rgb '#555555'\n",
      static_cast<double>(count) - 0.5);
  const auto points = [](int column, int mark, const char* colour,
                         const char* title) {
    return fmt::format(
        "$data0 using {}:2:ytic(1) with points pt {} ps 1 lw 2 lc rgb '{}' "
        "title '{}'",
        column, mark, colour, title);
  };
  script += Joined({points(3, 7, "#0072B2", "ours"),
                    points(4, 6, "#0072B2", "ours, graph built"),
                    points(5, 5, "#D55E00", "paper"),
                    points(6, 4, "#D55E00", "paper, graph built")});
  return {name, caption, script, ""};
}

}  // namespace manyarms::reproduction
