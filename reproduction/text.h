#ifndef MANYARMS_REPRODUCTION_TEXT_H_
#define MANYARMS_REPRODUCTION_TEXT_H_

#include <string>

namespace manyarms::reproduction {

/// Rounds to an integer with thousands separators: "1,234,568" for 1234567.8.
std::string Grouped(double value);

/// Shows three significant digits, without an exponent, as in "0.0356" and
/// "12.3"; larger numbers are grouped, as in "1,420".
std::string Significant(double value);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_TEXT_H_
