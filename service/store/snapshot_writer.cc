// The part of ChangeWriter that copies arms and learners within the database.

#include <fmt/format.h>

#include "manyarms/error.h"
#include "service/store/change_writer.h"
#include "service/store/rows.h"

namespace manyarms::service {
namespace {

// That arm `a` is as `s` of the snapshot $2.
constexpr const char* kDeleteChangedArms =
    "DELETE FROM arms WHERE bandit = $1 AND NOT EXISTS (SELECT 1 "
    "FROM snapshot_arms AS s WHERE s.bandit = $1 AND s.snapshot = $2 "
    "AND s.place = arms.place AND s.freed = arms.freed "
    "AND s.arm IS NOT DISTINCT FROM arms.arm "
    "AND s.name IS NOT DISTINCT FROM arms.name "
    "AND s.features IS NOT DISTINCT FROM arms.features "
    "AND s.tags IS NOT DISTINCT FROM arms.tags)";

constexpr const char* kChangedArmsBecomeFormer =
    "INSERT INTO former_arms (bandit, added, place, arm, name, features, tags, "
    "added_time, removed, removed_time) "
    "SELECT bandit, added, place, arm, name, features, tags, added_time, $1, "
    "$2 FROM arms WHERE bandit = $3 AND arm IS NOT NULL AND NOT EXISTS (SELECT "
    "1 FROM snapshot_arms AS s WHERE s.bandit = $3 AND s.snapshot = $4 "
    "AND s.place = arms.place "
    "AND s.arm IS NOT DISTINCT FROM arms.arm "
    "AND s.name IS NOT DISTINCT FROM arms.name "
    "AND s.features IS NOT DISTINCT FROM arms.features "
    "AND s.tags IS NOT DISTINCT FROM arms.tags)";

constexpr const char* kInsertChangedArms =
    "INSERT INTO arms (bandit, place, arm, name, features, tags, added, "
    "added_time, freed) "
    "SELECT bandit, place, arm, name, features, tags, "
    "CASE WHEN arm IS NULL THEN NULL ELSE $1 END, "
    "CASE WHEN arm IS NULL THEN NULL ELSE $2 END, freed "
    "FROM snapshot_arms AS s WHERE s.bandit = $3 AND s.snapshot = $4 "
    "AND NOT EXISTS (SELECT 1 FROM arms AS a WHERE a.bandit = $3 "
    "AND a.place = s.place)";

}  // namespace

void ChangeWriter::CheckSnapshot(BanditNumber bandit, const std::string& name) {
  auto& query =
      Prepared("SELECT 1 FROM snapshots WHERE bandit = $1 AND name = $2");
  query.Integer(bandit).Text(name);
  const bool is_there = query.Next();
  query.Reset();
  if (!is_there) {
    throw Error(ErrorCode::kUnknownId,
                fmt::format("there is no snapshot \"{}\"", name));
  }
}

void ChangeWriter::Write(const SnapshotTaken& change, Sequence sequence) {
  Write(SnapshotDeleted{.bandit = change.bandit, .name = change.name},
        sequence);
  Prepared(
      "INSERT INTO snapshot_arms (bandit, snapshot, place, arm, name, "
      "features, tags, added, added_time, freed) "
      "SELECT bandit, $1, place, arm, name, features, tags, added, added_time, "
      "freed FROM arms WHERE bandit = $2")
      .Text(change.name)
      .Integer(change.bandit)
      .Run();
  Prepared(
      "INSERT INTO snapshot_learners (bandit, snapshot, learner, knowledge, "
      "open, as_of) SELECT bandit, $1, learner, knowledge, open, as_of "
      "FROM learners WHERE bandit = $2")
      .Text(change.name)
      .Integer(change.bandit)
      .Run();
  auto& insert = Prepared(
      "INSERT INTO snapshots (bandit, name, sequence, time, arms, learners) "
      "VALUES ($1, $2, $3, $4, "
      "(SELECT count(*) FROM arms WHERE bandit = $1 AND arm IS NOT NULL), "
      "(SELECT count(*) FROM learners WHERE bandit = $1))");
  insert.Integer(change.bandit).Text(change.name);
  BindCount(sequence, insert);
  insert.Real(change.time).Run();
}

void ChangeWriter::Write(const SnapshotRestored& change, Sequence sequence) {
  CheckSnapshot(change.bandit, change.name);
  auto& former = Prepared(kChangedArmsBecomeFormer);
  BindCount(sequence, former);
  former.Real(change.time).Integer(change.bandit).Text(change.name).Run();
  Prepared(kDeleteChangedArms).Integer(change.bandit).Text(change.name).Run();
  auto& arms = Prepared(kInsertChangedArms);
  BindCount(sequence, arms);
  arms.Real(change.time).Integer(change.bandit).Text(change.name).Run();
  Prepared("DELETE FROM learners WHERE bandit = $1")
      .Integer(change.bandit)
      .Run();
  // Replay begins here, so each learner includes everything up to here. What
  // was open then is closed.
  auto& learners = Prepared(
      "INSERT INTO learners (bandit, learner, knowledge, open, as_of) "
      "SELECT bandit, learner, knowledge, '', $1 FROM snapshot_learners "
      "WHERE bandit = $2 AND snapshot = $3");
  BindCount(sequence, learners);
  learners.Integer(change.bandit).Text(change.name).Run();
  Write(Checkpoint{.bandit = change.bandit, .as_of = sequence}, sequence);
}

void ChangeWriter::Write(const SnapshotDeleted& change, Sequence) {
  for (const char* text :
       {"DELETE FROM snapshots WHERE bandit = $1 AND name = $2",
        "DELETE FROM snapshot_arms WHERE bandit = $1 AND snapshot = $2",
        "DELETE FROM snapshot_learners WHERE bandit = $1 AND snapshot = $2"}) {
    Prepared(text).Integer(change.bandit).Text(change.name).Run();
  }
}

}  // namespace manyarms::service
