#ifndef MANYARMS_CLI_COMMANDS_H_
#define MANYARMS_CLI_COMMANDS_H_

#include <CLI/CLI.hpp>

namespace manyarms::cli {

/// A check for options that are counts. CLI11 alone would read "-5" as a very
/// large number and truncate numbers that do not fit.
CLI::Validator Count();

/// Each of these adds a subcommand to the program. The subcommand's callback
/// does the work and may throw manyarms::Error.
void AddServe(CLI::App& app);
void AddSimulate(CLI::App& app);
void AddReproduce(CLI::App& app);
void AddReplay(CLI::App& app);
void AddReport(CLI::App& app);
void AddPlanLsh(CLI::App& app);
void AddAdversary(CLI::App& app);
void AddEvaluate(CLI::App& app);
void AddLoadTest(CLI::App& app);
void AddLog(CLI::App& app);
void AddOptions(CLI::App& app);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_COMMANDS_H_
