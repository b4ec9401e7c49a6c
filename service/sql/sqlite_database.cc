#include "service/sql/sqlite_database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "service/sql/column_types.h"
#include "service/sql/former_writer.h"
#include "service/sql/sqlite_statement.h"

namespace manyarms::sql {
namespace {

namespace fs = std::filesystem;

constexpr std::array<Word, 3> kWords = {
    {{"INTEGER64", "INTEGER"}, {"REAL64", "REAL"}, {"BYTES", "BLOB"}}};

// How long to wait for a lock that a tool holds for a moment.
constexpr int kPatienceMilliseconds = 1000;

// How long to wait for gaps between the transactions of a writer that is being
// replaced, and until it has ended. Its gaps may be short.
constexpr std::chrono::seconds kPatienceWithFormerWriter(3);
constexpr std::chrono::microseconds kBetweenLooks(100);

// How long a writer that was replaced may hold the lock, which one that runs
// releases within a second or two.
constexpr std::chrono::seconds kMostOfFormerWriter(5);

// Pages of 4 KB in the log, from which on they are moved to the file.
constexpr int kLongLog = 4096;
constexpr int kLongLogWhileSomebodyWaits = 2 * kLongLog;
constexpr int kTooLongLog = 4 * kLongLog;
constexpr std::chrono::seconds kBetweenWaits(1);
constexpr int kPatienceWithReadersMilliseconds = 50;
// How long a log with deleted rows waits for a moment when nobody waits.
constexpr std::chrono::seconds kMostWithDeleted(10);

// One path for a file, whichever way it is reached, as it has one lock.
std::string OnePath(const std::string& place) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::absolute(place), error);
  return error ? place : path.string();
}

// An empty file, which SQLite takes for a new database. It contains keys of
// learners, so that only its user may read it; SQLite gives the log the same
// permissions.
void MakePrivateFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) throw FileError("cannot make", path, errno);
  close(file);
}

// Another connection may have made an empty file in place of a missing one.
bool IsMissingOrEmpty(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? error == std::errc::no_such_file_or_directory : size == 0;
}

}  // namespace

FailureKind KindOf(int code) {
  switch (code) {
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
    case SQLITE_IOERR_CORRUPTFS:
    case SQLITE_IOERR_DATA:
      return FailureKind::kFatal;
    case SQLITE_IOERR_NOMEM:
      return FailureKind::kFull;
    default:
      break;
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      return FailureKind::kFull;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_INTERRUPT:
      return FailureKind::kBusy;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return FailureKind::kIo;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return FailureKind::kFatal;
    default:
      return FailureKind::kOther;
  }
}

SqliteDatabase::SqliteDatabase(const std::string& place, Access access)
    : path_(OnePath(place)),
      access_(access),
      file_(path_),
      log_(path_ + "-wal") {
  bool is_new = false;
  if (access_ != Access::kRead) {
    if (access_ == Access::kWrite) {
      lock_.emplace(path_ + ".lock");
    } else {
      HasLock();
    }
    is_new = !fs::exists(path_);
    if (is_new) MakePrivateFile(path_);
  }
  try {
    OpenFile();
    if (access_ == Access::kRead) return;
    if (!lock_) {
      former_writer_ = HolderOf(path_ + ".lock");
      GetPastFormerWriter();
    }
    PrepareForWriting(is_new);
  } catch (...) {
    sqlite3_close(connection_);
    throw;
  }
}

SqliteDatabase::~SqliteDatabase() { sqlite3_close(connection_); }

