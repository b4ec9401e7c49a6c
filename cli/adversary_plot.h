#ifndef MANYARMS_CLI_ADVERSARY_PLOT_H_
#define MANYARMS_CLI_ADVERSARY_PLOT_H_

#include <string>
#include <vector>

#include "manyarms/research/adversary.h"

namespace manyarms::cli {

/// Draws the results as SVG: above, how often the n-th query fails; below, how
/// many sequences fail for each number of copies. Throws Error(kIo) if gnuplot
/// is missing.
std::string AdversaryPlot(const AdversaryOptions& options,
                          const std::vector<AdversaryResult>& results);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_ADVERSARY_PLOT_H_
