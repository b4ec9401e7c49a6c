#ifndef MANYARMS_REPRODUCTION_STATISTICS_H_
#define MANYARMS_REPRODUCTION_STATISTICS_H_

#include <span>

namespace manyarms::reproduction {

// All these functions need at least one value.

double Mean(std::span<const double> values);

/// The standard deviation of a sample; 0 for a single value.
double Deviation(std::span<const double> values);

/// The standard error of the mean; 0 for a single value.
double StandardError(std::span<const double> values);

double Median(std::span<const double> values);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_STATISTICS_H_
