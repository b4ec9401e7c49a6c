#include "service/store/change_writer.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "service/store/rows.h"

namespace manyarms::service {
namespace {

constexpr const char* kInsertDecision =
    "INSERT INTO decisions (sequence, bandit, learner, number, rank, slate, "
    "arm, arm_name, features, context, score, eligible, uniform, probability, "
    "policy_arm, policy_arm_name, event, active, time) VALUES ($1, $2, $3, $4, "
    "$5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";

constexpr const char* kInsertReward =
    "INSERT INTO rewards (sequence, bandit, kind, decision, learner, reward, "
    "id, arm, arm_name, features, context, time) VALUES ($1, $2, $3, $4, $5, "
    "$6, $7, $8, $9, $10, $11, $12)";

constexpr const char* kInsertFormerArms =
    "INSERT INTO former_arms (bandit, added, place, arm, name, features, tags, "
    "added_time, removed, removed_time) "
    "SELECT bandit, added, place, arm, name, features, tags, added_time, $1, "
    "$2 FROM arms WHERE bandit = $3 AND place >= $4 AND place <= $5 "
    "AND arm IS NOT NULL";

constexpr const char* kPutArm =
    "INSERT INTO arms (bandit, place, arm, name, features, tags, added, "
    "added_time, freed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0) "
    "ON CONFLICT (bandit, place) DO UPDATE SET arm = excluded.arm, "
    "name = excluded.name, features = excluded.features, "
    "tags = excluded.tags, added = excluded.added, "
    "added_time = excluded.added_time, freed = 0";

constexpr const char* kSaveLearner =
    "INSERT INTO learners (bandit, learner, knowledge, open, as_of) "
    "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (bandit, learner) DO UPDATE SET "
    "knowledge = excluded.knowledge, open = excluded.open, "
    "as_of = excluded.as_of";

// What may be much is deleted later, in small steps (old_rows.h).
constexpr const char* kDeleteLater =
    "INSERT INTO deletions (up_to, bandit, learner) VALUES ($1, $2, $3)";

constexpr const char* kSetMeta =
    "INSERT INTO meta (name, value) VALUES ($1, $2) "
    "ON CONFLICT (name) DO UPDATE SET value = excluded.value";

}  // namespace

sql::Statement& ChangeWriter::Prepared(const char* text) {
  auto& statement = statements_[text];
  if (!statement) statement = database_.Prepare(text);
  return *statement;
}

void ChangeWriter::Write(const Change& change, Sequence sequence) {
  std::visit([&](const auto& one) { Write(one, sequence); }, change);
}

void ChangeWriter::WriteSequence(Sequence last) {
  auto& statement = Prepared(kSetMeta);
  statement.Text("sequence");
  BindCount(last, statement);
  statement.Run();
}

void ChangeWriter::Write(const BanditCreated& change, Sequence sequence) {
  auto& insert = Prepared(
      "INSERT INTO bandits (bandit, name, settings, created, checkpoint) "
      "VALUES ($1, $2, $3, $4, $5)");
  insert.Integer(change.bandit).Text(change.name).Text(change.settings);
  insert.Real(change.time);
  BindCount(sequence, insert);
  insert.Run();
  auto& last = Prepared(kSetMeta);
  last.Text("last_bandit").Integer(change.bandit).Run();
}

void ChangeWriter::Write(const BanditChanged& change, Sequence) {
  Prepared("UPDATE bandits SET settings = $1 WHERE bandit = $2")
      .Text(change.settings)
      .Integer(change.bandit)
      .Run();
}

void ChangeWriter::Write(const BanditDeleted& change, Sequence sequence) {
  for (const char* text : {"DELETE FROM bandits WHERE bandit = $1",
                           "DELETE FROM snapshots WHERE bandit = $1"}) {
    Prepared(text).Integer(change.bandit).Run();
  }
  auto& later = Prepared(kDeleteLater);
  BindCount(sequence, later);
  later.Integer(change.bandit).Null().Run();
}

void ChangeWriter::ArmsBecomeFormer(BanditNumber bandit,
                                    std::vector<std::uint32_t> places,
                                    Sequence sequence, Time time) {
  // Arms are mostly added in places that follow one another: one statement is
  // enough for those.
  std::ranges::sort(places);
  auto& former = Prepared(kInsertFormerArms);
  for (std::size_t first = 0, end = 0; first < places.size(); first = end) {
    for (end = first + 1;
         end < places.size() && places[end] == places[end - 1] + 1;) {
      ++end;
    }
    BindCount(sequence, former);
    former.Real(time).Integer(bandit);
    former.Integer(places[first]).Integer(places[end - 1]).Run();
  }
}

void ChangeWriter::Write(const ArmsPut& change, Sequence sequence) {
  std::vector<std::uint32_t> places;
  places.reserve(change.arms.size());
  for (const ArmRow& arm : change.arms) places.push_back(arm.place);
  ArmsBecomeFormer(change.bandit, std::move(places), sequence, change.time);
  auto& put = Prepared(kPutArm);
  for (const ArmRow& arm : change.arms) {
    put.Integer(change.bandit).Integer(arm.place);
    BindCount(arm.arm, put);
    BindOptional(arm.name, put);
    put.Bytes(std::as_bytes(std::span(arm.features))).Text(TagsText(arm.tags));
    BindCount(sequence, put);
    put.Real(change.time).Run();
  }
}

void ChangeWriter::Write(const ArmsRemoved& change, Sequence sequence) {
  std::vector<std::uint32_t> places;
  places.reserve(change.arms.size());
  for (const auto& arm : change.arms) places.push_back(arm.place);
  ArmsBecomeFormer(change.bandit, std::move(places), sequence, change.time);
  auto& free = Prepared(
      "UPDATE arms SET arm = NULL, name = NULL, features = NULL, tags = NULL, "
      "added = NULL, added_time = NULL, freed = $1 "
      "WHERE bandit = $2 AND place = $3");
  for (const auto& arm : change.arms) {
    BindCount(arm.freed, free);
    free.Integer(change.bandit).Integer(arm.place).Run();
  }
}

void ChangeWriter::Write(const DecisionsMade& change, Sequence) {
  auto& insert = Prepared(kInsertDecision);
  for (const DecisionRow& row : change.decisions) {
    BindDecision(row, insert);
    insert.Run();
  }
}

void ChangeWriter::Write(const RewardRow& change, Sequence) {
  auto& insert = Prepared(kInsertReward);
  BindReward(change, insert);
  insert.Run();
}

void ChangeWriter::Write(const LearnerSaved& change, Sequence) {
  auto& save = Prepared(kSaveLearner);
  save.Integer(change.bandit).Text(change.learner).Bytes(change.knowledge);
  save.Text(change.open);
  BindCount(change.as_of, save);
  save.Run();
}

void ChangeWriter::Write(const LearnerForgotten& change, Sequence sequence) {
  Prepared("DELETE FROM learners WHERE bandit = $1 AND learner = $2")
      .Integer(change.bandit)
      .Text(change.learner)
      .Run();
  Prepared(
      "UPDATE snapshots SET learners = learners - 1 WHERE bandit = $1 AND "
      "EXISTS (SELECT 1 FROM snapshot_learners AS s WHERE s.bandit = $1 "
      "AND s.snapshot = snapshots.name AND s.learner = $2)")
      .Integer(change.bandit)
      .Text(change.learner)
      .Run();
  Prepared(
      "DELETE FROM snapshot_learners WHERE bandit = $1 AND snapshot IN "
      "(SELECT name FROM snapshots WHERE bandit = $1) AND learner = $2")
      .Integer(change.bandit)
      .Text(change.learner)
      .Run();
  auto& later = Prepared(kDeleteLater);
  BindCount(sequence, later);
  later.Integer(change.bandit).Text(change.learner).Run();
}

void ChangeWriter::Write(const Checkpoint& change, Sequence) {
  auto& update =
      Prepared("UPDATE bandits SET checkpoint = $1 WHERE bandit = $2");
  BindCount(change.as_of, update);
  update.Integer(change.bandit).Run();
}

}  // namespace manyarms::service
