#ifndef MANYARMS_CLI_EVALUATION_PLOT_H_
#define MANYARMS_CLI_EVALUATION_PLOT_H_

#include <string>
#include <vector>

#include "manyarms/estimators.h"

namespace manyarms::cli {

/// One estimate of a policy's mean reward.
struct NamedEstimate {
  std::string policy;
  std::string estimator;
  Estimate estimate;
};

/// Draws the estimates with their intervals, one below the other, as SVG, and
/// the mean reward as it was logged as a line. Throws Error(kIo) if gnuplot is
/// missing.
std::string EvaluationPlot(const NamedEstimate& logged,
                           const std::vector<NamedEstimate>& estimates,
                           double level);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_EVALUATION_PLOT_H_
