#ifndef MANYARMS_SERVICE_SQL_FILE_LOCK_H_
#define MANYARMS_SERVICE_SQL_FILE_LOCK_H_

#include <string>

namespace manyarms::sql {

/// Holds a lock file, which is made if it is missing and stays. The system
/// releases the lock when the process ends, however it ends.
///
/// It is a file beside the database, because SQLite's own locks on the database
/// are lost as soon as anything else in the process closes that file.
class FileLock {
 public:
  /// Throws Failure(kBusy) if somebody else holds it, FileError if the file
  /// cannot be opened.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

/// Makes the entries of the folder that contains `path` durable. Throws
/// FileError.
void SyncFolderOf(const std::string& path);

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_FILE_LOCK_H_
