#include "service/store/committer.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "service/store/change_size.h"
#include "service/store/tables.h"

namespace manyarms::service {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFirstPause = 0.1;
constexpr double kLongestPause = 5;
constexpr std::chrono::milliseconds kBriefly(100);
constexpr std::chrono::seconds kBetweenLooks(1);

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Numbers the rows of a change. Returns the last number.
Sequence Number(Change& change, Sequence first) {
  if (auto* made = std::get_if<DecisionsMade>(&change)) {
    Sequence next = first;
    for (DecisionRow& row : made->decisions) row.sequence = next++;
    return std::max(first, next - 1);
  }
  if (auto* reward = std::get_if<RewardRow>(&change)) reward->sequence = first;
  return first;
}

Sequence LastOf(const Change& change, Sequence first) {
  const auto* made = std::get_if<DecisionsMade>(&change);
  if (made == nullptr || made->decisions.empty()) return first;
  return first + made->decisions.size() - 1;
}

}  // namespace

Committer::Committer(StoreOptions options) : options_(std::move(options)) {
  OpenFirst();
  thread_ = std::thread([this] { Run(); });
}

Committer::~Committer() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  thread_.join();
}

void Committer::OpenFirst() {
  auto database = sql::Open(
      options_.place, options_.take_over ? sql::Database::Access::kTakeOver
                                         : sql::Database::Access::kWrite);
  MakeTables(*database);
  database->Begin();
  // What a former owner commits, it commits before this.
  epoch_ = RaiseEpoch(*database);
  written_ = FirstUnused(*database) - 1;
  last_bandit_ = ReadMeta(*database, "last_bandit").value_or(0);
  WriteMeta(*database, "sequence", static_cast<std::int64_t>(written_));
  WriteMeta(*database, "told_early", options_.tells_numbers_early ? 1 : 0);
  database->Commit();
  stats_.epoch = epoch_;
  database_ = std::make_unique<OwnedDatabase>(std::move(database), epoch_);
  changes_ = std::make_unique<ChangeWriter>(*database_);
  last_appended_ = written_;
  durable_ = written_;
}

Sequence Committer::FirstUnused(sql::Database& database) {
  const auto last =
      static_cast<Sequence>(ReadMeta(database, "sequence").value_or(0));
  const bool told_early = ReadMeta(database, "told_early") == 1;
  return last + 1 + (told_early ? kNumbersLeftOut : 0);
}

Sequence Committer::Append(Change change) {
  const std::size_t bytes = BytesOf(change);
  Sequence first = 0;
  {
    const std::scoped_lock lock(mutex_);
    first = last_appended_ + 1;
    last_appended_ = Number(change, first);
    if (const auto* created = std::get_if<BanditCreated>(&change)) {
      last_bandit_ = std::max(last_bandit_, created->bandit);
    }
    if (failed_for_good_) return first;
    queue_.push_back({std::move(change), first});
    queue_bytes_ += bytes;
  }
  work_.notify_one();
  return first;
}

BanditNumber Committer::last_bandit() const {
  const std::scoped_lock lock(mutex_);
  return last_bandit_;
}

void Committer::WhenDurable(Sequence change, Waiters::Done done) {
  bool is_durable = false;
  {
    const std::scoped_lock lock(mutex_);
    is_durable = change <= durable_;
    if (!is_durable && failure_.empty()) {
      waiters_.Add(change, std::move(done));
      return;
    }
  }
  done(is_durable);
}

bool Committer::congested() const {
  const std::scoped_lock lock(mutex_);
  return queue_.size() + in_batch_ > options_.most_waiting ||
         queue_bytes_ + in_batch_bytes_ > options_.most_waiting_bytes;
}

std::string Committer::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

bool Committer::failed_for_good() const {
  const std::scoped_lock lock(mutex_);
  return failed_for_good_;
}

bool Committer::taken_over() const {
  const std::scoped_lock lock(mutex_);
  return taken_over_;
}

Sequence Committer::last_appended() const {
  const std::scoped_lock lock(mutex_);
  return last_appended_;
}

StoreStats Committer::stats() const {
  const std::scoped_lock lock(mutex_);
  StoreStats stats = stats_;
  stats.waiting = queue_.size() + in_batch_;
  stats.failure = failure_;
  return stats;
}

