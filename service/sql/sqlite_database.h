#ifndef MANYARMS_SERVICE_SQL_SQLITE_DATABASE_H_
#define MANYARMS_SERVICE_SQL_SQLITE_DATABASE_H_

#include <sqlite3.h>
#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/sql/database.h"
#include "service/sql/file_lock.h"
#include "service/sql/watched_file.h"

namespace manyarms::sql {

/// What a result code of SQLite means to us.
FailureKind KindOf(int code);

/// A file of SQLite in WAL mode. Only the writer moves what is in the log to
/// the file, because versions before 3.51.3 can damage the file if two
/// connections do.
class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const std::string& place, Access access);
  ~SqliteDatabase() override;
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  std::unique_ptr<Statement> Prepare(std::string_view text) override;
  void Run(std::string_view text) override;
  void Begin() override;
  void Commit() override;
  /// Moves a long log to the file, and empties the log soon after rows were
  /// deleted, whose bytes it still has.
  void TidyUp(bool somebody_waits) override;
  void Rollback() noexcept override;
  std::uint64_t SizeInBytes() override;
  void Backup(const std::string& path) override;

  /// Ends the transaction and throws what the code means.
  [[noreturn]] void Fail(int code);

 private:
  void OpenFile();
  void PrepareForWriting(bool is_new);
  void CheckedLogMode();
  void Execute(const char* text);
  bool HasLock();
  void GetPastFormerWriter();
  void EndFormerWriterThatHangs();
  void WaitPatiently();
  void CheckFilesAreThere();
  void MoveLogToFile();
  /// The connection does not move the log to the file when it is closed.
  void LeaveFilesAlone();
  bool IsTimeToEmptyLog(bool somebody_waits) const;
  bool EmptyLog();

  std::string path_;
  Access access_;
  std::optional<FileLock> lock_;
  // Who had the lock when this connection took over, if it can be seen.
  std::optional<pid_t> former_writer_;
  const std::chrono::steady_clock::time_point opened_at_ =
      std::chrono::steady_clock::now();
  WatchedFile file_;
  WatchedFile log_;
  sqlite3* connection_ = nullptr;
  int log_pages_ = 0;    // in the log after the last commit
  int moved_pages_ = 0;  // the first ones of those, which are in the file, too
  std::chrono::steady_clock::time_point next_wait_for_readers_;
  std::chrono::steady_clock::time_point next_emptying_;
  // Whether the log may have rows that were deleted since, as that of a former
  // process may, and since when.
  bool log_has_deleted_ = true;
  std::chrono::steady_clock::time_point deleted_at_ =
      std::chrono::steady_clock::now();
};

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_SQLITE_DATABASE_H_
