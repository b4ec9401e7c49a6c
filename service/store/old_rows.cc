#include "service/store/old_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "service/store/rows.h"

namespace manyarms::service {
namespace {

// Rows that a step looks at. Commits wait for it.
constexpr std::int64_t kStep = 2000;

std::int64_t Number(sql::Database& database, const std::string& query) {
  const auto statement = database.Prepare(query);
  std::int64_t number = 0;
  while (statement->Next()) number = statement->IntegerAt(0);
  return number;
}

}  // namespace

bool ForgottenRows::BeginRound(sql::Database& database) {
  to_ = static_cast<Sequence>(
      Number(database, "SELECT coalesce(max(up_to), 0) FROM deletions"));
  if (to_ == 0) return false;
  const auto end = fmt::format("{}", to_);
  from_ = to_;
  for (const char* table : {"decisions", "rewards"}) {
    const auto first = Number(
        database,
        fmt::format("SELECT coalesce(min(sequence), {}) FROM {}", end, table));
    from_ = std::min(from_, static_cast<Sequence>(first) - 1);
  }
  return true;
}

// Returns whether there were any. The caller ends the transaction.
bool ForgottenRows::DeleteSomeOfBandits(sql::Database& database) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kTables = {
      {{"arms", "bandit, place"},
       {"former_arms", "bandit, added, place"},
       {"learners", "bandit, learner"},
       {"snapshot_arms", "bandit, snapshot, place"},
       {"snapshot_learners", "bandit, snapshot, learner"}}};
  for (const auto& [table, key] : kTables) {
    const auto some = fmt::format(
        "SELECT {} FROM {} WHERE bandit IN (SELECT bandit FROM deletions "
        "WHERE learner IS NULL AND up_to <= $1) LIMIT {}",
        key, table, kStep);
    const auto query =
        database.Prepare(fmt::format("SELECT count(*) FROM ({}) AS s", some));
    BindCount(to_, *query);
    std::int64_t rows = 0;
    while (query->Next()) rows = query->IntegerAt(0);
    if (rows == 0) continue;
    const auto statement = database.Prepare(
        fmt::format("DELETE FROM {} WHERE ({}) IN ({})", table, key, some));
    BindCount(to_, *statement);
    statement->Run();
    return true;
  }
  return false;
}

bool ForgottenRows::DeleteSome(sql::Database& database) {
  if (from_ == to_ && !BeginRound(database)) return false;
  const Sequence step_end = EndOfStep(database);
  database.Begin();
  if (DeleteSomeOfBandits(database)) {
    database.Commit();
    return true;
  }
  for (const char* table : {"decisions", "rewards"}) {
    const auto statement = database.Prepare(fmt::format(
        "DELETE FROM {0} WHERE sequence > $1 AND sequence <= $2 AND EXISTS "
        "(SELECT 1 FROM deletions AS f WHERE f.bandit = {0}.bandit "
        "AND (f.learner IS NULL OR f.learner = {0}.learner) "
        "AND {0}.sequence <= f.up_to)",
        table));
    BindCount(from_, *statement);
    BindCount(step_end, *statement);
    statement->Run();
  }
  if (step_end == to_) {
    const auto statement =
        database.Prepare("DELETE FROM deletions WHERE up_to <= $1");
    BindCount(to_, *statement);
    statement->Run();
  }
  database.Commit();
  from_ = step_end;
  return true;
}

Sequence ForgottenRows::EndOfStep(sql::Database& database) const {
  Sequence end = to_;
  for (const char* table : {"decisions", "rewards"}) {
    const auto query = database.Prepare(
        fmt::format("SELECT sequence FROM {} WHERE sequence > $1 AND "
                    "sequence <= $2 ORDER BY sequence LIMIT 1 OFFSET {}",
                    table, kStep - 1));
    BindCount(from_, *query);
    BindCount(end, *query);
    while (query->Next()) end = static_cast<Sequence>(query->IntegerAt(0));
  }
  return end;
}

bool OldRows::DeleteSome(sql::Database& database) {
  DeleteSome(database, decisions_);
  DeleteSome(database, rewards_);
  if (!decisions_.done || !rewards_.done) return true;
  return DeleteFormerArms(database);
}

