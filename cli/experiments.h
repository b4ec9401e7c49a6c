#ifndef MANYARMS_CLI_EXPERIMENTS_H_
#define MANYARMS_CLI_EXPERIMENTS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "reproduction/spec.h"

namespace manyarms::cli {

/// --experiments FOLDER: tables of one's own instead of the paper's.
void AddExperimentsOption(CLI::App& command, std::string& folder);

/// The tables of the folder, or the paper's if it is empty.
std::vector<reproduction::Table> TablesOf(const std::string& folder);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_EXPERIMENTS_H_
