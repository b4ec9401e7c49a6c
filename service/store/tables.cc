#include "service/store/tables.h"

#include <fmt/format.h>

#include "manyarms/error.h"

namespace manyarms::service {
namespace {

// docs/store.md says what the columns are.
constexpr const char* kMeta = R"(
CREATE TABLE IF NOT EXISTS meta (
  name TEXT PRIMARY KEY,
  value INTEGER64 NOT NULL);
)";

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS bandits (
  bandit INTEGER64 PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  settings TEXT NOT NULL,
  created REAL64 NOT NULL,
  checkpoint INTEGER64 NOT NULL);

CREATE TABLE IF NOT EXISTS arms (
  bandit INTEGER64 NOT NULL,
  place INTEGER64 NOT NULL,
  arm INTEGER64,
  name TEXT,
  features BYTES,
  tags TEXT,
  added INTEGER64,
  added_time REAL64,
  freed INTEGER64 NOT NULL,
  PRIMARY KEY (bandit, place)) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS former_arms (
  bandit INTEGER64 NOT NULL,
  added INTEGER64 NOT NULL,
  place INTEGER64 NOT NULL,
  arm INTEGER64 NOT NULL,
  name TEXT,
  features BYTES NOT NULL,
  tags TEXT NOT NULL,
  added_time REAL64 NOT NULL,
  removed INTEGER64 NOT NULL,
  removed_time REAL64 NOT NULL,
  PRIMARY KEY (bandit, added, place)) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS decisions (
  sequence INTEGER64 PRIMARY KEY,
  bandit INTEGER64 NOT NULL,
  learner TEXT NOT NULL,
  number INTEGER64 NOT NULL,
  rank INTEGER64 NOT NULL,
  slate INTEGER64 NOT NULL,
  arm INTEGER64 NOT NULL,
  arm_name TEXT,
  features BYTES NOT NULL,
  context BYTES,
  score REAL64 NOT NULL,
  eligible INTEGER64 NOT NULL,
  uniform INTEGER64 NOT NULL,
  probability REAL64,
  policy_arm INTEGER64,
  policy_arm_name TEXT,
  event TEXT,
  active INTEGER64 NOT NULL,
  time REAL64 NOT NULL);
CREATE INDEX IF NOT EXISTS decisions_of_bandit
  ON decisions (bandit, sequence);
CREATE INDEX IF NOT EXISTS decisions_of_event
  ON decisions (bandit, event) WHERE event IS NOT NULL;
CREATE INDEX IF NOT EXISTS decisions_with_event
  ON decisions (bandit, sequence) WHERE event IS NOT NULL;

CREATE TABLE IF NOT EXISTS rewards (
  sequence INTEGER64 PRIMARY KEY,
  bandit INTEGER64 NOT NULL,
  kind TEXT NOT NULL,
  decision INTEGER64,
  learner TEXT NOT NULL,
  reward REAL64 NOT NULL,
  id TEXT,
  arm INTEGER64,
  arm_name TEXT,
  features BYTES,
  context BYTES,
  time REAL64 NOT NULL);
CREATE INDEX IF NOT EXISTS rewards_of_bandit
  ON rewards (bandit, sequence);
CREATE INDEX IF NOT EXISTS rewards_of_decision
  ON rewards (decision) WHERE decision IS NOT NULL;
CREATE INDEX IF NOT EXISTS rewards_with_id
  ON rewards (bandit, sequence) WHERE id IS NOT NULL;

CREATE TABLE IF NOT EXISTS learners (
  bandit INTEGER64 NOT NULL,
  learner TEXT NOT NULL,
  knowledge BYTES NOT NULL,
  open TEXT NOT NULL,
  as_of INTEGER64 NOT NULL,
  PRIMARY KEY (bandit, learner));

CREATE TABLE IF NOT EXISTS snapshots (
  bandit INTEGER64 NOT NULL,
  name TEXT NOT NULL,
  sequence INTEGER64 NOT NULL,
  time REAL64 NOT NULL,
  arms INTEGER64 NOT NULL,
  learners INTEGER64 NOT NULL,
  PRIMARY KEY (bandit, name));

CREATE TABLE IF NOT EXISTS snapshot_arms (
  bandit INTEGER64 NOT NULL,
  snapshot TEXT NOT NULL,
  place INTEGER64 NOT NULL,
  arm INTEGER64,
  name TEXT,
  features BYTES,
  tags TEXT,
  added INTEGER64,
  added_time REAL64,
  freed INTEGER64 NOT NULL,
  PRIMARY KEY (bandit, snapshot, place)) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS snapshot_learners (
  bandit INTEGER64 NOT NULL,
  snapshot TEXT NOT NULL,
  learner TEXT NOT NULL,
  knowledge BYTES NOT NULL,
  open TEXT NOT NULL,
  as_of INTEGER64 NOT NULL,
  PRIMARY KEY (bandit, snapshot, learner));

CREATE TABLE IF NOT EXISTS deletions (
  up_to INTEGER64 PRIMARY KEY,
  bandit INTEGER64 NOT NULL,
  learner TEXT);
CREATE INDEX IF NOT EXISTS deletions_of_learner
  ON deletions (bandit, learner, up_to);
)";

}  // namespace

std::optional<std::int64_t> ReadMeta(sql::Database& database,
                                     std::string_view name) {
  const auto query = database.Prepare("SELECT value FROM meta WHERE name = $1");
  query->Text(name);
  std::optional<std::int64_t> value;
  while (query->Next()) value = query->IntegerAt(0);
  return value;
}

void WriteMeta(sql::Database& database, std::string_view name,
               std::int64_t value) {
  const auto statement = database.Prepare(
      "INSERT INTO meta (name, value) VALUES ($1, $2) "
      "ON CONFLICT (name) DO UPDATE SET value = excluded.value");
  statement->Text(name).Integer(value).Run();
}

void MakeTables(sql::Database& database) {
  database.Begin();
  try {
    database.Run(kMeta);
    const auto version = ReadMeta(database, "version");
    if (version && *version > kTablesVersion) {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("the store's tables have version {}, and this "
                              "program knows versions up to {}",
                              *version, kTablesVersion));
    }
    database.Run(kTables);
    WriteMeta(database, "version", kTablesVersion);
    database.Commit();
  } catch (...) {
    database.Rollback();
    throw;
  }
}

}  // namespace manyarms::service
