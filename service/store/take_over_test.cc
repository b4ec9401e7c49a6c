// A store has one owner at a time. Whoever takes it over fences the former
// owner off, also one that hung meanwhile, and nothing acknowledged is lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "becomes.h"
#include "both_databases.h"
#include "in_a_folder.h"
#include "manyarms/error.h"
#include "service/sql/database.h"
#include "service/store/numbered_changes.h"
#include "service/store/store.h"

namespace manyarms::service {
namespace {

using testing::Becomes;
using testing::BothDatabases;
using ::testing::HasSubstr;

constexpr int kTakenOver = 3;

void Sleep(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Writes changes, a few at a time, until the store has failed for good or the
// object is destroyed.
class Owner {
 public:
  explicit Owner(const std::string& place)
      : store_({.place = place, .take_over = true}),
        next_(store_.last_appended() + 1),
        thread_([this] {
          while (!is_over_ && !store_.failed_for_good()) Write();
        }) {}
  ~Owner() {
    is_over_ = true;
    thread_.join();
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  Store& store() { return store_; }
  Sequence acknowledged() const { return acknowledged_; }

  bool WaitsForMore() const {
    const Sequence before = acknowledged_;
    return Becomes([&] { return acknowledged_ > before; });
  }
  bool WaitsForItsEnd() const {
    return Becomes([&] { return store_.failed_for_good(); });
  }

 private:
  void Write() {
    for (int i = 0; i < 5; ++i, next_ = NumberAfter(next_)) {
      store_.Append(NumberedChange(next_));
    }
    const Sequence last = store_.last_appended();
    try {
      store_.Wait(last);
      acknowledged_ = last;
    } catch (const Error&) {
      Sleep(1);
    }
  }

  Store store_;
  Sequence next_;
  std::atomic<bool> is_over_ = false;
  std::atomic<Sequence> acknowledged_ = 0;
  std::thread thread_;
};

class TakeOver : public BothDatabases {
 protected:
  // The former owner notices it at its next change, which is not written.
  static void ExpectFenced(Owner& former) {
    ASSERT_TRUE(former.WaitsForItsEnd());
    EXPECT_TRUE(former.store().taken_over());
    const std::int64_t epoch = former.store().stats().epoch;
    EXPECT_EQ(former.store().failure(),
              fmt::format("another process has taken over this store (epoch "
                          "{}; this process has epoch {})",
                          epoch + 1, epoch));
    EXPECT_THROW(former.store().Wait(former.store().Append(NumberedChange(2))),
                 Error);
  }
};

TEST_P(TakeOver, FencesTheFormerOwnerOffUnderLoad) {
  const std::string place = NewPlace();
  auto owner = std::make_unique<Owner>(place);
  for (int times = 0; times < 5; ++times) {
    ASSERT_TRUE(owner->WaitsForMore());
    auto next = std::make_unique<Owner>(place);
    ASSERT_TRUE(next->WaitsForMore());
    ExpectFenced(*owner);
    EXPECT_GT(next->acknowledged(), owner->acknowledged());
    owner = std::move(next);
  }
  EXPECT_FALSE(owner->store().taken_over());
  const Sequence acknowledged = owner->acknowledged();
  owner.reset();
  Store store({.place = place});
  EXPECT_EQ(WrongWithNumbered(store, acknowledged), "");
}

TEST_P(TakeOver, IsNoticedByAnOwnerThatWritesNothing) {
  const std::string place = NewPlace();
  Store former({.place = place});
  Store next({.place = place, .take_over = true});
  EXPECT_TRUE(Becomes([&] { return former.failed_for_good(); }));
  EXPECT_TRUE(former.taken_over());
  EXPECT_THAT(former.failure(), HasSubstr("taken over this store (epoch 2"));
}

TEST_P(TakeOver, LeavesNoPlaceForAThirdOwner) {
  const std::string place = NewPlace();
  auto former = std::make_unique<Store>(StoreOptions{.place = place});
  Store next({.place = place, .take_over = true});
  EXPECT_THROW(Store({.place = place}), sql::Failure);
  former.reset();
  Sleep(2500);  // the lock of a file is taken within a second
  EXPECT_THROW(Store({.place = place}), sql::Failure);
  next.Wait(next.Append(NumberedChange(1)));
}

TEST_P(TakeOver, NeedsNoFormerOwner) {
  const std::string place = NewPlace();
  {
    Store first({.place = place, .take_over = true});
    first.Wait(first.Append(NumberedChange(1)));
    EXPECT_EQ(first.stats().epoch, 1);
  }
  const Store second({.place = place, .take_over = true});
  EXPECT_EQ(second.stats().epoch, 2);
  EXPECT_EQ(second.last_appended(), 1U);
}

// Writes until somebody else has taken over the store.
[[noreturn]] void WriteUntilTakenOver(const std::string& place, int ready) {
  Store store({.place = place, .most_waiting = 1000});
  for (Sequence next = store.last_appended() + 1;; next = NumberAfter(next)) {
    store.Append(NumberedChange(next));
    const Sequence last = store.last_appended();
    store.WhenDurable(last, [&store, ready, last](bool durable) {
      if (!durable) _exit(store.taken_over() ? kTakenOver : 1);
      if (write(ready, &last, sizeof last) != sizeof last) _exit(2);
    });
    while (store.congested()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
}

// The last number in a pipe, `last` if there is none.
Sequence LastIn(int file, Sequence last) {
  Sequence next = 0;
  while (read(file, &next, sizeof next) == sizeof next) last = next;
  return last;
}

TEST_P(TakeOver, GetsPastAnOwnerThatIsStopped) {
  const std::string place = NewPlace();
  std::mt19937 random(5);  // NOLINT(bugprone-random-generator-seed)
  Sequence acknowledged = 0;
  for (int times = 0; times < 4; ++times) {
    std::array<int, 2> ends;
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(ends[0]);
      WriteUntilTakenOver(place, ends[1]);
    }
    close(ends[1]);
    Sequence first = 0;
    ASSERT_EQ(read(ends[0], &first, sizeof first), sizeof first);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 9000));
    kill(child, SIGSTOP);
    {
      Owner next(place);
      ASSERT_TRUE(next.WaitsForMore());
      kill(child, SIGCONT);
      ASSERT_TRUE(next.WaitsForMore());
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      // It was ended only if it hung within a transaction.
      EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == kTakenOver)
          << status;
      const Sequence last = LastIn(ends[0], first);
      close(ends[0]);
      EXPECT_GT(next.acknowledged(), last);
      acknowledged = next.acknowledged();
    }
    Store store({.place = place});
    ASSERT_EQ(WrongWithNumbered(store, acknowledged), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Databases, TakeOver, testing::DatabaseNames(),
                         testing::NameOfDatabase);

using TakeOverOfAFile = testing::InAFolder;

// It is stopped between two transactions, and keeps the lock, which the next
// owner needs to move the log to the file.
TEST_F(TakeOverOfAFile, EndsAFormerOwnerThatIsStoppedAndHasItsLock) {
  const std::string place = (folder_ / "a.db").string();
  std::array<int, 2> ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Store store({.place = place});
    if (write(ends[1], "x", 1) != 1) _exit(2);
    for (;;) pause();
  }
  char ready = 0;
  ASSERT_EQ(read(ends[0], &ready, 1), 1);
  kill(child, SIGSTOP);
  Store next({.place = place, .take_over = true});
  next.Wait(next.Append(NumberedChange(1)));
  int status = 0;
  if (!Becomes([&] { return waitpid(child, &status, WNOHANG) == child; })) {
    kill(child, SIGKILL);
    FAIL() << "it is still there";
  }
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(
      Becomes([&] { return std::filesystem::file_size(place + "-wal") == 0; }));
  next.Wait(next.Append(NumberedChange(2)));
  EXPECT_FALSE(next.taken_over());
}

}  // namespace
}  // namespace manyarms::service
