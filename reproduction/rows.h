#ifndef MANYARMS_REPRODUCTION_ROWS_H_
#define MANYARMS_REPRODUCTION_ROWS_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "manyarms/research/experiment.h"
#include "reproduction/json.h"

namespace manyarms::reproduction {

/// A run's settings and what came of it, as docs/rows.md describes. Everything
/// that another machine, hour or number of threads may change stands below
/// `times` and `origin`.
Json MakeRow(const Json& settings, const RunResult& result, const Json& data,
             const Json& origin);

/// Rows by the text of their settings.
using RowsBySettings = std::map<std::string, Json>;

struct ReadRows {
  RowsBySettings rows;
  /// Lines that are no rows, for instance the half of one that a full disk or
  /// a switched-off machine has left; for people.
  std::vector<std::string> complaints;
};

/// A file that is not there has no rows. Throws Error(kIo) for one that cannot
/// be read.
ReadRows ReadRowFile(const std::filesystem::path& path);

/// Adds rows to a file, each as a whole or not at all, and never touches those
/// that are there.
///
/// Thread safety: one thread at a time.
class RowFile {
 public:
  /// Keeps others from adding to it meanwhile. Throws Error(kIo), as all
  /// methods do.
  explicit RowFile(const std::filesystem::path& path);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  void Append(const Json& row);

 private:
  void Write(const std::string& text);

  std::string name_;
  int file_;
  bool after_half_a_line_ = false;  // what follows would be lost with it
};

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_ROWS_H_
