#include "service/sql/sqlite_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "in_a_folder.h"
#include "manyarms/error.h"
#include "service/sql/column_types.h"

namespace manyarms::sql {
namespace {

using Access = Database::Access;
using ::testing::HasSubstr;

class SqliteFile : public testing::InAFolder {
 protected:
  std::string Path(const char* name = "a.db") const {
    return (folder_ / name).string();
  }
};

TEST_F(SqliteFile, HasOneWriterWhicheverWayItIsReached) {
  std::filesystem::create_symlink(Path(), Path("link.db"));
  std::filesystem::create_directory(folder_ / "sub");
  auto writer = Open(Path(), Access::kWrite);
  for (const std::string& path :
       {Path(), Path("link.db"), Path("sub/../a.db")}) {
    try {
      Open(path, Access::kWrite);
      ADD_FAILURE() << path << " was opened";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), FailureKind::kBusy);
    }
    EXPECT_NO_THROW(Open(path, Access::kRead));
  }
  writer.reset();
  EXPECT_NO_THROW(Open(Path(), Access::kWrite));
}

TEST_F(SqliteFile, IsMadeByWritersOnly) {
  EXPECT_THROW(Open(Path(), Access::kRead), Failure);
  EXPECT_FALSE(std::filesystem::exists(Path()));
  EXPECT_THROW(Open(Path("nowhere/a.db"), Access::kWrite), Error);
}

TEST_F(SqliteFile, IsRefusedIfItIsSomethingElse) {
  std::ofstream(Path()) << std::string(10'000, 'x');
  try {
    Open(Path(), Access::kWrite);
    ADD_FAILURE() << "it was opened";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), FailureKind::kFatal);
    EXPECT_NE(std::string(failure.what()).find(Path()), std::string::npos);
  }
  EXPECT_EQ(std::filesystem::file_size(Path()), 10'000U);
}

TEST_F(SqliteFile, IsItsUsersAlone) {
  using std::filesystem::perms;
  const auto database = Open(Path(), Access::kWrite);
  database->Run("CREATE TABLE t (i INTEGER64)");
  database->Backup(Path("copy.db"));
  for (const char* name :
       {"a.db", "a.db-wal", "a.db-shm", "a.db.lock", "copy.db"}) {
    EXPECT_EQ(std::filesystem::status(Path(name)).permissions(),
              perms::owner_read | perms::owner_write)
        << name;
  }
}

TEST_F(SqliteFile, KeepsPermissionsThatItWasGiven) {
  using std::filesystem::perms;
  const perms shared =
      perms::owner_read | perms::owner_write | perms::group_read;
  Open(Path(), Access::kWrite)->Run("CREATE TABLE t (i INTEGER64)");
  std::filesystem::permissions(Path(), shared);
  const auto database = Open(Path(), Access::kWrite);
  database->Run("INSERT INTO t VALUES (1)");
  EXPECT_EQ(std::filesystem::status(Path()).permissions(), shared);
  EXPECT_EQ(std::filesystem::status(Path("a.db-wal")).permissions(), shared);
}

TEST_F(SqliteFile, IsCopiedWithoutTouchingOtherFiles) {
  const auto database = Open(Path("shop.part"), Access::kWrite);
  database->Run("CREATE TABLE t (i INTEGER64)");
  std::ofstream(Path("other.part")) << "mine";
  for (const char* name : {"shop", "other"}) {
    database->Backup(Path(name));
    EXPECT_NO_THROW(Open(Path(name), Access::kRead)->Prepare("SELECT i FROM t"))
        << name;
  }
  EXPECT_TRUE(std::filesystem::exists(Path("shop.part")));
  EXPECT_EQ(std::filesystem::file_size(Path("other.part")), 4U);

  // A file of this name is not replaced, and nothing else remains.
  const auto count = [&] {
    const std::filesystem::directory_iterator files(folder_);
    return std::distance(begin(files), end(files));
  };
  const auto before = count();
  EXPECT_THROW(database->Backup(Path("other.part")), FileError);
  EXPECT_EQ(std::filesystem::file_size(Path("other.part")), 4U);
  std::filesystem::create_symlink(Path("nowhere"), Path("link"));
  EXPECT_THROW(database->Backup(Path("link")), FileError);
  EXPECT_EQ(count(), before + 1);
}

