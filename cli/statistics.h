#ifndef MANYARMS_CLI_STATISTICS_H_
#define MANYARMS_CLI_STATISTICS_H_

#include <span>

namespace manyarms::cli {

/// REQUIRES: not empty.
double Mean(std::span<const double> values);

/// The standard deviation of a sample; 0 for a single value.
double Deviation(std::span<const double> values);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_STATISTICS_H_
