#include "service/sql/sqlite_statement.h"

#include <stdexcept>

namespace manyarms::sql {

Statement& SqliteStatement::Bound(int code) {
  if (code != SQLITE_OK) {
    Reset();
    database_.Fail(code);
  }
  return *this;
}

Statement& SqliteStatement::Integer(std::int64_t value) {
  return Bound(sqlite3_bind_int64(statement_, ++bound_, value));
}

Statement& SqliteStatement::Real(double value) {
  return Bound(sqlite3_bind_double(statement_, ++bound_, value));
}

Statement& SqliteStatement::Text(std::string_view value) {
  // A null pointer would become NULL.
  const char* text = value.data() == nullptr ? "" : value.data();
  return Bound(sqlite3_bind_text64(statement_, ++bound_, text, value.size(),
                                   SQLITE_TRANSIENT, SQLITE_UTF8));
}

Statement& SqliteStatement::Bytes(std::span<const std::byte> value) {
  if (value.empty()) {
    return Bound(sqlite3_bind_zeroblob(statement_, ++bound_, 0));
  }
  return Bound(sqlite3_bind_blob64(statement_, ++bound_, value.data(),
                                   value.size(), SQLITE_TRANSIENT));
}

Statement& SqliteStatement::Null() {
  return Bound(sqlite3_bind_null(statement_, ++bound_));
}

int SqliteStatement::Step() {
  if (!is_running_ && bound_ != sqlite3_bind_parameter_count(statement_)) {
    throw std::logic_error("a statement has another number of parameters");
  }
  is_running_ = true;
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    // The message is gone after a reset that succeeds; a reset after an error
    // returns that error and keeps it.
    is_running_ = false;
    bound_ = 0;
    sqlite3_reset(statement_);
    database_.Fail(code);
  }
  return code;
}

void SqliteStatement::Run() {
  if (Step() != SQLITE_DONE) {
    Reset();
    throw std::logic_error("a statement that is run returns rows");
  }
  Reset();
}

bool SqliteStatement::Next() {
  if (Step() == SQLITE_ROW) return true;
  Reset();
  return false;
}

void SqliteStatement::Reset() {
  sqlite3_reset(statement_);
  is_running_ = false;
  bound_ = 0;
}

bool SqliteStatement::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t SqliteStatement::IntegerAt(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double SqliteStatement::RealAt(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string_view SqliteStatement::TextAt(int column) const {
  const auto* text = sqlite3_column_text(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

std::span<const std::byte> SqliteStatement::BytesAt(int column) const {
  const auto* bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return {static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)};
}

}  // namespace manyarms::sql
