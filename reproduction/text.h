#ifndef MANYARMS_REPRODUCTION_TEXT_H_
#define MANYARMS_REPRODUCTION_TEXT_H_

#include <string>

namespace manyarms::reproduction {

/// 1234567.8 as "1,234,568".
std::string Grouped(double value);

/// Three significant digits, without an exponent: "0.0356", "12.3", "1,420".
std::string Significant(double value);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_TEXT_H_
