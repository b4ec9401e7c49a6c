// Where a saved file goes, and what is there afterwards.

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "in_a_folder.h"
#include "manyarms/bandit.h"
#include "saved_bytes.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::Bytes;
using testing::ExpectError;
using testing::MakeBandit;

class SavedFile : public testing::InAFolder {
 protected:
  std::size_t Files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
};

TEST_F(SavedFile, ReplacesWhatWasThereAndLeavesNothingElse) {
  const std::filesystem::path path = folder_ / "bandit";
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  std::ofstream(path) << "something else";
  bandit.Save(path);
  bandit.Save(path);
  EXPECT_EQ(Files(), 1U);
  EXPECT_EQ(Bytes(Bandit::Load(path)), Bytes(bandit));
}

TEST_F(SavedFile, IsReadByWhomeverTheOldOneWas) {
  namespace fs = std::filesystem;
  const fs::path path = folder_ / "bandit";
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  const mode_t before = umask(027);
  bandit.Save(path);
  EXPECT_EQ(umask(before), 027U);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  fs::permissions(path, fs::perms(0604));
  bandit.Save(path);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0604));
}

TEST_F(SavedFile, GoesWhereALinkLeads) {
  namespace fs = std::filesystem;
  const fs::path path = folder_ / "bandit";
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  std::ofstream(path) << "something else";
  fs::create_symlink("bandit", folder_ / "link");
  bandit.Save(folder_ / "link");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(Bytes(Bandit::Load(path)), Bytes(bandit));
}

TEST_F(SavedFile, IsARegularFile) {
  namespace fs = std::filesystem;
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", folder_ / "link");
  for (const fs::path& path : {pipe, folder_ / "link", fs::path("/dev/full")}) {
    ExpectError(ErrorCode::kIo,
                {"cannot write", path.string(), "is not a regular file"},
                [&] { bandit.Save(path); });
    ExpectError(ErrorCode::kIo,
                {"cannot read", path.string(), "is not a regular file"},
                [&] { Bandit::Load(path); });
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(Files(), 2U);
}

TEST_F(SavedFile, GoesWhereALinkLeadsThoughNothingIsThereYet) {
  namespace fs = std::filesystem;
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  fs::create_directory(folder_ / "releases");
  fs::create_directory_symlink("releases", folder_ / "current");
  // A chain: absolute, then relative to a folder that is itself a link, then up
  // from there.
  fs::create_symlink(folder_ / "current" / "second", folder_ / "first");
  fs::create_symlink("third", folder_ / "releases" / "second");
  fs::create_symlink("../bandit", folder_ / "releases" / "third");
  bandit.Save(folder_ / "first");
  EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "releases" / "second"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "releases" / "third"));
  ASSERT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "bandit")));
  EXPECT_EQ(Bytes(Bandit::Load(folder_ / "bandit")), Bytes(bandit));
  EXPECT_EQ(Files(), 4U);
}

TEST_F(SavedFile, IsAnErrorWhereLinksLeadNowhere) {
  namespace fs = std::filesystem;
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  fs::create_symlink("two", folder_ / "one");
  fs::create_symlink("one", folder_ / "two");
  fs::create_symlink("no/folder", folder_ / "lost");
  for (int i = 0; i < 41; ++i) {  // one more than the system follows
    fs::create_symlink(std::to_string(i + 1), folder_ / std::to_string(i));
  }
  const std::size_t before = Files();
  for (const auto& [name, reason] : std::vector<std::pair<std::string, int>>{
           {"one", ELOOP}, {"two", ELOOP}, {"lost", ENOENT}, {"0", ELOOP}}) {
    try {
      bandit.Save(folder_ / name);
      ADD_FAILURE() << name << " was saved";
    } catch (const FileError& error) {
      EXPECT_EQ(error.system_error(), reason) << name;
      EXPECT_EQ(error.path(), folder_ / name);
    }
  }
  EXPECT_EQ(Files(), before);
  bandit.Save(folder_ / "1");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "41")));
}

TEST_F(SavedFile, MayHaveALongName) {
  const std::filesystem::path path = folder_ / std::string(255, 'x');
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  bandit.Save(path);
  EXPECT_EQ(Bytes(Bandit::Load(path)), Bytes(bandit));
}

TEST_F(SavedFile, CarriesTheSystemsReason) {
  try {
    Bandit::Load(folder_ / "nothing");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(error.system_error(), ENOENT);
    EXPECT_EQ(error.path(), folder_ / "nothing");
  }
}

TEST_F(SavedFile, IsAnErrorWhereItCannotBe) {
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  ExpectError(ErrorCode::kIo, {"nowhere", "No such file"},
              [&] { bandit.Save(folder_ / "nowhere" / "bandit"); });
  ExpectError(ErrorCode::kIo, {"cannot read", "nothing"},
              [&] { Bandit::Load(folder_ / "nothing"); });
  ExpectError(ErrorCode::kIo, {"cannot read"}, [&] { Bandit::Load(folder_); });
  std::filesystem::create_directory(folder_ / "folder");
  std::ofstream(folder_ / "folder" / "file") << "x";
  ExpectError(ErrorCode::kIo, {"cannot write"},
              [&] { bandit.Save(folder_ / "folder"); });
  EXPECT_EQ(Files(), 1U);
  std::ofstream(folder_ / "text") << "this is no bandit at all, just a text";
  ExpectError(ErrorCode::kCorrupt, {"text", "does not begin"},
              [&] { Bandit::Load(folder_ / "text"); });
}

}  // namespace
}  // namespace manyarms
