// What a store does when its disk is full or fails.

#include "service/sql/faulty_disk.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "becomes.h"
#include "in_a_folder.h"
#include "manyarms/error.h"
#include "service/store/numbered_changes.h"
#include "service/store/store.h"

namespace manyarms::service {
namespace {

using testing::Becomes;

using sql::FaultyDisk;

class OnAFaultyDisk : public testing::InAFolder {
 protected:
  void Open() {
    store_.reset();
    store_ = std::make_unique<Store>(
        StoreOptions{.place = (folder_ / name_).string()});
    next_ = store_->last_appended() + 1;
  }

  void Append(int changes) {
    for (; changes > 0; --changes, next_ = NumberAfter(next_)) {
      store_->Append(NumberedChange(next_));
    }
  }

  bool IsDurable() {
    try {
      store_->Wait(store_->last_appended());
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  bool Recovers() {
    return Becomes([this] { return IsDurable(); });
  }

  std::string name_ = "store.db";
  std::unique_ptr<Store> store_;
  Sequence next_ = 1;
};

// NOLINTNEXTLINE(misc-multiple-inheritance): GoogleTest's way to parameters.
class Passing : public OnAFaultyDisk,
                public ::testing::WithParamInterface<FaultyDisk::Fault> {};

TEST_P(Passing, IsSaidAndLosesNothing) {
  FaultyDisk disk;
  Open();
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed)
  int faults_before = 0;
  for (int round = 0; round < 4; ++round) {
    Append(100);
    ASSERT_TRUE(IsDurable());
    EXPECT_EQ(store_->failure(), "");
    disk.Fail(GetParam(), static_cast<int>(random() % 20));
    while (disk.faults() == faults_before) {
      Append(20);
      IsDurable();
    }
    Append(100);
    EXPECT_FALSE(IsDurable());
    EXPECT_NE(store_->failure(), "");
    EXPECT_FALSE(store_->failed_for_good());
    EXPECT_GT(store_->stats().waiting, 0U);
    EXPECT_THROW(store_->DeleteOlderThan(1e9), Error);
    disk.Heal();
    ASSERT_TRUE(Recovers());
    EXPECT_EQ(store_->failure(), "");
    faults_before = disk.faults();
    ASSERT_EQ(WrongWithNumbered(*store_, next_ - 1), "");
    if (round % 2 == 0) {
      Open();
      ASSERT_EQ(WrongWithNumbered(*store_, next_ - 1), "");
    }
  }
  store_.reset();
}

INSTANTIATE_TEST_SUITE_P(Faults, Passing,
                         ::testing::Values(FaultyDisk::Fault::kFull,
                                           FaultyDisk::Fault::kWrite),
                         [](const auto& fault) {
                           return fault.param == FaultyDisk::Fault::kFull
                                      ? std::string("Full")
                                      : std::string("FailingWrites");
                         });

TEST_F(OnAFaultyDisk, TriesNothingAgainAfterAFailedSync) {
  FaultyDisk disk;
  for (int before = 0; before < 6; ++before) {
    SCOPED_TRACE(before);
    Open();
    Append(100);
    ASSERT_TRUE(IsDurable());
    Sequence durable = next_ - 1;
    disk.Fail(FaultyDisk::Fault::kSync, before);
    const int faults = disk.faults();
    while (disk.faults() == faults) {
      Append(20);
      if (IsDurable()) durable = next_ - 1;
    }
    Append(20);
    EXPECT_FALSE(IsDurable());
    EXPECT_TRUE(store_->failed_for_good());
    EXPECT_NE(store_->failure(), "");
    EXPECT_THROW(store_->DeleteOlderThan(0), Error);
    disk.Heal();
    const int writes = disk.writes();
    EXPECT_FALSE(IsDurable());
    store_.reset();
    EXPECT_EQ(disk.writes(), writes);
    Open();
    ASSERT_EQ(WrongWithNumbered(*store_, durable), "");
  }
  store_.reset();
}

TEST_F(OnAFaultyDisk, EndsIfTheLogCannotBeMovedToTheFile) {
  FaultyDisk disk;
  // More than the log may have. The first sync is that of the commit, which
  // goes well, the next ones are those of moving the log.
  const std::vector<std::byte> knowledge(20 << 20, std::byte{7});
  for (int before : {1, 2}) {
    name_ = fmt::format("{}.db", before);
    Open();
    // The log of opening is emptied as soon as nobody waits, and begins again
    // with the next commit.
    ASSERT_TRUE(Becomes([&] {
      return std::filesystem::file_size(folder_ / (name_ + "-wal")) == 0;
    }));
    Append(1);
    ASSERT_TRUE(IsDurable());
    disk.Fail(FaultyDisk::Fault::kSync, before);
    const std::string learner = fmt::format("learner {}", before);
    store_->Append(
        LearnerSaved{.bandit = 1, .learner = learner, .knowledge = knowledge});
    EXPECT_TRUE(IsDurable());
    EXPECT_TRUE(Becomes([&] { return store_->failed_for_good(); }));
    EXPECT_NE(store_->failure(), "");
    disk.Heal();
    Open();
    bool is_there = false;
    store_->ReadLearners(1, [&](LearnerSaved&& saved) {
      is_there |= saved.learner == learner && saved.knowledge == knowledge;
    });
    EXPECT_TRUE(is_there);
  }
  store_.reset();
}

// A file system of a few megabytes, if this user may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(std::string folder) : folder_(std::move(folder)) {
    is_mounted_ = Mount(0, "size=2m");
  }
  ~SmallDisk() {
    if (is_mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }
  bool Grow() { return Mount(MS_REMOUNT, "size=16m"); }

 private:
  bool Mount(unsigned long flags, const char* options) {
    return mount("tmpfs", folder_.c_str(), "tmpfs", flags, options) == 0;
  }

  std::string folder_;
  bool is_mounted_;
};

TEST_F(OnAFaultyDisk, GoesOnWhenThereIsRoomAgain) {
  SmallDisk disk(folder_.string());
  if (!disk.is_mounted()) GTEST_SKIP() << "this user may not mount";
  Open();
  Sequence durable = 0;
  while (store_->failure().empty()) {
    Append(500);
    if (IsDurable()) durable = next_ - 1;
  }
  EXPECT_FALSE(store_->failed_for_good());
  EXPECT_GT(durable, 500U);
  EXPECT_LT(durable, next_ - 1);
  ASSERT_TRUE(disk.Grow());
  ASSERT_TRUE(Recovers());
  ASSERT_EQ(WrongWithNumbered(*store_, next_ - 1), "");
  Open();
  EXPECT_EQ(WrongWithNumbered(*store_, next_ - 1), "");
  store_.reset();
}

}  // namespace
}  // namespace manyarms::service
