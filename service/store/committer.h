#ifndef MANYARMS_SERVICE_STORE_COMMITTER_H_
#define MANYARMS_SERVICE_STORE_COMMITTER_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "service/sql/database.h"
#include "service/store/change_writer.h"
#include "service/store/old_rows.h"
#include "service/store/owned_database.h"
#include "service/store/store.h"
#include "service/store/waiters.h"

namespace manyarms::service {

/// The thread that writes, and the queue of what it is to write.
///
/// Thread safety: any thread may call any method.
class Committer {
 public:
  explicit Committer(StoreOptions options);
  ~Committer();
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  // As in Store.
  Sequence Append(Change change);
  void WhenDurable(Sequence change, Waiters::Done done);
  bool congested() const;
  std::string failure() const;
  bool failed_for_good() const;
  bool taken_over() const;
  Sequence last_appended() const;
  StoreStats stats() const;

  BanditNumber last_bandit() const;

  /// Lets the thread carry out a task between two commits, and waits for it.
  /// Throws what the task throws, and sql::Failure as soon as it is known that
  /// nothing can be written now.
  using Task = std::function<void(sql::Database&)>;
  void RunBetweenCommits(Task task);

 private:
  struct Queued {
    Change change;
    Sequence sequence = 0;
  };
  struct Failed {
    std::string why;
    std::exception_ptr error;
    bool is_fatal = false;  // nothing may be written any more
    bool taken_over = false;
    bool for_good = false;  // or it, or this, can never be
    bool is_brief = false;  // it may work at once when it is tried again
  };
  struct Waiting {
    Task task;
    std::promise<void> done;
  };
  using Batch = std::vector<Queued>;

  void OpenFirst();
  /// Where the numbers of this process begin.
  static Sequence FirstUnused(sql::Database& database);

  // What the thread does.
  void Run();
  bool WaitForWork();
  void CommitQueued();
  void RunOneTask();
  void DeleteForgotten();
  /// Once a second, so that an owner that has nothing to write ends, too, and
  /// knows whether it could write.
  void LookForTakeOver();
  void TidyUp();
  /// Notes that all numbers that were given are in the database.
  void Close();
  /// Throws sql::Failure and others.
  void Write(const Batch& batch, Sequence last);
  /// Opens a lost connection again, and returns whether the commit of the
  /// batch, of which nothing was heard, had happened.
  bool Reopened(Sequence last);
  /// Carries out `what`; if it throws, says why.
  std::optional<Failed> Try(const std::function<void()>& what);
  void Committed(const Batch& batch, Sequence last, double seconds);
  void Note(const Failed& failed);
  /// Returns whether to go on trying.
  bool Pause(double seconds);
  static void Refuse(std::deque<Waiting>& tasks, const std::string& why);

  const StoreOptions options_;
  std::int64_t epoch_ = 0;  // of this process, in the table meta

  // Only the thread uses these.
  std::unique_ptr<OwnedDatabase> database_;
  std::unique_ptr<ChangeWriter> changes_;
  ForgottenRows forgotten_;
  bool has_forgotten_ = true;
  std::chrono::steady_clock::time_point next_forgetting_;
  std::chrono::steady_clock::time_point next_look_;
  Sequence written_ = 0;  // the last change in the database

  mutable std::mutex mutex_;
  std::condition_variable work_;
  // The mutex guards all that follows.
  Batch queue_;
  std::deque<Waiting> tasks_;
  Waiters waiters_;
  BanditNumber last_bandit_ = 0;
  Sequence last_appended_ = 0;
  Sequence durable_ = 0;
  std::size_t in_batch_ = 0;
  std::size_t queue_bytes_ = 0;
  std::size_t in_batch_bytes_ = 0;
  std::string failure_;
  bool failed_for_good_ = false;
  bool taken_over_ = false;
  bool stopping_ = false;
  StoreStats stats_;

  std::thread thread_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_COMMITTER_H_
