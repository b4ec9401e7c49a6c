#ifndef MANYARMS_SERVICE_STORE_CHANGE_WRITER_H_
#define MANYARMS_SERVICE_STORE_CHANGE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "service/sql/database.h"
#include "service/store/changes.h"

namespace manyarms::service {

/// Writes changes into the tables, within a transaction of the caller's. All
/// methods throw sql::Failure, after which the transaction is rolled back.
class ChangeWriter {
 public:
  explicit ChangeWriter(sql::Database& database) : database_(database) {}

  /// Of DecisionsMade and RewardRow, the rows have their sequences already.
  void Write(const Change& change, Sequence sequence);

  /// The last number that was given.
  void WriteSequence(Sequence last);

 private:
  void Write(const BanditCreated& change, Sequence sequence);
  void Write(const BanditChanged& change, Sequence sequence);
  void Write(const BanditDeleted& change, Sequence sequence);
  void Write(const ArmsPut& change, Sequence sequence);
  void Write(const ArmsRemoved& change, Sequence sequence);
  void Write(const DecisionsMade& change, Sequence sequence);
  void Write(const RewardRow& change, Sequence sequence);
  void Write(const LearnerSaved& change, Sequence sequence);
  void Write(const LearnerForgotten& change, Sequence sequence);
  void Write(const Checkpoint& change, Sequence sequence);
  void Write(const SnapshotTaken& change, Sequence sequence);
  void Write(const SnapshotRestored& change, Sequence sequence);
  void Write(const SnapshotDeleted& change, Sequence sequence);

  void ArmsBecomeFormer(BanditNumber bandit, std::vector<std::uint32_t> places,
                        Sequence sequence, Time time);
  void CheckSnapshot(BanditNumber bandit, const std::string& name);

  /// The statement with this text, prepared when it is first asked for. Texts
  /// are literals, which are told apart by their addresses.
  sql::Statement& Prepared(const char* text);

  sql::Database& database_;
  std::unordered_map<const char*, std::unique_ptr<sql::Statement>> statements_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_CHANGE_WRITER_H_
