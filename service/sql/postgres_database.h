#ifndef MANYARMS_SERVICE_SQL_POSTGRES_DATABASE_H_
#define MANYARMS_SERVICE_SQL_POSTGRES_DATABASE_H_

#include <libpq-fe.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/sql/database.h"

namespace manyarms::sql {

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using PostgresResult = std::unique_ptr<PGresult, ClearResult>;

/// What a SQLSTATE means to us.
FailureKind KindOfState(std::string_view state);

/// A connection to PostgreSQL, in pipeline mode: what is sent within a
/// transaction is answered while more is sent, so that a commit of thousands of
/// rows is a few round trips.
///
/// The one writer holds an advisory lock, which the server releases when the
/// connection ends.
class PostgresDatabase final : public Database {
 public:
  PostgresDatabase(const std::string& url, Access access);
  ~PostgresDatabase() override;
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  std::unique_ptr<Statement> Prepare(std::string_view text) override;
  void Run(std::string_view text) override;
  void Begin() override;
  void Commit() override;
  void TidyUp(bool) override {}  // the server does that
  void Rollback() noexcept override;
  std::uint64_t SizeInBytes() override;
  void Backup(const std::string& path) override;

  // For statements.

  PGconn* connection() const { return connection_; }
  /// To be called with what PQsend... returned: a command is to be answered.
  void Sent(int was_sent);
  /// Carries out what was sent: at once, but within a transaction later.
  void RunSent();
  /// Carries out what was sent, and returns the answer to the last command.
  PostgresResult Query();
  /// A name that no prepared statement has.
  std::string NewName();
  /// Grows when the server forgets all prepared statements.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  void Connect(const std::string& url);
  /// Before the pipeline begins.
  std::string Ask(const char* query);
  void PrepareForWriting(Access access);
  void TakeLock(const std::string& schema, Access access);
  void ReleaseLock() noexcept;
  /// Waits for all answers. Throws the first failure.
  void Synchronise();
  void WaitForAllAnswers();
  void ReadAnswer();
  void Note(PostgresResult answer);
  void ThrowNoted();
  void Send(const char* command);
  [[noreturn]] void FailLost();

  PGconn* connection_ = nullptr;
  bool holds_lock_ = false;
  bool in_transaction_ = false;
  bool is_synchronised_ = true;     // nothing was sent since the last sync
  std::size_t unanswered_ = 0;      // commands
  PostgresResult last_;             // the latest answer
  std::optional<Failure> failure_;  // the first one since the last sync
  std::uint64_t names_ = 0;
  std::uint64_t forgotten_ = 0;
};

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_POSTGRES_DATABASE_H_
