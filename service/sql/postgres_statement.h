#ifndef MANYARMS_SERVICE_SQL_POSTGRES_STATEMENT_H_
#define MANYARMS_SERVICE_SQL_POSTGRES_STATEMENT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/sql/postgres_database.h"

namespace manyarms::sql {

/// Values go in both directions in PostgreSQL's binary form.
class PostgresStatement final : public Statement {
 public:
  PostgresStatement(PostgresDatabase& database, std::string_view text)
      : database_(database), text_(text) {}

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
  struct Value {
    Oid type = 0;
    std::size_t begin = 0;  // in values_
    std::size_t size = 0;
    bool is_null = false;
  };

  Statement& Add(Oid type, const void* bytes, std::size_t size);
  void Send();
  void SendPrepare();

  PostgresDatabase& database_;
  const std::string text_;
  std::string name_;             // empty until it is prepared
  std::uint64_t forgotten_ = 0;  // the database's when it was prepared
  std::string values_;           // of all parameters
  std::vector<Value> parameters_;
  PostgresResult result_;
  int row_ = 0;
};

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_POSTGRES_STATEMENT_H_
