#ifndef MANYARMS_CLI_PRINTABLE_H_
#define MANYARMS_CLI_PRINTABLE_H_

#include <string>
#include <string_view>

namespace manyarms::cli {

/// A text as one line that a terminal shows: ends of lines and tabs become
/// spaces, other control characters and bytes that are not UTF-8 become \xNN.
/// Files and arguments may hold any bytes, and errors quote them.
std::string Printable(std::string_view text);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_PRINTABLE_H_
