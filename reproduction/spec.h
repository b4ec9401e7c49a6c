#ifndef MANYARMS_REPRODUCTION_SPEC_H_
#define MANYARMS_REPRODUCTION_SPEC_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduction/json.h"

namespace manyarms::reproduction {

/// The paper's figures for an algorithm. Preprocessing means building the
/// graph; a baseline has none.
struct PaperFigures {
  double regret = 0;
  double spread = 0;
  double seconds = 0;
  double run_seconds = 0;  ///< without preprocessing
  double speedup = 1;      ///< over the paper's own baseline
  double run_speedup = 1;  ///< the same without preprocessing
};

struct Algorithm {
  std::string name;
  std::string baseline;  ///< name of the scan to compare with, or empty
  Json bandit;           ///< policy, search and their options
  std::optional<PaperFigures> paper;
};

/// A world and the algorithms that run in it.
struct Setting {
  std::string name;
  Json world;
  std::vector<Algorithm> algorithms;
  std::vector<std::string> remarks;  ///< shown to readers of the table
};

struct Table {
  std::string id;
  std::string title;
  std::string about;
  std::vector<Setting> settings;

  bool is_movielens() const;
};

/// The tables of reproduction/tables/, which are compiled into the program.
std::vector<Table> PaperTables();

/// Reads the tables of a folder, in the order of their files' names. Throws
/// Error(kIo) if it has none, and adds the file's name to ParseTable's errors.
std::vector<Table> ReadTables(const std::filesystem::path& folder);

/// Parses the text of a table's file, for instance one of reproduction/tables/.
/// The table's `world` and `bandit` are defaults, which settings and algorithms
/// may override. Throws Error(kInvalidArgument).
Table ParseTable(std::string_view text);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_SPEC_H_
