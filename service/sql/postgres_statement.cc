#include "service/sql/postgres_statement.h"

#include <endian.h>

#include <bit>
#include <cstring>
#include <stdexcept>

namespace manyarms::sql {
namespace {

// Numbers of PostgreSQL's types, which never change (pg_type.dat).
constexpr Oid kBytea = 17;
constexpr Oid kInt8 = 20;
constexpr Oid kText = 25;
constexpr Oid kFloat8 = 701;

}  // namespace

Statement& PostgresStatement::Add(Oid type, const void* bytes,
                                  std::size_t size) {
  parameters_.push_back({.type = type, .begin = values_.size(), .size = size});
  if (size > 0) values_.append(static_cast<const char*>(bytes), size);
  return *this;
}

Statement& PostgresStatement::Integer(std::int64_t value) {
  const std::uint64_t bytes = htobe64(static_cast<std::uint64_t>(value));
  return Add(kInt8, &bytes, sizeof bytes);
}

Statement& PostgresStatement::Real(double value) {
  const std::uint64_t bytes = htobe64(std::bit_cast<std::uint64_t>(value));
  return Add(kFloat8, &bytes, sizeof bytes);
}

Statement& PostgresStatement::Text(std::string_view value) {
  return Add(kText, value.data(), value.size());
}

Statement& PostgresStatement::Bytes(std::span<const std::byte> value) {
  return Add(kBytea, value.data(), value.size());
}

Statement& PostgresStatement::Null() {
  parameters_.push_back({.is_null = true});
  return *this;
}

void PostgresStatement::SendPrepare() {
  // Of a parameter that is NULL now the server finds the type.
  std::vector<Oid> types;
  types.reserve(parameters_.size());
  for (const Value& value : parameters_) types.push_back(value.type);
  name_ = database_.NewName();
  forgotten_ = database_.forgotten();
  database_.Sent(PQsendPrepare(database_.connection(), name_.c_str(),
                               text_.c_str(), static_cast<int>(types.size()),
                               types.data()));
}

void PostgresStatement::Send() {
  if (name_.empty() || forgotten_ != database_.forgotten()) SendPrepare();
  std::vector<const char*> values;
  values.reserve(parameters_.size());
  std::vector<int> sizes;
  sizes.reserve(parameters_.size());
  const std::vector<int> formats(parameters_.size(), 1);
  for (const Value& value : parameters_) {
    values.push_back(value.is_null ? nullptr : values_.data() + value.begin);
    sizes.push_back(static_cast<int>(value.size));
  }
  const int was_sent = PQsendQueryPrepared(
      database_.connection(), name_.c_str(), static_cast<int>(values.size()),
      values.data(), sizes.data(), formats.data(), 1);
  parameters_.clear();
  values_.clear();
  database_.Sent(was_sent);
}

void PostgresStatement::Run() {
  Send();
  database_.RunSent();
}

bool PostgresStatement::Next() {
  if (!result_) {
    Send();
    result_ = database_.Query();
    row_ = -1;
  }
  if (++row_ < PQntuples(result_.get())) return true;
  Reset();
  return false;
}

void PostgresStatement::Reset() {
  result_.reset();
  parameters_.clear();
  values_.clear();
}

bool PostgresStatement::IsNull(int column) const {
  return PQgetisnull(result_.get(), row_, column) != 0;
}

std::int64_t PostgresStatement::IntegerAt(int column) const {
  const char* value = PQgetvalue(result_.get(), row_, column);
  if (PQgetlength(result_.get(), row_, column) == 4) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, value, sizeof bytes);
    return static_cast<std::int32_t>(be32toh(bytes));
  }
  std::uint64_t bytes = 0;
  if (PQgetlength(result_.get(), row_, column) != sizeof bytes) {
    throw std::logic_error("a column is not an integer");
  }
  std::memcpy(&bytes, value, sizeof bytes);
  return static_cast<std::int64_t>(be64toh(bytes));
}

double PostgresStatement::RealAt(int column) const {
  return std::bit_cast<double>(IntegerAt(column));
}

std::string_view PostgresStatement::TextAt(int column) const {
  return {PQgetvalue(result_.get(), row_, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), row_, column))};
}

std::span<const std::byte> PostgresStatement::BytesAt(int column) const {
  return std::as_bytes(std::span(TextAt(column)));
}

}  // namespace manyarms::sql
