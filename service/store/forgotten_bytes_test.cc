#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "becomes.h"
#include "in_a_folder.h"
#include "service/sql/database.h"
#include "service/store/store.h"

namespace manyarms::service {
namespace {

using testing::Becomes;

class ForgottenBytes : public testing::InAFolder {
 protected:
  /// How many of the store's files have this text.
  int FilesWith(const std::string& text) const {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      if (bytes.find(text) != std::string::npos) ++files;
    }
    return files;
  }

  bool IsGone(const std::string& text) const {
    return Becomes([&] { return FilesWith(text) == 0; });
  }

  void Fill(Store& store) const {
    store.Append(BanditCreated{.bandit = 1, .name = "shop", .settings = "{}"});
    DecisionRow row;
    row.bandit = 1;
    row.learner = "SECRETLEARNER";
    row.event = "SECRETEVENT";
    row.features = {1};
    store.Append(DecisionsMade{{row}});
    store.Append(LearnerSaved{.bandit = 1, .learner = "SECRETLEARNER"});
    store.Wait(store.last_appended());
    // Neither file may have them for a reader of one after the other, while the
    // log is moved.
    ASSERT_TRUE(Becomes([&] { return FilesWith("SECRETLEARNER") > 0; }));
    ASSERT_TRUE(Becomes([&] { return FilesWith("SECRETEVENT") > 0; }));
  }

  std::string place_ = (folder_ / "a.db").string();
};

TEST_F(ForgottenBytes, LeaveAllFilesSoon) {
  Store store({.place = place_});
  Fill(store);
  store.Append(LearnerForgotten{.bandit = 1, .learner = "SECRETLEARNER"});
  EXPECT_TRUE(IsGone("SECRETLEARNER"));
  EXPECT_TRUE(IsGone("SECRETEVENT"));
}

TEST_F(ForgottenBytes, LeaveTheLogOnceNobodyReadsInIt) {
  Store store({.place = place_});
  Fill(store);
  {
    const auto reader = sql::Open(place_, sql::Database::Access::kRead);
    reader->Begin();
    const auto query = reader->Prepare("SELECT count(*) FROM decisions");
    while (query->Next()) {
    }
    store.Append(LearnerForgotten{.bandit = 1, .learner = "SECRETLEARNER"});
    store.Wait(store.last_appended());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_GT(FilesWith("SECRETEVENT"), 0);
    reader->Rollback();
  }
  // The next try comes a second later.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  store.Append(RewardRow{.bandit = 1, .learner = "b"});
  EXPECT_TRUE(IsGone("SECRETLEARNER"));
  EXPECT_TRUE(IsGone("SECRETEVENT"));
}

}  // namespace
}  // namespace manyarms::service
