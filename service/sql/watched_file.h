#ifndef MANYARMS_SERVICE_SQL_WATCHED_FILE_H_
#define MANYARMS_SERVICE_SQL_WATCHED_FILE_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

namespace manyarms::sql {

/// A file that somebody writes to for long, and that others may delete or
/// replace meanwhile, so that what is written would be lost when it is closed.
class WatchedFile {
 public:
  explicit WatchedFile(std::string path) : path_(std::move(path)) {}

  /// Whether the path leads to the file that it first led to; true before it
  /// has led to one.
  bool IsThere();

  const std::string& path() const { return path_; }

 private:
  struct Identity {
    dev_t device;
    ino_t inode;
    bool operator==(const Identity&) const = default;
  };

  std::optional<Identity> Now() const;

  std::string path_;
  std::optional<Identity> first_;
};

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_WATCHED_FILE_H_
