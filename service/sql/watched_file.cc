#include "service/sql/watched_file.h"

#include <sys/stat.h>

namespace manyarms::sql {

bool WatchedFile::IsThere() {
  const std::optional<Identity> now = Now();
  if (!first_) first_ = now;
  return now == first_;
}

std::optional<WatchedFile::Identity> WatchedFile::Now() const {
  struct stat found = {};
  if (stat(path_.c_str(), &found) != 0) return std::nullopt;
  return Identity{found.st_dev, found.st_ino};
}

}  // namespace manyarms::sql
