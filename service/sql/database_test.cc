#include "service/sql/database.h"

#include <gtest/gtest.h>

#include "both_databases.h"

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

INSTANTIATE_TEST_SUITE_P(Both, Databases, testing::kBothDatabases,
                         testing::NameOfDatabase);

}  // namespace
}  // namespace manyarms::sql
