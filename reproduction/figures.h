#ifndef MANYARMS_REPRODUCTION_FIGURES_H_
#define MANYARMS_REPRODUCTION_FIGURES_H_

#include <string>
#include <vector>

#include "reproduction/report.h"

namespace manyarms::reproduction {

/// Figures to be drawn by gnuplot. Lines differ by dashes and marks as well as
/// by colour.

/// What every script begins with.
inline constexpr const char* kPreamble =
    "set encoding utf8\n"
    "set border 3 lc rgb '#555555'\n"
    "set tics nomirror\n"
    "set grid lc rgb '#dddddd' lt 1\n"
    "set key above left Left reverse maxcols 2 width 1 noenhanced\n";

/// Cumulative regret: the mean over runs, and a standard deviation to both
/// sides.
Figure RegretFigure(const std::string& name, const std::string& caption,
                    const std::vector<const Cell*>& cells);

/// Time per step, the median over runs, as the steps go on.
Figure StepTimeFigure(const std::string& name, const std::string& caption,
                      const std::vector<const Cell*>& cells);

/// Which share of the choices takes longer than how long.
Figure ChoiceTimeFigure(const std::string& name, const std::string& caption,
                        const std::vector<const Cell*>& cells);

/// Times faster than the scan: ours than ours, the paper's than the paper's.
Figure SpeedUpFigure(const std::string& name, const std::string& caption,
                     const TableSummary& table);

/// Draws all figures of the report, with gnuplot. Throws Error(kIo) if it is
/// not there or fails.
void Draw(Report& report);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_FIGURES_H_
