#ifndef MANYARMS_REPRODUCTION_GRID_H_
#define MANYARMS_REPRODUCTION_GRID_H_

#include <string>
#include <vector>

#include "reproduction/report.h"

namespace manyarms::reproduction {

/// The setting of a grid that its rule chooses: the one whose worse misfit,
/// |ln(ours/paper's)| over its algorithms, is least. Null if none has runs of
/// all algorithms.
const SettingSummary* ChosenSetting(const TableSummary& grid);

/// The grid: a row for each kind of features, a column for each exploration.
Section GridSection(const TableSummary& grid);

/// How good the features of movies are in a setting, if it has any.
std::vector<std::string> DataRemarks(const SettingSummary& setting);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_GRID_H_
