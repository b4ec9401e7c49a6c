#include "service/sql/postgres_database.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "service/sql/column_types.h"
#include "service/sql/postgres_statement.h"

namespace manyarms::sql {
namespace {

// Texts are ordered by their bytes, as in SQLite, whatever the locale; an index
// would otherwise be damaged by an update of the system's locales.
constexpr std::array<Word, 5> kWords = {{{"INTEGER64", "BIGINT"},
                                         {"REAL64", "DOUBLE PRECISION"},
                                         {"TEXT", "TEXT COLLATE \"C\""},
                                         {"BYTES", "BYTEA"},
                                         {"WITHOUT ROWID", ""}}};

// Ends the connection that holds the lock of the one writer, and with it a
// transaction in which that writer hangs.
constexpr const char* kEndHolder =
    "SELECT count(pg_terminate_backend(pid)) FROM pg_locks "
    "WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid() "
    "AND database = (SELECT oid FROM pg_database "
    "WHERE datname = current_database()) "
    "AND classid::bigint = hashtext('manyarms')::bigint & 4294967295 "
    "AND objid::bigint = hashtext(current_schema())::bigint & 4294967295 "
    "AND objsubid = 2";

// Answers are taken each time that this many commands were sent.
constexpr std::size_t kSome = 128;

// PostgreSQL's messages have several lines.
std::string OneLine(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == '\n' || c == '\t' || c == ' ';
    if (!is_space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

FailureKind KindOfState(std::string_view state) {
  const auto kind = state.substr(0, 2);
  if (kind == "08" || state == "57P01" || state == "57P02" ||
      state == "57P03" || state == "57P05" || state == "25006") {
    // 25006 is what a server says that has become a standby.
    return FailureKind::kLost;
  }
  if (kind == "53") return FailureKind::kFull;
  if (kind == "40" || state == "55P03" || state == "57014") {
    return FailureKind::kBusy;
  }
  if (kind == "58") return FailureKind::kIo;
  if (kind == "XX") return FailureKind::kFatal;
  return FailureKind::kOther;
}

PostgresDatabase::PostgresDatabase(const std::string& url, Access access) {
  try {
    Connect(url);
    if (access == Access::kRead) {
      Ask("SET default_transaction_read_only = on");
    } else {
      PrepareForWriting(access);
    }
    if (PQenterPipelineMode(connection_) != 1) FailLost();
  } catch (...) {
    PQfinish(connection_);
    throw;
  }
}

PostgresDatabase::~PostgresDatabase() {
  Rollback();
  if (holds_lock_) ReleaseLock();
  PQfinish(connection_);
}

void PostgresDatabase::ReleaseLock() noexcept {
  // The server would do it a moment after the connection has ended: too late
  // for somebody who opens the store again at once.
  try {
    Send("SELECT pg_advisory_unlock_all()");
    WaitForAllAnswers();
  } catch (const Failure&) {
    // The connection is lost, and the lock with it.
  }
}

void PostgresDatabase::Connect(const std::string& url) {
  // Those before the URL are defaults. Without them, a connection to a machine
  // that is gone is noticed after a quarter of an hour.
  constexpr std::array<const char*, 7> kKeys = {"connect_timeout",
                                                "tcp_user_timeout",
                                                "keepalives_idle",
                                                "fallback_application_name",
                                                "dbname",
                                                "client_encoding",
                                                nullptr};
  const std::array<const char*, 7> values = {
      "10", "30000", "30", "manyarms", url.c_str(), "UTF8", nullptr};
  connection_ = PQconnectdbParams(kKeys.data(), values.data(), 1);
  if (PQstatus(connection_) != CONNECTION_OK) FailLost();
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
  const char* encoding = PQparameterStatus(connection_, "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) != "UTF8") {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("PostgreSQL: the encoding of database {} is {}, "
                            "must be UTF8",
                            PQdb(connection_),
                            encoding == nullptr ? "unknown" : encoding));
  }
}

std::string PostgresDatabase::Ask(const char* query) {
  const PostgresResult answer(PQexec(connection_, query));
  const auto status = PQresultStatus(answer.get());
  if (status == PGRES_COMMAND_OK) return {};
  if (status != PGRES_TUPLES_OK) {
    if (PQstatus(connection_) != CONNECTION_OK) FailLost();
    throw Failure(FailureKind::kOther,
                  "PostgreSQL: " + OneLine(PQerrorMessage(connection_)));
  }
  return PQgetvalue(answer.get(), 0, 0);
}

void PostgresDatabase::PrepareForWriting(Access access) {
  const std::string schema = Ask("SELECT coalesce(current_schema(), '')");
  if (schema.empty()) {
    throw Failure(FailureKind::kOther,
                  "PostgreSQL: there is no schema in the search path");
  }
  TakeLock(schema, access);
  // A snapshot of many arms may take long, but a lock that somebody holds is to
  // be noticed.
  Ask("SET statement_timeout = 0");
  Ask("SET idle_in_transaction_session_timeout = 0");
  Ask("SET lock_timeout = 5000");
  // A commit must be on the disk. (Stronger settings stay as they are.)
  if (Ask("SHOW synchronous_commit") == "off") {
    Ask("SET synchronous_commit = on");
  }
}

void PostgresDatabase::TakeLock(const std::string& schema, Access access) {
  // That of a process that was killed is released a moment later. Somebody
  // whose connection is ended opens a new one, and must not be first.
  constexpr std::chrono::milliseconds kPatience(2000);
  const std::chrono::milliseconds pause(access == Access::kTakeOver ? 5 : 100);
  for (std::chrono::milliseconds waited(0); waited < kPatience;
       waited += pause) {
    if (access == Access::kTakeOver) Ask(kEndHolder);
    if (Ask("SELECT pg_try_advisory_lock(hashtext('manyarms'), "
            "hashtext(current_schema()))") == "t") {
      holds_lock_ = true;
      return;
    }
    std::this_thread::sleep_for(pause);
  }
  throw Failure(
      FailureKind::kBusy,
      fmt::format("another process writes to this store: it holds the "
                  "advisory lock of schema {} of database {}",
                  schema, PQdb(connection_)));
}

std::unique_ptr<Statement> PostgresDatabase::Prepare(std::string_view text) {
  return std::make_unique<PostgresStatement>(*this, text);
}

std::string PostgresDatabase::NewName() { return fmt::format("s{}", ++names_); }

void PostgresDatabase::Run(std::string_view text) {
  // More than one command can be sent outside of a pipeline only.
  if (!is_synchronised_) Synchronise();
  if (PQexitPipelineMode(connection_) != 1) FailLost();
  const PostgresResult answer(
      PQexec(connection_, WithWords(text, kWords).c_str()));
  if (PQenterPipelineMode(connection_) != 1) FailLost();
  const auto status = PQresultStatus(answer.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return;
  const char* state = PQresultErrorField(answer.get(), PG_DIAG_SQLSTATE);
  if (state == nullptr || PQstatus(connection_) != CONNECTION_OK) FailLost();
  failure_.emplace(
      KindOfState(state),
      "PostgreSQL: " + OneLine(PQresultErrorMessage(answer.get())));
  ThrowNoted();
}

void PostgresDatabase::Begin() {
  in_transaction_ = true;
  Send("BEGIN");
}

void PostgresDatabase::Commit() {
  Send("COMMIT");
  Synchronise();
  in_transaction_ = false;
  // The server answers ROLLBACK if the transaction had failed before.
  if (std::string_view(PQcmdStatus(last_.get())) != "COMMIT") {
    throw Failure(FailureKind::kOther, "PostgreSQL: nothing was committed");
  }
}

void PostgresDatabase::Rollback() noexcept {
  if (!in_transaction_) return;
  in_transaction_ = false;
  try {
    // Commands that follow a failure in the pipeline were left out, PREPARE
    // among them.
    ++forgotten_;
    if (!is_synchronised_) WaitForAllAnswers();
    Send("ROLLBACK");
    Send("DEALLOCATE ALL");
    WaitForAllAnswers();
  } catch (const Failure&) {
    // The connection is lost, as the next call finds, too; the server rolls
    // back then.
  }
  failure_.reset();
}

void PostgresDatabase::Send(const char* command) {
  Sent(PQsendQueryParams(connection_, command, 0, nullptr, nullptr, nullptr,
                         nullptr, 1));
}

void PostgresDatabase::Sent(int was_sent) {
  if (was_sent != 1) FailLost();
  is_synchronised_ = false;
  if (++unanswered_ % kSome != 0) return;
  if (PQconsumeInput(connection_) != 1) FailLost();
  while (unanswered_ > 0 && PQisBusy(connection_) == 0) ReadAnswer();
}

void PostgresDatabase::RunSent() {
  if (!in_transaction_) Synchronise();
}

PostgresResult PostgresDatabase::Query() {
  if (in_transaction_) {
    if (PQsendFlushRequest(connection_) != 1) FailLost();
    while (unanswered_ > 0) ReadAnswer();
    ThrowNoted();
  } else {
    Synchronise();
  }
  return std::move(last_);
}

void PostgresDatabase::Synchronise() {
  WaitForAllAnswers();
  ThrowNoted();
}

void PostgresDatabase::WaitForAllAnswers() {
  if (PQpipelineSync(connection_) != 1) FailLost();
  while (unanswered_ > 0) ReadAnswer();
  const PostgresResult answer(PQgetResult(connection_));
  if (PQresultStatus(answer.get()) != PGRES_PIPELINE_SYNC) FailLost();
  is_synchronised_ = true;
}

void PostgresDatabase::ReadAnswer() {
  while (PGresult* answer = PQgetResult(connection_)) {
    Note(PostgresResult(answer));
  }
  if (PQstatus(connection_) != CONNECTION_OK) FailLost();
  --unanswered_;
}

void PostgresDatabase::Note(PostgresResult answer) {
  const auto status = PQresultStatus(answer.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
    last_ = std::move(answer);
  } else if (status != PGRES_PIPELINE_ABORTED && !failure_) {
    const char* state = PQresultErrorField(answer.get(), PG_DIAG_SQLSTATE);
    failure_.emplace(
        state == nullptr ? FailureKind::kLost : KindOfState(state),
        "PostgreSQL: " + OneLine(PQresultErrorMessage(answer.get())));
  }
}

void PostgresDatabase::ThrowNoted() {
  if (!failure_) return;
  const Failure failure = *failure_;
  failure_.reset();
  Rollback();
  throw Failure(failure.kind(), failure.what());
}

void PostgresDatabase::FailLost() {
  const std::string why =
      failure_ ? failure_->what()
               : "PostgreSQL: " + OneLine(PQerrorMessage(connection_));
  failure_.reset();
  unanswered_ = 0;
  in_transaction_ = false;
  throw Failure(FailureKind::kLost, why);
}

std::uint64_t PostgresDatabase::SizeInBytes() {
  const auto query = Prepare(
      "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint "
      "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
      "WHERE n.nspname = current_schema() AND c.relkind = 'r'");
  std::uint64_t bytes = 0;
  while (query->Next()) bytes = static_cast<std::uint64_t>(query->IntegerAt(0));
  return bytes;
}

void PostgresDatabase::Backup(const std::string&) {
  throw Error(ErrorCode::kUnsupported,
              "PostgreSQL makes backups itself, with pg_dump");
}

}  // namespace manyarms::sql
