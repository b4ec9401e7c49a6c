#include "experiments.h"

namespace manyarms::cli {

void AddExperimentsOption(CLI::App& command, std::string& folder) {
  command.add_option("--experiments", folder,
                     "Folder of tables (*.json) to use instead of the built-in "
                     "tables of the paper");
}

std::vector<reproduction::Table> TablesOf(const std::string& folder) {
  return folder.empty() ? reproduction::PaperTables()
                        : reproduction::ReadTables(folder);
}

}  // namespace manyarms::cli
