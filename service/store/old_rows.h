#ifndef MANYARMS_SERVICE_STORE_OLD_ROWS_H_
#define MANYARMS_SERVICE_STORE_OLD_ROWS_H_

#include <cstdint>

#include "service/sql/database.h"
#include "service/store/changes.h"

namespace manyarms::service {

/// Deletes rows of learners and bandits that are no more, which the table
/// `deletions` names, in steps of a few milliseconds. Nobody sees those rows
/// meanwhile.
class ForgottenRows {
 public:
  /// One step, in a transaction of its own. Returns whether there is more to
  /// do. Throws sql::Failure.
  bool DeleteSome(sql::Database& database);

 private:
  bool BeginRound(sql::Database& database);
  bool DeleteSomeOfBandits(sql::Database& database);
  /// The last number of a step, which has some thousand rows at most.
  Sequence EndOfStep(sql::Database& database) const;

  // Rows after `from_` and up to `to_` are still to be looked at.
  Sequence from_ = 0;
  Sequence to_ = 0;
};

/// Deletes rows that are older than a time and that no replay needs.
class OldRows {
 public:
  explicit OldRows(Time before) : before_(before) {}

  /// Likewise.
  bool DeleteSome(sql::Database& database);

  std::uint64_t deleted() const { return deleted_; }

 private:
  struct Log {
    const char* table;
    Sequence from = 0;
    bool done = false;
  };
  void DeleteSome(sql::Database& database, Log& log);
  /// Whether later rows of the log are old, although those of a step are not.
  bool HasOldLater(sql::Database& database, const Log& log) const;
  /// Returns whether there may be more.
  bool DeleteFormerArms(sql::Database& database);

  Time before_;
  std::uint64_t deleted_ = 0;
  Log decisions_ = {.table = "decisions"};
  Log rewards_ = {.table = "rewards"};

  // The key of the last former arm that was looked at.
  struct FormerArm {
    std::int64_t bandit = 0;
    std::int64_t added = 0;
    std::int64_t place = 0;
  };
  FormerArm former_arm_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_OLD_ROWS_H_
