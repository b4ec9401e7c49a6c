#include "service/sql/database.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "both_databases.h"
#include "service/sql/postgres_database.h"

namespace manyarms::sql {
namespace {

class Databases : public testing::BothDatabases {};

TEST_P(Databases, ReturnsTheValuesThatItGot) {
  const auto database = Open(NewPlace(), Database::Access::kWrite);
  database->Run(
      "CREATE TABLE t (i INTEGER64, r REAL64, s TEXT, b BYTES); "
      "CREATE INDEX t_i ON t (i)");
  const auto insert =
      database->Prepare("INSERT INTO t (i, r, s, b) VALUES ($1, $2, $3, $4)");
  insert->Null().Null().Null().Null().Run();
  const std::byte bytes[] = {std::byte{0}, std::byte{255}};
  insert->Integer(INT64_MIN).Real(0.1).Text("\u00e9'\"").Bytes(bytes).Run();
  insert->Integer(7).Real(-1e300).Text("").Bytes({}).Run();
  const auto query = database->Prepare("SELECT i, r, s, b FROM t ORDER BY i");
  int rows = 0;
  while (query->Next()) {
    if (query->IsNull(0)) {
      EXPECT_TRUE(query->IsNull(1) && query->IsNull(2) && query->IsNull(3));
    } else if (query->IntegerAt(0) == INT64_MIN) {
      EXPECT_EQ(query->RealAt(1), 0.1);
      EXPECT_EQ(query->TextAt(2), "\u00e9'\"");
      ASSERT_EQ(query->BytesAt(3).size(), 2U);
      EXPECT_EQ(query->BytesAt(3)[1], std::byte{255});
    } else {
      EXPECT_EQ(query->IntegerAt(0), 7);
      EXPECT_EQ(query->RealAt(1), -1e300);
      EXPECT_FALSE(query->IsNull(2) || query->IsNull(3));
      EXPECT_EQ(query->TextAt(2), "");
      EXPECT_TRUE(query->BytesAt(3).empty());
    }
    ++rows;
  }
  EXPECT_EQ(rows, 3);
}

// The rows of table t.
std::int64_t Rows(Database& database) {
  const auto query = database.Prepare("SELECT count(*) FROM t");
  std::int64_t rows = -1;
  while (query->Next()) rows = query->IntegerAt(0);
  return rows;
}

FailureKind KindOfFailure(const std::function<void()>& what) {
  try {
    what();
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()), "");
    return failure.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST_P(Databases, CarryOutTransactionsAsAWhole) {
  const std::string place = NewPlace();
  const auto database = Open(place, Database::Access::kWrite);
  database->Run("CREATE TABLE t (i INTEGER64 PRIMARY KEY)");
  const auto reader = Open(place, Database::Access::kRead);
  const auto insert = database->Prepare("INSERT INTO t (i) VALUES ($1)");
  database->Begin();
  for (int i = 0; i < 5000; ++i) insert->Integer(i).Run();
  // The transaction sees its own rows, and nobody else does.
  EXPECT_EQ(Rows(*database), 5000);
  EXPECT_EQ(Rows(*reader), 0);
  database->Commit();
  EXPECT_EQ(Rows(*reader), 5000);
  database->Begin();
  insert->Integer(5000).Run();
  database->Rollback();
  database->Rollback();
  EXPECT_EQ(Rows(*database), 5000);
  EXPECT_EQ(Rows(*reader), 5000);
}

TEST_P(Databases, GoOnAfterAStatementThatFails) {
  const auto database = Open(NewPlace(), Database::Access::kWrite);
  database->Run("CREATE TABLE t (i INTEGER64 PRIMARY KEY)");
  const auto insert = database->Prepare("INSERT INTO t (i) VALUES ($1)");
  insert->Integer(1).Run();
  for (int round = 0; round < 3; ++round) {
    // It is prepared while the transaction has failed already.
    const auto remove = database->Prepare("DELETE FROM t WHERE i = $1");
    EXPECT_EQ(KindOfFailure([&] {
                database->Begin();
                insert->Integer(2).Run();
                insert->Integer(1).Run();
                remove->Integer(1).Run();
                for (int i = 10; i < 1000; ++i) insert->Integer(i).Run();
                database->Commit();
              }),
              FailureKind::kOther);
    EXPECT_EQ(Rows(*database), 1);
    EXPECT_EQ(KindOfFailure([&] { insert->Integer(1).Run(); }),
              FailureKind::kOther);
    database->Begin();
    insert->Integer(3).Run();
    remove->Integer(3).Run();
    database->Commit();
    EXPECT_EQ(Rows(*database), 1);
  }
  EXPECT_EQ(KindOfFailure([&] { database->Run("CREATE TABLE t (i TEXT)"); }),
            FailureKind::kOther);
  EXPECT_EQ(KindOfFailure([&] {
              const auto query = database->Prepare("SELECT i FROM nowhere");
              query->Next();
            }),
            FailureKind::kOther);
  EXPECT_EQ(Rows(*database), 1);
}

TEST_P(Databases, LetReadersReadOnly) {
  const std::string place = NewPlace();
  const auto database = Open(place, Database::Access::kWrite);
  database->Run("CREATE TABLE t (i INTEGER64)");
  const auto reader = Open(place, Database::Access::kRead);
  EXPECT_THROW(reader->Run("CREATE TABLE u (i INTEGER64)"), Failure);
  EXPECT_THROW(reader->Prepare("INSERT INTO t (i) VALUES (1)")->Run(), Failure);
  EXPECT_EQ(Rows(*database), 0);
}

TEST_P(Databases, OrderTextsByTheirBytes) {
  const auto database = Open(NewPlace(), Database::Access::kWrite);
  database->Run("CREATE TABLE t (s TEXT)");
  const auto insert = database->Prepare("INSERT INTO t (s) VALUES ($1)");
  for (const char* text : {"b", "\u00e9", "B", "a", "_", ""}) {
    insert->Text(text).Run();
  }
  const auto query = database->Prepare("SELECT s FROM t ORDER BY s");
  std::vector<std::string> texts;
  while (query->Next()) texts.emplace_back(query->TextAt(0));
  EXPECT_EQ(texts,
            (std::vector<std::string>{"", "B", "_", "a", "b", "\u00e9"}));
}

TEST_P(Databases, BeginAgainAfterAQueryThatWasGivenUp) {
  const auto database = Open(NewPlace(), Database::Access::kWrite);
  database->Run("CREATE TABLE t (i INTEGER64)");
  database->Run("INSERT INTO t VALUES (1), (2), (3)");
  const auto query =
      database->Prepare("SELECT i FROM t WHERE i >= $1 AND $1 > 0 ORDER BY i");
  for (int first = 1; first <= 3; ++first) {
    query->Integer(first);
    ASSERT_TRUE(query->Next());
    EXPECT_EQ(query->IntegerAt(0), first);
    query->Reset();
  }
}

TEST(PostgresDatabase, SaysThatItsConnectionIsLost) {
  auto& server = testing::PostgresServer::Shared();
  const auto database = Open(server.NewSchema(), Database::Access::kWrite);
  database->Run("CREATE TABLE t (i INTEGER64)");
  const auto insert = database->Prepare("INSERT INTO t (i) VALUES ($1)");
  insert->Integer(1).Run();
  database->Begin();
  insert->Integer(1).Run();
  server.EndConnections();
  EXPECT_EQ(KindOfFailure([&] {
              for (int i = 0; i < 1000; ++i) insert->Integer(1).Run();
              database->Commit();
            }),
            FailureKind::kLost);
  database->Rollback();
  EXPECT_EQ(KindOfFailure([&] { insert->Integer(1).Run(); }),
            FailureKind::kLost);
  EXPECT_EQ(KindOfFailure([&] {
              database->Begin();
              database->Commit();
            }),
            FailureKind::kLost);
  EXPECT_EQ(KindOfFailure([&] {
              Open("postgresql:///nothing?host=/tmp/nowhere",
                   Database::Access::kRead);
            }),
            FailureKind::kLost);
}

TEST(PostgresDatabase, KnowsWhatStatesMean) {
  EXPECT_EQ(KindOfState("53100"), FailureKind::kFull);
  EXPECT_EQ(KindOfState("57P01"), FailureKind::kLost);
  EXPECT_EQ(KindOfState("08006"), FailureKind::kLost);
  EXPECT_EQ(KindOfState("40001"), FailureKind::kBusy);
  EXPECT_EQ(KindOfState("58030"), FailureKind::kIo);
  EXPECT_EQ(KindOfState("XX001"), FailureKind::kFatal);
  EXPECT_EQ(KindOfState("23505"), FailureKind::kOther);
}

INSTANTIATE_TEST_SUITE_P(Both, Databases, testing::DatabaseNames(),
                         testing::NameOfDatabase);

}  // namespace
}  // namespace manyarms::sql
