#ifndef MANYARMS_REPRODUCTION_SPEC_H_
#define MANYARMS_REPRODUCTION_SPEC_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduction/json.h"

namespace manyarms::reproduction {

/// What the paper says of an algorithm. Preprocessing is building the graph; a
/// baseline has none.
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
  std::string baseline;  ///< the name of the scan beside it, or empty
  Json bandit;           ///< policy, search and their options
  std::optional<PaperFigures> paper;
};

/// A world, and who plays in it.
struct Setting {
  std::string name;
  Json world;
  std::vector<Algorithm> algorithms;
  std::vector<std::string> remarks;  ///< what a reader of the table must know
};

struct Table {
  std::string id;
  std::string title;
  std::string about;
  std::vector<Setting> settings;

  bool is_movielens() const;
};

/// The files of reproduction/tables/, which are compiled in.
std::vector<Table> PaperTables();

/// Those of another folder, in the order of its files' names. Throws
/// Error(kIo) if it has none, and what ParseTable throws with the file's name.
std::vector<Table> ReadTables(const std::filesystem::path& folder);

/// A table from the text of its file, for instance one of reproduction/tables/. What
/// `world` and `bandit` say holds for all settings and algorithms that do not
/// say otherwise. Throws Error(kInvalidArgument).
Table ParseTable(std::string_view text);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_SPEC_H_