void Committer::RunBetweenCommits(Task task) {
  std::promise<void> promise;
  auto done = promise.get_future();
  {
    const std::scoped_lock lock(mutex_);
    if (!failure_.empty() || stopping_) {
      throw sql::Failure(sql::FailureKind::kOther, failure_);
    }
    tasks_.push_back({std::move(task), std::move(promise)});
  }
  work_.notify_one();
  done.get();
}

void Committer::Run() {
  while (WaitForWork()) {
    CommitQueued();
    RunOneTask();
    DeleteForgotten();
    LookForTakeOver();
    TidyUp();
  }
  std::vector<Waiters::Done> left;
  std::deque<Waiting> tasks;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    waiters_.TakeAll(left);
    tasks.swap(tasks_);
  }
  for (const auto& done : left) done(false);
  Refuse(tasks, "the store is closed");
  Close();
  changes_.reset();
  database_.reset();
}

bool Committer::WaitForWork() {
  std::unique_lock lock(mutex_);
  const auto has_work = [&] {
    return stopping_ || !queue_.empty() || !tasks_.empty();
  };
  if (failed_for_good_) return false;
  const auto end =
      has_forgotten_ ? std::min(next_forgetting_, next_look_) : next_look_;
  work_.wait_until(lock, end, has_work);
  // What is still to be forgotten is found again by the next process.
  return !(stopping_ && queue_.empty() && tasks_.empty());
}

void Committer::CommitQueued() {
  Batch batch;
  {
    const std::scoped_lock lock(mutex_);
    batch.swap(queue_);
    in_batch_ = batch.size();
    in_batch_bytes_ = std::exchange(queue_bytes_, 0);
  }
  if (batch.empty()) return;
  const Sequence last = LastOf(batch.back().change, batch.back().sequence);
  bool has_failed = false;
  for (double pause = kFirstPause;;
       pause = std::min(2 * pause, kLongestPause)) {
    const auto start = Clock::now();
    const auto failed = Try([&] {
      if (!Reopened(last)) Write(batch, last);
    });
    if (!failed) {
      Committed(batch, last, SecondsSince(start));
      return;
    }
    // Clients that hear of a failure send again what may have been written.
    const bool is_first = !std::exchange(has_failed, true);
    if (is_first && failed->is_brief) {
      std::this_thread::sleep_for(kBriefly);
      continue;
    }
    Note(*failed);
    if (failed->for_good || !Pause(pause)) return;
  }
}

void Committer::Write(const Batch& batch, Sequence last) {
  database_->Begin();
  for (const Queued& queued : batch) {
    changes_->Write(queued.change, queued.sequence);
  }
  changes_->WriteSequence(last);
  database_->Commit();
}

bool Committer::Reopened(Sequence last) {
  if (database_) return false;
  // Whoever has taken over the store holds its lock.
  RequireEpoch(*sql::Open(options_.place, sql::Database::Access::kRead),
               epoch_);
  auto database = sql::Open(options_.place, sql::Database::Access::kWrite);
  RequireEpoch(*database, epoch_);
  const auto sequence =
      static_cast<Sequence>(ReadMeta(*database, "sequence").value_or(0));
  if (sequence != written_ && sequence != last) {
    throw sql::Failure(
        sql::FailureKind::kFatal,
        "another process wrote to this store while the connection was lost");
  }
  database_ = std::make_unique<OwnedDatabase>(std::move(database), epoch_);
  changes_ = std::make_unique<ChangeWriter>(*database_);
  return sequence == last;
}

std::optional<Committer::Failed> Committer::Try(
    const std::function<void()>& what) {
  Failed failed;
  try {
    what();
    return std::nullopt;
  } catch (const sql::Failure& failure) {
    failed.why = failure.what();
    failed.error = std::current_exception();
    failed.taken_over = failure.kind() == sql::FailureKind::kTakenOver;
    failed.is_fatal =
        failed.taken_over || failure.kind() == sql::FailureKind::kFatal;
    failed.for_good =
        failed.is_fatal || failure.kind() == sql::FailureKind::kOther;
    failed.is_brief = failure.kind() == sql::FailureKind::kLost ||
                      failure.kind() == sql::FailureKind::kBusy;
    if (failure.kind() == sql::FailureKind::kLost) {
      changes_.reset();
      database_.reset();
    }
  } catch (const std::exception& error) {
    failed.why = error.what();
    failed.error = std::current_exception();
    failed.for_good = true;
  }
  if (database_) database_->Rollback();
  return failed;
}

