#ifndef MANYARMS_CLI_COMMANDS_H_
#define MANYARMS_CLI_COMMANDS_H_

#include <CLI/CLI.hpp>

namespace manyarms::cli {

/// Each adds its subcommand to the program. The work is done in the
/// subcommand's callback and throws manyarms::Error.
void AddSimulate(CLI::App& app);
void AddReproduce(CLI::App& app);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_COMMANDS_H_