TEST_F(SqliteFile, HasALogThatBeginsAgain) {
  const auto database = Open(Path(), Access::kWrite);
  database->Run("CREATE TABLE t (b BYTES)");
  const auto insert = database->Prepare("INSERT INTO t (b) VALUES ($1)");
  const std::vector<std::byte> megabyte(1 << 20);
  for (int i = 0; i < 100; ++i) {
    database->Begin();
    insert->Bytes(megabyte).Run();
    database->Commit();
    database->TidyUp(/*somebody_waits=*/false);
  }
  EXPECT_LT(std::filesystem::file_size(Path("a.db-wal")), 20U << 20);
  EXPECT_GT(database->SizeInBytes(), 100U << 20);
}

TEST_F(SqliteFile, HasALongerLogWhileSomebodyWaits) {
  const auto database = Open(Path(), Access::kWrite);
  database->Run("CREATE TABLE t (b BYTES)");
  const auto insert = database->Prepare("INSERT INTO t (b) VALUES ($1)");
  const std::vector<std::byte> megabyte(1 << 20);
  const auto add = [&](int megabytes) {
    for (; megabytes > 0; --megabytes) {
      database->Begin();
      insert->Bytes(megabyte).Run();
      database->Commit();
      database->TidyUp(/*somebody_waits=*/true);
    }
  };
  const auto in_file = [&] { return std::filesystem::file_size(Path()) >> 20; };
  add(24);
  EXPECT_EQ(in_file(), 0U);
  database->TidyUp(/*somebody_waits=*/false);
  EXPECT_GE(in_file(), 24U);
  add(100);
  EXPECT_GT(in_file(), 60U);
  EXPECT_LT(std::filesystem::file_size(Path("a.db-wal")), 70U << 20);
}

TEST_F(SqliteFile, DoesNotWaitLongForAReaderOfTheLog) {
  const auto database = Open(Path(), Access::kWrite);
  database->Run("CREATE TABLE t (b BYTES)");
  const auto reader = Open(Path(), Access::kRead);
  reader->Begin();
  const auto query = reader->Prepare("SELECT count(*) FROM t");
  query->Next();
  query->Reset();
  const auto insert = database->Prepare("INSERT INTO t (b) VALUES ($1)");
  const std::vector<std::byte> much(70 << 20);
  database->Begin();
  insert->Bytes(much).Run();
  database->Commit();
  const auto start = std::chrono::steady_clock::now();
  database->TidyUp(/*somebody_waits=*/true);
  EXPECT_LT(std::chrono::steady_clock::now() - start,
            std::chrono::milliseconds(800));
}

TEST_F(SqliteFile, HasALogThatBeginsAgainWhileOthersReadWithoutAGap) {
  const auto database = Open(Path(), Access::kWrite);
  database->Run("CREATE TABLE t (b BYTES)");
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto reader = Open(Path(), Access::kRead);
      const auto query = reader->Prepare("SELECT count(*) FROM t");
      while (!is_over) {
        reader->Begin();
        query->Next();
        query->Reset();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        reader->Commit();
      }
    });
  }
  const auto insert = database->Prepare("INSERT INTO t (b) VALUES ($1)");
  const std::vector<std::byte> megabyte(1 << 20);
  std::uintmax_t longest = 0;
  for (int i = 0; i < 150; ++i) {
    database->Begin();
    insert->Bytes(megabyte).Run();
    database->Commit();
    database->TidyUp(/*somebody_waits=*/false);
    longest = std::max(longest, std::filesystem::file_size(Path("a.db-wal")));
    // So slowly that the log stays short enough if readers that a busy machine
    // holds up are waited for once again, a second later.
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(longest, 100U << 20);
}

TEST_F(SqliteFile, LeavesOneFileAndItsLock) {
  {
    const auto writer = Open(Path(), Access::kWrite);
    const auto reader = Open(Path(), Access::kRead);
    writer->Run("CREATE TABLE t (i INTEGER64)");
    reader->Prepare("SELECT i FROM t")->Next();
  }
  EXPECT_TRUE(std::filesystem::exists(Path()));
  EXPECT_TRUE(std::filesystem::exists(Path("a.db.lock")));
  EXPECT_FALSE(std::filesystem::exists(Path("a.db-wal")));
}

TEST_F(SqliteFile, IsBusyWhileAToolHoldsItsLock) {
  const auto database = Open(Path(), Access::kWrite);
  database->Run("CREATE TABLE t (i INTEGER64)");
  sqlite3* tool = nullptr;
  ASSERT_EQ(sqlite3_open(Path().c_str(), &tool), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(tool, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr),
            SQLITE_OK);
  try {
    database->Begin();
    ADD_FAILURE() << "two of them write";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), FailureKind::kBusy);
  }
  sqlite3_close(tool);
  database->Begin();
  database->Commit();
}

