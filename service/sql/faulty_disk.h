#ifndef MANYARMS_SERVICE_SQL_FAULTY_DISK_H_
#define MANYARMS_SERVICE_SQL_FAULTY_DISK_H_

#include <sqlite3.h>

#include <atomic>
#include <cstddef>
#include <cstring>

namespace manyarms::sql {

/// For tests: while there is one, all files that SQLite opens are on a disk
/// that fails on command. One at a time.
class FaultyDisk {
 public:
  enum class Fault { kNone, kFull, kWrite, kSync };

  FaultyDisk() {
    real_ = sqlite3_vfs_find(nullptr);
    vfs_ = *real_;
    vfs_.zName = "faulty";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = &Open;
    vfs_.pAppData = this;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~FaultyDisk() { sqlite3_vfs_unregister(&vfs_); }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  /// From now on, but only after this many writes that go well.
  void Fail(Fault fault, int writes_before = 0) {
    writes_before_ = writes_before;
    fault_ = fault;
  }
  void Heal() { fault_ = Fault::kNone; }

  int faults() const { return faults_; }
  int writes() const { return writes_; }

 private:
  // A file of SQLite; the real one follows in memory.
  struct File {
    sqlite3_file base;
    FaultyDisk* disk;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };
  static_assert(sizeof(File) % alignof(std::max_align_t) == 0);

  static sqlite3_file* Real(sqlite3_file* file) {
    return reinterpret_cast<File*>(file)->real();
  }
  static FaultyDisk& Disk(sqlite3_file* file) {
    return *reinterpret_cast<File*>(file)->disk;
  }

  static int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file,
                  int flags, int* out_flags) {
    auto* disk = static_cast<FaultyDisk*>(vfs->pAppData);
    auto* faulty = reinterpret_cast<File*>(file);
    faulty->disk = disk;
    std::memset(faulty->real(), 0,
                static_cast<std::size_t>(disk->real_->szOsFile));
    const int code =
        disk->real_->xOpen(disk->real_, name, faulty->real(), flags, out_flags);
    file->pMethods = faulty->real()->pMethods == nullptr ? nullptr : &kMethods;
    return code;
  }

  bool Fails(bool is_sync) {
    const Fault fault = fault_;
    if (!is_sync) ++writes_;
    if (fault == Fault::kNone || is_sync != (fault == Fault::kSync)) {
      return false;
    }
    if (writes_before_.fetch_sub(1) > 0) return false;
    ++faults_;
    return true;
  }

  static int Write(sqlite3_file* file, const void* bytes, int count,
                   sqlite3_int64 at) {
    FaultyDisk& disk = Disk(file);
    if (disk.Fails(false)) {
      if (disk.fault_ == Fault::kFull) return SQLITE_FULL;
      // Part of it is written, as a disk may do.
      Real(file)->pMethods->xWrite(Real(file), bytes, count / 2, at);
      return SQLITE_IOERR_WRITE;
    }
    return Real(file)->pMethods->xWrite(Real(file), bytes, count, at);
  }
  static int Sync(sqlite3_file* file, int flags) {
    if (Disk(file).Fails(true)) return SQLITE_IOERR_FSYNC;
    return Real(file)->pMethods->xSync(Real(file), flags);
  }

  static constexpr sqlite3_io_methods kMethods = {
      .iVersion = 2,
      .xClose =
          [](sqlite3_file* f) { return Real(f)->pMethods->xClose(Real(f)); },
      .xRead =
          [](sqlite3_file* f, void* bytes, int count, sqlite3_int64 at) {
            return Real(f)->pMethods->xRead(Real(f), bytes, count, at);
          },
      .xWrite = &Write,
      .xTruncate =
          [](sqlite3_file* f, sqlite3_int64 size) {
            return Real(f)->pMethods->xTruncate(Real(f), size);
          },
      .xSync = &Sync,
      .xFileSize =
          [](sqlite3_file* f, sqlite3_int64* size) {
            return Real(f)->pMethods->xFileSize(Real(f), size);
          },
      .xLock = [](sqlite3_file* f,
                  int lock) { return Real(f)->pMethods->xLock(Real(f), lock); },
      .xUnlock =
          [](sqlite3_file* f, int lock) {
            return Real(f)->pMethods->xUnlock(Real(f), lock);
          },
      .xCheckReservedLock =
          [](sqlite3_file* f, int* result) {
            return Real(f)->pMethods->xCheckReservedLock(Real(f), result);
          },
      .xFileControl =
          [](sqlite3_file* f, int what, void* value) {
            return Real(f)->pMethods->xFileControl(Real(f), what, value);
          },
      .xSectorSize =
          [](sqlite3_file* f) {
            return Real(f)->pMethods->xSectorSize(Real(f));
          },
      .xDeviceCharacteristics =
          [](sqlite3_file* f) {
            return Real(f)->pMethods->xDeviceCharacteristics(Real(f));
          },
      .xShmMap =
          [](sqlite3_file* f, int page, int size, int extend,
             void volatile** memory) {
            return Real(f)->pMethods->xShmMap(Real(f), page, size, extend,
                                              memory);
          },
      .xShmLock =
          [](sqlite3_file* f, int offset, int n, int flags) {
            return Real(f)->pMethods->xShmLock(Real(f), offset, n, flags);
          },
      .xShmBarrier =
          [](sqlite3_file* f) { Real(f)->pMethods->xShmBarrier(Real(f)); },
      .xShmUnmap =
          [](sqlite3_file* f, int remove) {
            return Real(f)->pMethods->xShmUnmap(Real(f), remove);
          },
      .xFetch = nullptr,
      .xUnfetch = nullptr};

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
  std::atomic<Fault> fault_ = Fault::kNone;
  std::atomic<int> writes_before_ = 0;
  std::atomic<int> faults_ = 0;
  std::atomic<int> writes_ = 0;
};

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_FAULTY_DISK_H_
