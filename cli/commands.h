#ifndef MANYARMS_CLI_COMMANDS_H_
#define MANYARMS_CLI_COMMANDS_H_

#include <CLI/CLI.hpp>

namespace manyarms::cli {

/// A check for options that count something: CLI11 reads "-5" as a very large
/// number and cuts off what does not fit.
CLI::Validator Count();

/// Each adds its subcommand to the program. The work is done in the
/// subcommand's callback and throws manyarms::Error.
void AddSimulate(CLI::App& app);
void AddReproduce(CLI::App& app);
void AddReport(CLI::App& app);
void AddPlanLsh(CLI::App& app);
void AddAdversary(CLI::App& app);
void AddOptions(CLI::App& app);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_COMMANDS_H_
