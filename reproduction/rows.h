#ifndef MANYARMS_REPRODUCTION_ROWS_H_
#define MANYARMS_REPRODUCTION_ROWS_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "manyarms/research/experiment.h"
#include "reproduction/json.h"

namespace manyarms::reproduction {

/// Makes the row of a run, with its settings and its result, as docs/rows.md
/// describes. All fields that depend on the machine, the time or the number of
/// threads are below `times` and `origin`.
Json MakeRow(const Json& settings, const RunResult& result, const Json& data,
             const Json& origin);

/// Rows, with the text of their settings as the key.
using RowsBySettings = std::map<std::string, Json>;

struct ReadRows {
  RowsBySettings rows;
  /// One message for each line that is not a complete row, for instance because
  /// the disk was full or the machine was switched off.
  std::vector<std::string> complaints;
};

/// Reads all rows; a missing file has none. Of rows with equal settings the
/// last one counts. Throws Error(kIo) if the file cannot be read.
ReadRows ReadRowFile(const std::filesystem::path& path);

/// Appends rows to a file, each completely or not at all, and never changes
/// those that are there.
///
/// Thread safety: one thread at a time may use a RowFile.
class RowFile {
 public:
  /// Locks the file, so that no other process appends to it. Throws Error(kIo)
  /// if it is locked already or cannot be opened.
  explicit RowFile(const std::filesystem::path& path);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  /// Throws Error(kIo) if the row cannot be written.
  void Append(const Json& row);

 private:
  void Write(const std::string& text);

  std::string name_;
  int file_;
  // Whether the file ends with a partial line, to which the next row must not
  // be appended.
  bool after_partial_line_ = false;
};

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_ROWS_H_
