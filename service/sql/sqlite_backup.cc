#include <filesystem>
#include <memory>

#include "manyarms/error.h"
#include "service/sql/sqlite_database.h"

namespace manyarms::sql {
namespace {

struct Close {
  void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};

}  // namespace

void SqliteDatabase::Backup(const std::string& path) {
  if (std::filesystem::exists(path)) {
    throw FileError("cannot write a backup to", path, EEXIST);
  }
  // Under another name until it is whole.
  const std::string part = path + ".part";
  std::filesystem::remove(part);
  try {
    sqlite3* opened = nullptr;
    int code = sqlite3_open_v2(
        part.c_str(), &opened,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE,
        nullptr);
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
    std::filesystem::rename(part, path);
    SyncFolderOf(path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
}

}  // namespace manyarms::sql
