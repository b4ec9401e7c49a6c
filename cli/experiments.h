#ifndef MANYARMS_CLI_EXPERIMENTS_H_
#define MANYARMS_CLI_EXPERIMENTS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "reproduction/spec.h"

namespace manyarms::cli {

/// Adds --experiments FOLDER, for the user's own tables instead of the paper's.
void AddExperimentsOption(CLI::App& command, std::string& folder);

/// The tables of the folder, or the paper's if `folder` is empty.
std::vector<reproduction::Table> TablesOf(const std::string& folder);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_EXPERIMENTS_H_
