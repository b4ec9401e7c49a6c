#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "manyarms/error.h"
#include "service/sql/sqlite_database.h"

namespace manyarms::sql {
namespace {

struct Close {
  void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};

constexpr const char* kCannot = "cannot write a backup to";

// Makes an empty file beside `path`, under a name that nothing else has, and
// which only this user may read.
std::string NewFileBeside(const std::string& path) {
  std::string name = path + ".part.XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) throw FileError(kCannot, path, errno);
  close(file);
  return name;
}

// Gives the file its name unless something has come to have that meanwhile.
void RenameToNew(const std::string& file, const std::string& path) {
  int failed = renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, path.c_str(),
                         RENAME_NOREPLACE) == 0
                   ? 0
                   : errno;
  if (failed == EINVAL || failed == ENOSYS) {
    // The file system cannot do that in one step; that it had no such file was
    // checked at the beginning.
    failed = std::rename(file.c_str(), path.c_str()) == 0 ? 0 : errno;
  }
  if (failed != 0) throw FileError(kCannot, path, failed);
}

}  // namespace

void SqliteDatabase::Backup(const std::string& path) {
  if (std::filesystem::symlink_status(path).type() !=
      std::filesystem::file_type::not_found) {
    throw FileError(kCannot, path, EEXIST);
  }
  // Under another name until it is whole.
  const std::string part = NewFileBeside(path);
  try {
    sqlite3* opened = nullptr;
    int code =
        sqlite3_open_v2(part.c_str(), &opened,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, nullptr);
    std::unique_ptr<sqlite3, Close> copy(opened);
    if (code == SQLITE_OK) {
      sqlite3_backup* backup =
          sqlite3_backup_init(copy.get(), "main", connection_, "main");
      if (backup == nullptr) {
        code = sqlite3_extended_errcode(copy.get());
      } else {
        // In one step it is of one moment; those who write go on meanwhile.
        sqlite3_backup_step(backup, -1);
        code = sqlite3_backup_finish(backup);
      }
    }
    if (code != SQLITE_OK) {
      throw Failure(KindOf(code), "cannot write a backup to " + path + ": " +
                                      sqlite3_errstr(code));
    }
    copy.reset();
    RenameToNew(part, path);
    SyncFolderOf(path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
}

}  // namespace manyarms::sql
