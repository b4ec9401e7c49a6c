#ifndef MANYARMS_SERVICE_STORE_STORE_H_
#define MANYARMS_SERVICE_STORE_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "service/store/changes.h"

namespace manyarms::service {

struct StoreOptions {
  /// A file of SQLite, which is made if it is missing, or the URL of a database
  /// of PostgreSQL.
  std::string place;
  /// Changes that may wait for the disk. Beyond it, Append still works, but
  /// congested() is true and the service refuses new work.
  std::size_t most_waiting = 100'000;
  /// Likewise, in bytes. One change may have more if nothing else waits.
  std::size_t most_waiting_bytes = std::size_t{512} << 20;
  /// Whether numbers are told to others before they are durable. After a
  /// process that did so and did not close its store, numbers are left out, so
  /// that none is given twice.
  bool tells_numbers_early = false;
  /// Whether to open a store that another process has open, which can write
  /// nothing from then on: its store fails for good.
  bool take_over = false;
};

struct BanditRow {
  BanditNumber bandit = 0;
  std::string name;
  std::string settings;
  Time created = 0;
  Sequence checkpoint = 0;  ///< events up to this one need no replay
};

struct SnapshotRow {
  std::string name;
  Time time = 0;
  std::uint64_t arms = 0;
  std::uint64_t learners = 0;
};

struct StoreStats {
  std::uint64_t commits = 0;
  std::uint64_t changes = 0;  ///< committed
  std::uint64_t waiting = 0;  ///< not yet committed
  std::uint64_t bytes = 0;    ///< on the disk
  double last_commit_seconds = 0;
  double commit_seconds = 0;  ///< of all commits
  std::int64_t epoch = 0;     ///< of this process
  std::string failure;        ///< why nothing is written now, or empty
};

/// Keeps what the service must not lose. One thread of its own writes: it
/// commits whatever is waiting in one transaction.
///
/// If a commit fails because no room is left or the connection is gone, what
/// was not written is kept and tried again, and failure() says why (of a lost
/// connection or a lock only if a second try fails, too). After a
/// failed fsync nothing is tried again: failed_for_good() is true, and the
/// process has to end; the next one begins with what was durable. So it is when
/// another process has taken over the store, which is noticed when something
/// is to be written, or a second later.
///
/// Thread safety: any thread may call any method.
class Store {
 public:
  /// Opens the store, and makes or updates its tables. Throws Error, among
  /// others kUnsupported for tables of a later version or of another program,
  /// in which nothing is changed, and sql::Failure(kBusy) if another process
  /// writes to it.
  explicit Store(const StoreOptions& options);
  /// Waits until everything is durable, or cannot become so.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// What there was when the store was opened, for those who replay it. Throws
  /// sql::Failure, and Error(kCorrupt) for rows that cannot be.
  std::vector<BanditRow> Bandits();
  /// The largest number that a bandit had when the store was opened, 0 if there
  /// was none.
  BanditNumber last_bandit() const;
  /// One more than the largest place that an arm of the bandit ever had.
  std::uint64_t Places(BanditNumber bandit);
  /// In ascending order of places, with those that wait for an arm.
  void ReadArms(BanditNumber bandit, const std::function<void(ArmRow&&)>& use);
  void ReadLearners(BanditNumber bandit,
                    const std::function<void(LearnerSaved&&)>& use);
  /// Those after the given one, in their order. Decisions of one choice come
  /// together. If `until` is not 0, those after it are left out.
  using Event = std::variant<DecisionsMade, RewardRow>;
  void ReadEvents(BanditNumber bandit, Sequence after,
                  const std::function<void(Event&&)>& use, Sequence until = 0);
  /// Arms that are gone or had other features, by the time at which they were
  /// added: for logs. `removed` is when they ceased to be so.
  struct FormerArm {
    ArmRow arm;
    Sequence removed = 0;
  };
  void ReadFormerArms(BanditNumber bandit,
                      const std::function<void(FormerArm&&)>& use);

  /// Puts a change into the queue and returns its number; of decisions, that of
  /// the first: the others follow. Never waits for the disk. Changes are
  /// written in the order of these calls.
  Sequence Append(Change change);

  /// Calls done(true) once everything up to the change is durable, or
  /// done(false) once it is known that it cannot be written now (failure() says
  /// why; it may become durable later). Calls come from the thread that writes,
  /// or at once, and must be short.
  void WhenDurable(Sequence change, std::function<void(bool)> done);

  /// Waits for that. Throws Error(kIo) with the reason if it is not durable.
  void Wait(Sequence change);

  /// Decisions by their numbers, those that are there, in no particular order,
  /// and what came for them. (Only what is durable is found.)
  std::vector<DecisionRow> FindDecisions(BanditNumber bandit, Sequence first,
                                         std::uint32_t count);
  std::vector<RewardRow> FindRewards(BanditNumber bandit, Sequence decision);
  /// The decisions with the client's id `event`, if there are any.
  std::vector<DecisionRow> FindEvent(BanditNumber bandit,
                                     const std::string& event);
  /// The latest events, at most `most`, newest first: (event, first decision,
  /// how many). For the memory of what was answered.
  struct RecentEvent {
    std::string event;
    Sequence first = 0;
    std::uint32_t count = 0;
    std::string learner;
  };
  std::vector<RecentEvent> RecentEvents(BanditNumber bandit, std::size_t most);
  /// The latest rewards with a client's id, newest first.
  struct RecentReward {
    std::string id;
    Sequence decision = 0;
    Sequence sequence = 0;
    std::string learner;
  };
  std::vector<RecentReward> RecentRewards(BanditNumber bandit,
                                          std::size_t most);

  std::vector<SnapshotRow> Snapshots(BanditNumber bandit);

  /// Deletes decisions and rewards that are older than `before`, up to the
  /// checkpoint. Returns how many. Works in small steps; takes as long as that
  /// takes.
  std::uint64_t DeleteOlderThan(Time before);

  /// Writes a copy as of one moment to a new file (SQLite), while the service
  /// goes on. Throws Error(kUnsupported) for PostgreSQL, which has pg_dump.
  void Backup(const std::string& path);

  /// Waits until the database answers. Throws sql::Failure.
  void Check();

  bool congested() const;
  /// Why nothing can be written now; empty if nothing is wrong.
  std::string failure() const;
  bool failed_for_good() const;
  bool taken_over() const;
  Sequence last_appended() const;
  StoreStats stats() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_STORE_H_