void SqliteDatabase::OpenFile() {
  const int flags = access_ == Access::kRead
                        ? SQLITE_OPEN_READONLY
                        : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(
      path_.c_str(), &connection_,
      flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  if (code != SQLITE_OK) Fail(code);
  WaitPatiently();
}

void SqliteDatabase::WaitPatiently() {
  sqlite3_busy_timeout(connection_, kPatienceMilliseconds);
}

bool SqliteDatabase::HasLock() {
  if (lock_) return true;
  try {
    lock_.emplace(path_ + ".lock");
  } catch (const Failure&) {
    return false;
  }
  if (connection_ != nullptr) WaitPatiently();
  return true;
}

void SqliteDatabase::GetPastFormerWriter() {
  // SQLite's own patience looks every 100 ms, which may never meet a gap.
  sqlite3_busy_handler(
      connection_,
      [](void*, int looks) {
        std::this_thread::sleep_for(kBetweenLooks);
        return looks * kBetweenLooks < kPatienceWithFormerWriter ? 1 : 0;
      },
      nullptr);
  try {
    Execute("BEGIN IMMEDIATE");
    return Rollback();
  } catch (const Failure& failure) {
    if (failure.kind() != FailureKind::kBusy) throw;
  }
  const bool is_ended = EndHolderOf(path_ + ".lock");
  const auto end = std::chrono::steady_clock::now() + kPatienceWithFormerWriter;
  while (is_ended && !HasLock() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (HasLock()) return;
  throw Failure(FailureKind::kBusy,
                path_ +
                    ": a process that cannot be ended from here hangs "
                    "within a transaction");
}

// It may be stopped between two transactions, with the lock. It can write
// nothing any more, but the log would grow for as long as it is there. Whoever
// has taken the lock since is another process, and is left alone.
void SqliteDatabase::EndFormerWriterThatHangs() {
  if (!former_writer_ ||
      std::chrono::steady_clock::now() < opened_at_ + kMostOfFormerWriter) {
    return;
  }
  if (HolderOf(path_ + ".lock") == former_writer_) {
    kill(*former_writer_, SIGKILL);
  }
}

void SqliteDatabase::PrepareForWriting(bool is_new) {
  // A commit must survive a power cut (FULL), and what is deleted must be gone
  // from the file (secure_delete). The log keeps some room of its own.
  CheckedLogMode();
  Execute("PRAGMA synchronous = FULL");
  Execute("PRAGMA secure_delete = ON");
  Execute("PRAGMA journal_size_limit = 67108864");
  Execute("PRAGMA cache_size = -65536");
  // SQLite's own moving of the log to the file would hide a failed fsync.
  Execute("PRAGMA wal_autocheckpoint = 0");
  sqlite3_wal_hook(
      connection_,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<SqliteDatabase*>(self)->log_pages_ = pages;
        return SQLITE_OK;
      },
      this);
  sqlite3_update_hook(
      connection_,
      [](void* self, int what, const char*, const char*, sqlite3_int64) {
        auto* database = static_cast<SqliteDatabase*>(self);
        if (what != SQLITE_DELETE || database->log_has_deleted_) return;
        database->log_has_deleted_ = true;
        database->deleted_at_ = std::chrono::steady_clock::now();
      },
      this);
  if (is_new) SyncFolderOf(path_);
}

void SqliteDatabase::CheckedLogMode() {
  const auto statement = Prepare("PRAGMA journal_mode = WAL");
  const bool is_on = statement->Next() && statement->TextAt(0) == "wal";
  statement->Reset();
  if (!is_on) {
    throw Error(ErrorCode::kUnsupported,
                path_ + ": this file system does not let SQLite use a log");
  }
}

void SqliteDatabase::Execute(const char* text) {
  const int code = sqlite3_exec(connection_, text, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) Fail(code);
}

std::unique_ptr<Statement> SqliteDatabase::Prepare(std::string_view text) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(
      connection_, text.data(), static_cast<int>(text.size()),
      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) Fail(code);
  return std::make_unique<SqliteStatement>(*this, statement);
}

void SqliteDatabase::Run(std::string_view text) {
  Execute(WithWords(text, kWords).c_str());
}

void SqliteDatabase::Begin() {
  Execute(access_ == Access::kRead ? "BEGIN" : "BEGIN IMMEDIATE");
}

void SqliteDatabase::Commit() {
  Execute("COMMIT");
  if (access_ != Access::kRead) CheckFilesAreThere();
}

void SqliteDatabase::CheckFilesAreThere() {
  const bool has_file = file_.IsThere();
  if (has_file && log_.IsThere()) return;
  if (has_file && IsMissingOrEmpty(log_.path()) && HasLock()) MoveLogToFile();
  throw Failure(FailureKind::kFatal,
                (has_file ? log_ : file_).path() +
                    ": this file was deleted or replaced while it was in use, "
                    "and what is written to it would be lost");
}