void Committer::Committed(const Batch& batch, Sequence last, double seconds) {
  for (const Queued& queued : batch) {
    has_forgotten_ = has_forgotten_ ||
                     std::holds_alternative<LearnerForgotten>(queued.change) ||
                     std::holds_alternative<BanditDeleted>(queued.change);
  }
  written_ = last;
  std::vector<Waiters::Done> taken;
  {
    const std::scoped_lock lock(mutex_);
    durable_ = last;
    in_batch_ = 0;
    in_batch_bytes_ = 0;
    failure_.clear();
    ++stats_.commits;
    stats_.changes += batch.size();
    stats_.last_commit_seconds = seconds;
    stats_.commit_seconds += seconds;
    waiters_.Take(last, taken);
  }
  for (const auto& done : taken) done(true);
}

void Committer::Note(const Failed& failed) {
  std::vector<Waiters::Done> left;
  std::deque<Waiting> tasks;
  {
    const std::scoped_lock lock(mutex_);
    failure_ = failed.why;
    failed_for_good_ = failed.for_good;
    taken_over_ = failed.taken_over;
    waiters_.TakeAll(left);
    tasks.swap(tasks_);
    if (failed_for_good_) {
      queue_.clear();
      in_batch_ = 0;
      queue_bytes_ = 0;
      in_batch_bytes_ = 0;
    }
  }
  for (const auto& done : left) done(false);
  Refuse(tasks, failed.why);
}

bool Committer::Pause(double seconds) {
  std::unique_lock lock(mutex_);
  if (stopping_) {
    failed_for_good_ = true;
    return false;
  }
  work_.wait_for(lock, std::chrono::duration<double>(seconds),
                 [&] { return stopping_; });
  return true;
}

void Committer::RunOneTask() {
  Waiting waiting;
  {
    const std::scoped_lock lock(mutex_);
    if (tasks_.empty() || failed_for_good_) return;
    waiting = std::move(tasks_.front());
    tasks_.pop_front();
  }
  const auto failed = Try([&] {
    Reopened(written_);
    waiting.task(*database_);
  });
  if (!failed) {
    waiting.done.set_value();
    return;
  }
  if (failed->is_fatal) Note(*failed);
  waiting.done.set_exception(failed->error);
}

void Committer::DeleteForgotten() {
  if (!has_forgotten_ || failed_for_good() || Clock::now() < next_forgetting_) {
    return;
  }
  const auto failed = Try([&] {
    Reopened(written_);
    has_forgotten_ = forgotten_.DeleteSome(*database_);
  });
  if (!failed) return;
  if (failed->is_fatal) Note(*failed);
  next_forgetting_ = Clock::now() + std::chrono::seconds(1);
}

void Committer::LookForTakeOver() {
  const auto now = Clock::now();
  if (failed_for_good() || now < next_look_) return;
  next_look_ = now + kBetweenLooks;
  const auto look = [&] {
    Reopened(written_);
    RequireEpoch(*database_, epoch_);
  };
  auto failed = Try(look);
  if (failed && failed->is_brief) {
    std::this_thread::sleep_for(kBriefly);
    failed = Try(look);
  }
  if (failed) {
    failed->for_good = failed->is_fatal;
    return Note(*failed);
  }
  const std::scoped_lock lock(mutex_);
  failure_.clear();
}

void Committer::TidyUp() {
  if (!database_ || failed_for_good()) return;
  bool somebody_waits = false;
  {
    const std::scoped_lock lock(mutex_);
    somebody_waits = !queue_.empty();
  }
  const auto failed = Try([&] { database_->TidyUp(somebody_waits); });
  if (failed && failed->is_fatal) Note(*failed);
}

void Committer::Close() {
  if (!database_ || failed_for_good()) return;
  Try([&] {
    database_->Begin();
    WriteMeta(*database_, "told_early", 0);
    database_->Commit();
  });
}

void Committer::Refuse(std::deque<Waiting>& tasks, const std::string& why) {
  for (Waiting& waiting : tasks) {
    waiting.done.set_exception(
        std::make_exception_ptr(sql::Failure(sql::FailureKind::kOther, why)));
  }
}

}  // namespace manyarms::service
