#ifndef MANYARMS_REPRODUCTION_GRID_H_
#define MANYARMS_REPRODUCTION_GRID_H_

#include <string>
#include <vector>

#include "reproduction/report.h"

namespace manyarms::reproduction {

/// The chosen setting of a grid: the one with the least misfit, where a
/// setting's misfit is the largest |ln(our regret / the paper's)| over its
/// algorithms. Null if no setting has runs of all its algorithms.
const SettingSummary* ChosenSetting(const TableSummary& grid);

/// The grid as a table, with a row for each kind of features and a column for
/// each exploration.
Section GridSection(const TableSummary& grid);

/// Remarks on how well the movies' features fit the ratings; empty if the
/// setting has no movies.
std::vector<std::string> DataRemarks(const SettingSummary& setting);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_GRID_H_