// This connection still has the log that the next process will not find. If the
// move fails, the caller's failure is the one to report.
void SqliteDatabase::MoveLogToFile() {
  sqlite3_wal_checkpoint_v2(connection_, nullptr, SQLITE_CHECKPOINT_FULL,
                            nullptr, nullptr);
}

void SqliteDatabase::TidyUp(bool somebody_waits) {
  // While the former writer may still move what is in the log, nobody else
  // must.
  if (!HasLock()) return EndFormerWriterThatHangs();
  CheckFilesAreThere();
  if (log_pages_ < moved_pages_) moved_pages_ = 0;  // the log began again
  if (IsTimeToEmptyLog(somebody_waits) && EmptyLog()) return;
  const int most = somebody_waits ? kLongLogWhileSomebodyWaits : kLongLog;
  if (log_pages_ - moved_pages_ < most) return;
  // The log begins again with the next commit if nobody reads in it then. If
  // readers leave no gap, they are waited for, but not for one of them that
  // takes hours.
  const auto now = std::chrono::steady_clock::now();
  const bool waits = log_pages_ >= kTooLongLog && now >= next_wait_for_readers_;
  if (waits) {
    sqlite3_busy_timeout(connection_, kPatienceWithReadersMilliseconds);
  }
  const int code = sqlite3_wal_checkpoint_v2(
      connection_, nullptr,
      waits ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, nullptr,
      nullptr);
  if (waits) WaitPatiently();
  if (code == SQLITE_OK) {
    moved_pages_ = log_pages_;
  } else if (KindOf(code) == FailureKind::kFatal) {
    Fail(code);
  } else if (waits) {
    next_wait_for_readers_ = now + kBetweenWaits;
  }
  // Whatever else went wrong, everything is still in the log, and the next call
  // tries again.
}

void SqliteDatabase::Rollback() noexcept {
  if (sqlite3_get_autocommit(connection_) != 0) return;
  sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
}

bool SqliteDatabase::IsTimeToEmptyLog(bool somebody_waits) const {
  if (!log_has_deleted_) return false;
  const auto now = std::chrono::steady_clock::now();
  return now >= next_emptying_ &&
         (!somebody_waits || now >= deleted_at_ + kMostWithDeleted);
}

// As TidyUp, but nothing may be left in the log, so readers of it are waited
// for.
bool SqliteDatabase::EmptyLog() {
  sqlite3_busy_timeout(connection_, kPatienceWithReadersMilliseconds);
  const int code = sqlite3_wal_checkpoint_v2(
      connection_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_busy_timeout(connection_, kPatienceMilliseconds);
  if (code == SQLITE_OK) {
    log_pages_ = 0;
    moved_pages_ = 0;
    log_has_deleted_ = false;
    return true;
  }
  if (KindOf(code) == FailureKind::kFatal) Fail(code);
  next_emptying_ = std::chrono::steady_clock::now() + kBetweenWaits;
  return false;
}

std::uint64_t SqliteDatabase::SizeInBytes() {
  std::uint64_t bytes = 0;
  for (const char* end : {"", "-wal"}) {
    std::error_code error;
    const auto size = fs::file_size(path_ + end, error);
    if (!error) bytes += size;
  }
  return bytes;
}

void SqliteDatabase::LeaveFilesAlone() {
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void SqliteDatabase::Fail(int code) {
  const bool has_text =
      connection_ != nullptr && sqlite3_extended_errcode(connection_) == code;
  const std::string message = fmt::format(
      "{}: {}", path_,
      has_text ? sqlite3_errmsg(connection_) : sqlite3_errstr(code));
  const int system_error =
      connection_ == nullptr ? 0 : sqlite3_system_errno(connection_);
  if (connection_ != nullptr) {
    Rollback();
    if (KindOf(code) == FailureKind::kFatal) LeaveFilesAlone();
  }
  const bool of_system =
      (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
  throw Failure(
      KindOf(code),
      of_system && system_error != 0
          ? fmt::format("{} ({}; SQLite's code {})", message,
                        std::generic_category().message(system_error), code)
          : message);
}

}  // namespace manyarms::sql
