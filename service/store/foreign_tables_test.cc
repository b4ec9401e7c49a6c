#include "service/store/foreign_tables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "both_databases.h"
#include "manyarms/error.h"
#include "service/sql/database.h"
#include "service/store/store.h"

namespace manyarms::service {
namespace {

class ForeignTables : public testing::BothDatabases {
 protected:
  static bool HasTable(const std::string& place, const std::string& table) {
    try {
      const auto database = sql::Open(place, sql::Database::Access::kRead);
      const auto query =
          database->Prepare(fmt::format("SELECT count(*) FROM {}", table));
      while (query->Next()) {
      }
      return true;
    } catch (const sql::Failure&) {
      return false;
    }
  }
};

TEST_P(ForeignTables, AreRefusedAndLeftAlone) {
  for (const char* table : {"t", "meta"}) {
    const std::string place = NewPlace();
    {
      const auto database = sql::Open(place, sql::Database::Access::kWrite);
      database->Run(fmt::format("CREATE TABLE {} (i INTEGER64)", table));
    }
    try {
      const Store store({.place = place});
      ADD_FAILURE() << "it was opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
      EXPECT_NE(
          std::string(error.what()).find(fmt::format("such as {}:", table)),
          std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(HasTable(place, table));
    EXPECT_FALSE(HasTable(place, "bandits"));
  }
}

TEST_P(ForeignTables, MayBeBesideOurs) {
  const std::string place = NewPlace();
  { const Store store({.place = place}); }
  {
    const auto database = sql::Open(place, sql::Database::Access::kWrite);
    database->Run("CREATE TABLE analysis (i INTEGER64)");
  }
  EXPECT_NO_THROW(Store({.place = place}));
}

INSTANTIATE_TEST_SUITE_P(With, ForeignTables, testing::DatabaseNames(),
                         testing::NameOfDatabase);

using ForeignFile = testing::InAFolder;

std::string BytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Opening it for writing would already turn its log on.
TEST_F(ForeignFile, KeepsItsBytes) {
  const std::filesystem::path path = folder_ / "other.db";
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(connection, "CREATE TABLE t (i)", nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(connection);
  const std::string before = BytesOf(path);
  ASSERT_FALSE(before.empty());
  EXPECT_THROW(Store({.place = path.string()}), Error);
  EXPECT_EQ(BytesOf(path), before);
}

TEST_F(ForeignFile, MayBeEmpty) {
  const std::filesystem::path path = folder_ / "empty.db";
  std::ofstream(path).close();
  EXPECT_NO_THROW(Store({.place = path.string()}));
}

}  // namespace
}  // namespace manyarms::service
