#include "service/sql/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "manyarms/error.h"
#include "service/sql/database.h"

namespace manyarms::sql {

FileLock::FileLock(const std::string& path)
    : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (file_ < 0) throw FileError("cannot open", path, errno);
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  close(file_);
  if (error == EWOULDBLOCK) {
    throw Failure(FailureKind::kBusy,
                  "another process writes to this store: it holds " + path);
  }
  throw FileError("cannot lock", path, error);
}

FileLock::~FileLock() { close(file_); }

void SyncFolderOf(const std::string& path) {
  auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) throw FileError("cannot open", folder, errno);
  const int failed = fsync(file) == 0 ? 0 : errno;
  close(file);
  if (failed != 0) throw FileError("cannot sync", folder, failed);
}

}  // namespace manyarms::sql
