#include "service/store/owned_database.h"

#include <fmt/format.h>

#include <utility>

#include "service/store/tables.h"

namespace manyarms::service {

std::int64_t RaiseEpoch(sql::Database& database) {
  const auto raised = database.Prepare(
      "INSERT INTO meta (name, value) VALUES ('epoch', 1) "
      "ON CONFLICT (name) DO UPDATE SET value = meta.value + 1 "
      "RETURNING value");
  std::int64_t epoch = 0;
  while (raised->Next()) epoch = raised->IntegerAt(0);
  return epoch;
}

void RequireEpoch(sql::Database& database, std::int64_t epoch) {
  const std::int64_t now = ReadMeta(database, "epoch").value_or(0);
  if (now == epoch) return;
  throw sql::Failure(sql::FailureKind::kTakenOver,
                     fmt::format("another process has taken over this store "
                                 "(epoch {}; this process has epoch {})",
                                 now, epoch));
}

// The update changes nothing, but locks the row: PostgreSQL lets a takeover
// wait for the end of the transaction, and this statement for that of a
// takeover. SQLite has one writer at a time anyway.
OwnedDatabase::OwnedDatabase(std::unique_ptr<sql::Database> database,
                             std::int64_t epoch)
    : database_(std::move(database)),
      epoch_(epoch),
      own_(database_->Prepare("UPDATE meta SET value = value "
                              "WHERE name = 'epoch' AND value = $1 "
                              "RETURNING value")) {}

OwnedDatabase::~OwnedDatabase() = default;

std::unique_ptr<sql::Statement> OwnedDatabase::Prepare(std::string_view text) {
  return database_->Prepare(text);
}

void OwnedDatabase::Run(std::string_view text) { database_->Run(text); }

void OwnedDatabase::Begin() {
  database_->Begin();
  bool is_own = false;
  own_->Integer(epoch_);
  while (own_->Next()) is_own = true;
  if (is_own) return;
  database_->Rollback();
  RequireEpoch(*database_, epoch_);
}

void OwnedDatabase::Commit() { database_->Commit(); }

void OwnedDatabase::TidyUp(bool somebody_waits) {
  database_->TidyUp(somebody_waits);
}

void OwnedDatabase::Rollback() noexcept { database_->Rollback(); }

std::uint64_t OwnedDatabase::SizeInBytes() { return database_->SizeInBytes(); }

void OwnedDatabase::Backup(const std::string& path) { database_->Backup(path); }

}  // namespace manyarms::service
