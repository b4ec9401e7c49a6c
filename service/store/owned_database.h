#ifndef MANYARMS_SERVICE_STORE_OWNED_DATABASE_H_
#define MANYARMS_SERVICE_STORE_OWNED_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "service/sql/database.h"

namespace manyarms::service {

/// Makes this process the owner of a store, within a transaction: from its
/// commit on, nobody can write who owned the store before. Returns the new
/// epoch, which is larger than all former ones.
std::int64_t RaiseEpoch(sql::Database& database);

/// Throws sql::Failure(kTakenOver) if the store has another epoch.
void RequireEpoch(sql::Database& database, std::int64_t epoch);

/// A database in which every transaction begins with the proof that the store
/// has not been taken over: Begin throws sql::Failure(kTakenOver) if it has,
/// and nobody can take it over before the transaction ends.
class OwnedDatabase final : public sql::Database {
 public:
  OwnedDatabase(std::unique_ptr<sql::Database> database, std::int64_t epoch);
  ~OwnedDatabase() override;
  OwnedDatabase(const OwnedDatabase&) = delete;
  OwnedDatabase& operator=(const OwnedDatabase&) = delete;

  std::unique_ptr<sql::Statement> Prepare(std::string_view text) override;
  void Run(std::string_view text) override;
  void Begin() override;
  void Commit() override;
  void TidyUp(bool somebody_waits) override;
  void Rollback() noexcept override;
  std::uint64_t SizeInBytes() override;
  void Backup(const std::string& path) override;

 private:
  std::unique_ptr<sql::Database> database_;
  std::int64_t epoch_;
  std::unique_ptr<sql::Statement> own_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_OWNED_DATABASE_H_