void OldRows::DeleteSome(sql::Database& database, Log& log) {
  if (log.done) return;
  // Rows come in the order of time, but for clocks that are set back: the log
  // is done at a step in which no row is old, if there are none later.
  const auto step = database.Prepare(fmt::format(
      "SELECT count(*), coalesce(max(sequence), 0), coalesce(min(time), 0) "
      "FROM (SELECT sequence, time FROM {} WHERE sequence > $1 "
      "ORDER BY sequence LIMIT $2) AS step",
      log.table));
  BindCount(log.from, *step);
  step->Integer(kStep);
  Sequence end = 0;
  bool has_old = false;
  while (step->Next()) {
    log.done = step->IntegerAt(0) < kStep;
    has_old = step->RealAt(2) < before_;
    end = static_cast<Sequence>(step->IntegerAt(1));
  }
  if (end == 0) return;
  if (!has_old) {
    log.from = end;
    log.done = log.done || !HasOldLater(database, log);
    return;
  }
  database.Begin();
  const auto old = fmt::format(
      "sequence > $1 AND sequence <= $2 AND time < $3 AND sequence <= "
      "(SELECT checkpoint FROM bandits AS b WHERE b.bandit = {}.bandit)",
      log.table);
  const auto count = database.Prepare(
      fmt::format("SELECT count(*) FROM {} WHERE {}", log.table, old));
  BindCount(log.from, *count);
  BindCount(end, *count);
  count->Real(before_);
  std::uint64_t rows = 0;
  while (count->Next()) rows = static_cast<std::uint64_t>(count->IntegerAt(0));
  if (rows > 0) {
    const auto statement = database.Prepare(
        fmt::format("DELETE FROM {} WHERE {}", log.table, old));
    BindCount(log.from, *statement);
    BindCount(end, *statement);
    statement->Real(before_).Run();
  }
  database.Commit();
  log.from = end;
  deleted_ += rows;
}

bool OldRows::HasOldLater(sql::Database& database, const Log& log) const {
  // Looking at all rows would take as long as reading the log. Rows of one
  // clock follow one another, so some rows tell, closer ones first.
  const auto last = static_cast<Sequence>(
      Number(database, "SELECT coalesce(max(checkpoint), 0) FROM bandits"));
  const auto query = database.Prepare(fmt::format(
      "SELECT time FROM {} WHERE sequence > $1 ORDER BY sequence LIMIT 1",
      log.table));
  for (Sequence distance = kStep; log.from + distance < last;
       distance += distance / 8) {
    BindCount(log.from + distance, *query);
    bool is_old = false;
    while (query->Next()) is_old = query->RealAt(0) < before_;
    if (is_old) return true;
  }
  return false;
}

bool OldRows::DeleteFormerArms(sql::Database& database) {
  const FormerArm from = former_arm_;
  const auto step = database.Prepare(fmt::format(
      "SELECT bandit, added, place FROM former_arms WHERE "
      "(bandit, added, place) > ($1, $2, $3) ORDER BY bandit, added, place "
      "LIMIT {}",
      kStep));
  step->Integer(from.bandit).Integer(from.added).Integer(from.place);
  std::int64_t rows = 0;
  for (; step->Next(); ++rows) {
    former_arm_ = {step->IntegerAt(0), step->IntegerAt(1), step->IntegerAt(2)};
  }
  if (rows == 0) return false;
  database.Begin();
  const auto statement = database.Prepare(
      "DELETE FROM former_arms WHERE (bandit, added, place) > ($1, $2, $3) "
      "AND (bandit, added, place) <= ($4, $5, $6) AND removed_time < $7 "
      "AND removed <= (SELECT checkpoint FROM bandits AS b "
      "WHERE b.bandit = former_arms.bandit)");
  statement->Integer(from.bandit).Integer(from.added).Integer(from.place);
  statement->Integer(former_arm_.bandit)
      .Integer(former_arm_.added)
      .Integer(former_arm_.place)
      .Real(before_)
      .Run();
  database.Commit();
  return rows == kStep;
}

}  // namespace manyarms::service
