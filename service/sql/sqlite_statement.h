#ifndef MANYARMS_SERVICE_SQL_SQLITE_STATEMENT_H_
#define MANYARMS_SERVICE_SQL_SQLITE_STATEMENT_H_

#include <sqlite3.h>

#include "service/sql/sqlite_database.h"

namespace manyarms::sql {

class SqliteStatement final : public Statement {
 public:
  /// Takes the statement.
  SqliteStatement(SqliteDatabase& database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}
  ~SqliteStatement() override { sqlite3_finalize(statement_); }
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  Statement& Integer(std::int64_t value) override;
  Statement& Real(double value) override;
  Statement& Text(std::string_view value) override;
  Statement& Bytes(std::span<const std::byte> value) override;
  Statement& Null() override;

  void Run() override;
  bool Next() override;
  bool IsNull(int column) const override;
  std::int64_t IntegerAt(int column) const override;
  double RealAt(int column) const override;
  std::string_view TextAt(int column) const override;
  std::span<const std::byte> BytesAt(int column) const override;
  void Reset() override;

 private:
  Statement& Bound(int code);
  int Step();

  SqliteDatabase& database_;
  sqlite3_stmt* statement_;
  int bound_ = 0;  // parameters that have a value
  bool is_running_ = false;
};

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_SQLITE_STATEMENT_H_