// What is written to a file without a name is lost when it is closed.
TEST_F(SqliteFile, CommitsNothingToAFileThatIsGone) {
  for (const char* gone : {"a.db", "a.db-wal"}) {
    for (const bool replaced : {false, true}) {
      for (const char* old : {"a.db", "a.db-wal", "a.db-shm", "other"}) {
        std::filesystem::remove(Path(old));
      }
      const auto database = Open(Path(), Access::kWrite);
      database->Run("CREATE TABLE t (i INTEGER64)");
      database->Begin();
      database->Commit();
      database->TidyUp(/*somebody_waits=*/false);
      std::filesystem::copy_file(Path(gone), Path("other"));
      if (replaced) {
        std::filesystem::rename(Path("other"), Path(gone));
      } else {
        std::filesystem::rename(Path(gone), Path("other"));
      }
      const auto expect_failure = [&](const std::function<void()>& work) {
        try {
          work();
          ADD_FAILURE() << gone << " is not missed";
        } catch (const Failure& failure) {
          EXPECT_EQ(failure.kind(), FailureKind::kFatal);
          EXPECT_THAT(failure.what(),
                      HasSubstr(Path(gone) + ": this file was"));
        }
      };
      expect_failure([&] {
        database->Begin();
        database->Commit();
      });
      expect_failure([&] { database->TidyUp(/*somebody_waits=*/false); });
    }
  }
}

// A reader keeps the connection of the writer from being the last one, which
// would move the log to the file when it is closed.
TEST_F(SqliteFile, HasEverythingThatWasInALogThatIsGone) {
  for (const bool replaced : {false, true}) {
    for (const char* old : {"a.db", "a.db-wal", "a.db-shm"}) {
      std::filesystem::remove(Path(old));
    }
    auto database = Open(Path(), Access::kWrite);
    database->Run("CREATE TABLE t (i INTEGER64)");
    const auto insert = [&] {
      database->Begin();
      database->Prepare("INSERT INTO t (i) VALUES (1)")->Run();
      database->Commit();
    };
    for (int i = 0; i < 100; ++i) insert();
    auto reader = Open(Path(), Access::kRead);
    reader->Prepare("SELECT i FROM t")->Next();
    std::filesystem::remove(Path("a.db-wal"));
    if (replaced) std::ofstream(Path("a.db-wal")).flush();
    EXPECT_THROW(database->TidyUp(/*somebody_waits=*/false), Failure);
    EXPECT_THROW(insert(), Failure);
    database.reset();
    reader.reset();
    const auto query = Open(Path(), Access::kWrite);
    const auto rows = query->Prepare("SELECT count(*) FROM t");
    ASSERT_TRUE(rows->Next());
    EXPECT_GE(rows->IntegerAt(0), 100);
  }
}

TEST(Sqlite, KnowsWhatCodesMean) {
  EXPECT_EQ(KindOf(SQLITE_FULL), FailureKind::kFull);
  EXPECT_EQ(KindOf(SQLITE_BUSY), FailureKind::kBusy);
  EXPECT_EQ(KindOf(SQLITE_BUSY_SNAPSHOT), FailureKind::kBusy);
  EXPECT_EQ(KindOf(SQLITE_LOCKED), FailureKind::kBusy);
  EXPECT_EQ(KindOf(SQLITE_IOERR_WRITE), FailureKind::kIo);
  EXPECT_EQ(KindOf(SQLITE_IOERR_FSYNC), FailureKind::kFatal);
  EXPECT_EQ(KindOf(SQLITE_CORRUPT_INDEX), FailureKind::kFatal);
  EXPECT_EQ(KindOf(SQLITE_NOTADB), FailureKind::kFatal);
  EXPECT_EQ(KindOf(SQLITE_CONSTRAINT_UNIQUE), FailureKind::kOther);
}

TEST(ColumnTypes, AreReplacedAsWholeWords) {
  const Word words[] = {{"TEXT", "VARCHAR"}, {"WITHOUT ROWID", ""}};
  EXPECT_EQ(WithWords("TEXT, TEXTS MYTEXT a_TEXT (TEXT)", words),
            "VARCHAR, TEXTS MYTEXT a_TEXT (VARCHAR)");
  EXPECT_EQ(WithWords("(a TEXT) WITHOUT ROWID;", words), "(a VARCHAR) ;");
  EXPECT_EQ(WithWords("", words), "");
}

}  // namespace
}  // namespace manyarms::sql
