#ifndef MANYARMS_REPRODUCTION_FIGURES_H_
#define MANYARMS_REPRODUCTION_FIGURES_H_

#include <string>
#include <vector>

#include "reproduction/report.h"

namespace manyarms::reproduction {

// Figures for gnuplot. Lines differ in dashes and marks as well as in colour.

/// Every script begins with this.
inline constexpr const char* kPreamble =
    "set encoding utf8\n"
    "set border 3 lc rgb '#555555'\n"
    "set tics nomirror\n"
    "set grid lc rgb '#dddddd' lt 1\n"
    "set key above left Left reverse maxcols 2 width 1 noenhanced\n";

/// Cumulative regret: the mean over runs, with a band of one standard deviation
/// on either side.
Figure RegretFigure(const std::string& name, const std::string& caption,
                    const std::vector<const Cell*>& cells);

/// Time per step over the steps of a run: the median over runs.
Figure StepTimeFigure(const std::string& name, const std::string& caption,
                      const std::vector<const Cell*>& cells);

/// The share of choices that take longer than a given time.
Figure ChoiceTimeFigure(const std::string& name, const std::string& caption,
                        const std::vector<const Cell*>& cells);

/// Speed-ups over the scan: ours over our scan, the paper's over its own.
Figure SpeedUpFigure(const std::string& name, const std::string& caption,
                     const TableSummary& table);

/// Draws all figures of the report with gnuplot. Throws Error(kIo) if gnuplot
/// is missing or fails.
void Draw(Report& report);

/// Throws Error(kIo) if gnuplot is missing, for those who want to know it
/// before long work.
void RequireGnuplot();

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_FIGURES_H_
